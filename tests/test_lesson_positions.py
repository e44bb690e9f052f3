"""The lesson on positions: its page prints and states what is so, its reference agrees with other authorities."""

import contextlib
import importlib
import io
import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from grader.course.yaml12 import plain, read_nodes
from grader.misconceptions.positions import catalogue
from grader.places import lessons_folder
from reference.attention import attention_scores, attention_weights, causal_mask
from reference.positions import (
    alibi_bias,
    alibi_slopes,
    apply_rope,
    apply_rope_half,
    interleaved_to_half,
    rope_angles,
    sinusoidal_positions,
)

FOLDER = lessons_folder() / "positions"
PAGE = (FOLDER / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
ROTATIONS = pytest.mark.parametrize("rotate", [apply_rope, apply_rope_half])
DTYPES = [(torch.float64, 1e-12), (torch.float32, 1e-6), (torch.bfloat16, 1e-2), (torch.float16, 2e-3)]


def turns_after(base: float, pair: int, width: int = 128) -> float:
    """How many positions a pair needs to come round."""
    return 2 * math.pi * base ** (2 * pair / width)


def fast_pairs(base: float) -> int:
    """How many of 64 pairs come round within 2,048 positions."""
    return sum(turns_after(base, pair) <= 2048 for pair in range(64))


def table_product(distance: int, width: int = 512) -> float:
    """The dot product of two rows of a sinusoidal table."""
    return math.fsum(math.cos(distance * 10000.0 ** (-2 * i / width)) for i in range(width // 2))


def wave(distance: int) -> float:
    """The score of an all-ones query and key at a distance, as a part of the largest, in percent."""
    return 100 * table_product(distance, width=128) / 64


GPT2_TABLE = 1024 * 768
STATED = (
    f"= {GPT2_TABLE:,}".replace(",", "{,}") + f"$ numbers, {100 * GPT2_TABLE / 124_439_808:.2f} % of GPT-2 small",
    f"the fastest after {turns_after(1e4, 0):.2f}, the slowest after {turns_after(1e4, 63):,.0f}.",
    f"Within 2,048 positions {fast_pairs(1e4)} of the 64 pairs complete a turn; the other {64 - fast_pairs(1e4)} never",
    f"With $b = 500{{,}}000$ only {fast_pairs(5e5)} do, and the slowest needs {turns_after(5e5, 63):,.0f}.",
    f"this is {table_product(0):.0f} at distance 0, {table_product(1):.0f} at distance 1, {table_product(100):.0f} at",
    f"at distance 100 and {table_product(1000):.0f} at distance 1,000",
    f"the score is {wave(1):.0f} % of its largest value at distance 1, {wave(100):.0f} % at distance 100,",
    f"distance 100, {wave(1000):.0f} % at distance 1,000 and below zero at 10,000",
    f"With slope $1/2$ the weight is halved every {2 * math.log(2):.2f} tokens",
    f"and a query gives {100 * (1 - math.exp(-1 / 2)):.0f} % of it to itself",
    f"with $1/256$ every {256 * math.log(2):.0f} tokens, and {100 * (1 - math.exp(-1 / 256)):.2f} %",
    f"that is {3 * 2 * 4096:,} a token and block for $q$ and $k$, beside {8 * 4096**2 / 1e6:.0f} million for the",
    f"for the four projections: {100 * 3 * 2 * 4096 / (8 * 4096**2):.2f} %",
    f"{32 * 2048 * 2048 * 4 // 2**20} MiB for 32 heads and 2,048 positions",
    f"A uniform guess costs $\\ln 16 = {math.log(16):.2f}$ nats",
)
"""What the page states, with the numbers computed here."""


def normal(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    """Reproducible normal numbers, rounded to the dtype."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def oracle_angles(positions: list[int], width: int, base: float) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Angles number by number, from the mathematical library."""
    rates = [math.exp(-2 * i / width * math.log(base)) for i in range(width // 2)]
    return np.array([[p * rate for rate in rates] for p in positions])


def oracle_rotation(x: Tensor, angles: Tensor, half: bool) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Each pair as a complex number, turned by multiplication, in NumPy's float64."""
    values = x.double().numpy()
    width = values.shape[-1]
    turned = np.empty_like(values)
    for i, theta in enumerate(angles.double().numpy().T):
        a, b = (i, i + width // 2) if half else (2 * i, 2 * i + 1)
        points = (values[..., a] + 1j * values[..., b]) * np.exp(1j * theta)
        turned[..., a], turned[..., b] = points.real, points.imag
    return turned


def expected_lines(block: str) -> list[str]:
    """What a block says it prints, after `# prints`."""
    return [line.partition("  # prints ")[2] for line in block.splitlines() if "  # prints " in line]


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self) -> None:
        names: dict[str, Any] = {}
        for block in BLOCKS:
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                exec(compile(block, "lesson.md", "exec"), names)  # noqa: S102  # the page is ours
            if said := expected_lines(block):
                assert printed.getvalue().splitlines() == said
        assert len(BLOCKS) == 8
        names["check_rotary"](lambda x, p: apply_rope(x, rope_angles(p, x.shape[-1])), 8)
        names["check_rotary"](lambda x, p: apply_rope_half(x, rope_angles(p, x.shape[-1])), 8)

    @pytest.mark.parametrize("sentence", STATED)
    def test_the_numbers_in_the_prose_are_computed(self, sentence: str) -> None:
        assert sentence in PROSE

    def test_the_wave_is_below_zero_at_ten_thousand(self) -> None:
        assert wave(10_000) < 0

    def test_sixteen_bits_keep_every_eighth_position_near_two_thousand(self) -> None:
        assert torch.tensor([1999, 2000, 2001]).bfloat16().tolist() == [2000, 2000, 2000]
        positions = torch.arange(1024, 2048)
        assert (positions - positions.bfloat16().long()).abs().max() == 4
        rounding = 2047 * 2**-24
        assert rounding == pytest.approx(1e-4, rel=0.25)

    def test_a_mixture_of_layouts_stretches_and_crushes_pairs(self) -> None:
        alpha, beta = 0.4, 0.4 + math.pi / 2
        matrix = np.array([[math.cos(alpha), -math.sin(alpha)], [math.sin(beta), math.cos(beta)]])
        assert np.linalg.svd(matrix, compute_uv=False) == pytest.approx([math.sqrt(2), 0], abs=1e-12)

    def test_with_four_features_a_head_the_reordering_undoes_itself(self) -> None:
        weight = normal(8, 3)
        assert torch.equal(interleaved_to_half(interleaved_to_half(weight, 2), 2), weight)
        assert not torch.equal(interleaved_to_half(interleaved_to_half(weight, 1), 1), weight)


class TestSinusoidalPositions:
    @pytest.mark.parametrize(("n_positions", "width", "base"), [(9, 6, 500.0), (1, 2, 1e4), (2048, 10, 1e4)])
    def test_agrees_with_the_mathematical_library(self, n_positions: int, width: int, base: float) -> None:
        angles = oracle_angles(list(range(n_positions)), width, base)
        table = sinusoidal_positions(n_positions, width, base=base)
        assert table.dtype == torch.float32
        assert table.shape == (n_positions, width)
        np.testing.assert_allclose(table[:, 0::2].numpy(), np.sin(angles), atol=1e-7)
        np.testing.assert_allclose(table[:, 1::2].numpy(), np.cos(angles), atol=1e-7)

    def test_rows_have_one_length_and_shifts_are_linear(self) -> None:
        table = sinusoidal_positions(40, 8).double()
        torch.testing.assert_close(table.norm(dim=1), torch.full((40,), 2.0).double(), rtol=0, atol=1e-6)
        shift = torch.linalg.lstsq(table[:20], table[7:27]).solution
        torch.testing.assert_close(table[5:30] @ shift, table[12:37], rtol=0, atol=1e-3)

    def test_refuses_an_odd_width(self) -> None:
        with pytest.raises(ValueError, match="odd"):
            sinusoidal_positions(4, 7)


class TestRopeAngles:
    @pytest.mark.parametrize("positions", [[0, 1, 2], [7, 2, 9], [2047, 1025]])
    def test_agrees_with_the_mathematical_library(self, positions: list[int]) -> None:
        angles = rope_angles(torch.tensor(positions), 10, base=500.0)
        assert angles.dtype == torch.float32
        np.testing.assert_allclose(angles.numpy(), oracle_angles(positions, 10, 500.0), rtol=2**-23)

    def test_the_default_base_is_ten_thousand(self) -> None:
        assert torch.equal(rope_angles(torch.arange(5), 8), rope_angles(torch.arange(5), 8, base=10000.0))

    def test_refuses_an_odd_width(self) -> None:
        with pytest.raises(ValueError, match="odd"):
            rope_angles(torch.arange(3), 5)


class TestRotations:
    @pytest.mark.parametrize(("dtype", "rtol"), DTYPES, ids=lambda value: str(value).removeprefix("torch."))
    @ROTATIONS
    def test_agrees_with_complex_numbers(self, rotate: Any, dtype: torch.dtype, rtol: float) -> None:
        x, angles = normal(2, 3, 5, 8, dtype=dtype), rope_angles(torch.tensor([2047, 0, 7, 7, 1283]), 8)
        found = rotate(x, angles)
        assert found.dtype == dtype
        expected = oracle_rotation(x, angles, half=rotate is apply_rope_half)
        np.testing.assert_allclose(found.double().numpy(), expected, rtol=0, atol=rtol * float(x.abs().max()))

    @ROTATIONS
    def test_lengths_are_kept_and_rest_is_rest(self, rotate: Any) -> None:
        x = normal(3, 5, 6)
        turned = rotate(x, rope_angles(torch.tensor([5, 6, 7, 100, 2047]), 6))
        torch.testing.assert_close(turned.norm(dim=-1), x.norm(dim=-1))
        assert torch.equal(rotate(x, torch.zeros(5, 3)), x)

    @ROTATIONS
    def test_scores_depend_on_differences_of_positions_only(self, rotate: Any) -> None:
        q, k = normal(1, 6), normal(1, 6, seed=1)

        def score(m: int, n: int) -> float:
            at_m, at_n = (oracle_angles([p], 6, 100.0) for p in (m, n))
            return attention_scores(rotate(q, torch.tensor(at_m)), rotate(k, torch.tensor(at_n))).item()

        assert score(9, 4) == pytest.approx(score(5, 0), abs=1e-12)
        assert score(9, 4) == pytest.approx(score(2009, 2004), abs=1e-10)
        assert abs(score(9, 4) - score(4, 9)) > 1e-2
        assert abs(score(9, 4) - score(9, 5)) > 1e-2

    @ROTATIONS
    def test_the_gradient_of_x_is_turned_back_and_that_of_an_angle_is_as_stated(self, rotate: Any) -> None:
        x, angles = normal(2, 3, 4).requires_grad_(), normal(3, 2, seed=1).requires_grad_()
        y, g = rotate(x, angles), normal(2, 3, 4, seed=2)
        of_x, of_angles = torch.autograd.grad(y, (x, angles), g)
        torch.testing.assert_close(of_x, rotate(g, -angles))
        first, second = ([0, 1], [2, 3]) if rotate is apply_rope_half else ([0, 2], [1, 3])
        stated = (g[..., second] * y[..., first] - g[..., first] * y[..., second]).sum(0)
        torch.testing.assert_close(of_angles, stated)

    @ROTATIONS
    @pytest.mark.parametrize("width", [1, 2, 4, 6])
    def test_refuses_angles_of_another_width(self, rotate: Any, width: int) -> None:
        with pytest.raises(ValueError, match="needs 3 angles"):
            rotate(normal(2, 5, 6), torch.zeros(5, width))

    @ROTATIONS
    def test_takes_an_empty_batch_and_changes_no_argument(self, rotate: Any) -> None:
        assert rotate(normal(0, 2, 5, 6), torch.zeros(5, 3)).shape == (0, 2, 5, 6)
        x, angles = normal(5, 6), torch.ones(5, 3)
        kept = x.clone()
        rotate(x, angles)
        assert torch.equal(x, kept)
        assert torch.equal(angles, torch.ones(5, 3))


class TestInterleavedToHalf:
    def test_scores_stay_the_same_only_if_weights_and_code_change_together(self) -> None:
        x, angles = normal(5, 12), rope_angles(torch.tensor([3, 4, 5, 9, 17]), 8)
        w_q, w_k = normal(24, 12, seed=1), normal(24, 12, seed=2)

        def scores(w_q: Tensor, w_k: Tensor, rotate: Any) -> Tensor:
            q, k = (rotate((x @ w.T).reshape(5, 3, 8).transpose(0, 1), angles) for w in (w_q, w_k))
            return attention_scores(q, k)

        old = scores(w_q, w_k, apply_rope)
        new = (interleaved_to_half(w, 3) for w in (w_q, w_k))
        torch.testing.assert_close(scores(*new, apply_rope_half), old)
        assert (scores(w_q, w_k, apply_rope_half) - old).abs().max() > 0.1

    def test_rows_go_where_the_contract_says(self) -> None:
        weight = normal(20, 3)
        moved = interleaved_to_half(weight, 2)
        for h, i in itertools.product(range(2), range(5)):
            assert torch.equal(moved[10 * h + i], weight[10 * h + 2 * i])
            assert torch.equal(moved[10 * h + 5 + i], weight[10 * h + 2 * i + 1])

    @pytest.mark.parametrize(("n_heads", "message"), [(5, "cannot be divided"), (4, "odd")])
    def test_refuses_rows_that_do_not_fit(self, n_heads: int, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            interleaved_to_half(normal(12, 3), n_heads)


class TestAlibi:
    @pytest.mark.parametrize("n_heads", [1, 2, 4, 8, 16, 64])
    def test_powers_of_two_are_geometric(self, n_heads: int) -> None:
        expected = [2 ** (-8 * h / n_heads) for h in range(1, n_heads + 1)]
        np.testing.assert_allclose(alibi_slopes(n_heads).numpy(), expected, rtol=2**-23)

    @pytest.mark.parametrize("n_heads", [3, 6, 12, 20, 71])
    def test_other_numbers_fill_up_from_the_next_higher_power(self, n_heads: int) -> None:
        lower = max(2**e for e in range(10) if 2**e <= n_heads)
        expected = [*alibi_slopes(lower).tolist(), *alibi_slopes(2 * lower).tolist()[0::2]][:n_heads]
        assert alibi_slopes(n_heads).tolist() == expected
        assert alibi_slopes(2 * lower).tolist()[1::2] == alibi_slopes(lower).tolist()

    def test_six_heads_as_on_the_page(self) -> None:
        assert alibi_slopes(6).tolist() == [2**-2, 2**-4, 2**-6, 2**-8, 2**-1, 2**-3]

    @pytest.mark.parametrize("n_heads", [0, -3])
    def test_refuses_no_heads(self, n_heads: int) -> None:
        with pytest.raises(ValueError, match="at least 1"):
            alibi_slopes(n_heads)

    @pytest.mark.parametrize(("n_heads", "n_queries", "n_keys"), [(2, 2, 4), (6, 3, 7), (1, 1, 1), (3, 5, 5)])
    def test_bias_number_by_number(self, n_heads: int, n_queries: int, n_keys: int) -> None:
        bias = alibi_bias(n_heads, n_queries, n_keys)
        assert bias.dtype == torch.float32
        assert bias.shape == (n_heads, n_queries, n_keys)
        for h, i, j in itertools.product(range(n_heads), range(n_queries), range(n_keys)):
            distance = i + n_keys - n_queries - j
            assert bias[h, i, j] == (-alibi_slopes(n_heads)[h] * distance if distance >= 0 else -math.inf)

    def test_it_hides_what_the_causal_mask_hides(self) -> None:
        assert torch.equal(alibi_bias(2, 3, 7)[1].isfinite(), causal_mask(3, 7))

    def test_a_bias_by_keys_alone_gives_the_same_weights(self) -> None:
        scores, slopes = normal(3, 4, 7).float(), alibi_slopes(3)[:, None, None]
        keys_only = attention_weights(scores + slopes * torch.arange(7), causal_mask(4, 7))
        torch.testing.assert_close(attention_weights(scores + alibi_bias(3, 4, 7)), keys_only)

    def test_nothing_in_it_is_learned(self) -> None:
        with torch.enable_grad():
            assert not alibi_slopes(6).requires_grad
            assert not alibi_bias(6, 3, 5).requires_grad

    def test_refuses_more_queries_than_keys(self) -> None:
        with pytest.raises(ValueError, match="must not exceed"):
            alibi_bias(2, 4, 3)


def questions() -> list[dict[str, Any]]:
    """The quiz as plain data."""
    mistakes: list[Any] = []
    node = read_nodes(FOLDER / "quiz.yaml", mistakes)
    assert node is not None
    assert not mistakes
    found: list[dict[str, Any]] = plain(node)["questions"]
    return found


def filled(value: Any, drawn: dict[str, Any]) -> Any:
    """Arguments of a question with its parameters put in."""
    if isinstance(value, str) and value.startswith("$"):
        return drawn[value[1:]]
    if isinstance(value, list):
        return [filled(item, drawn) for item in value]
    if isinstance(value, dict) and "tensor" in value:
        return torch.tensor(filled(value["tensor"], drawn), dtype=getattr(torch, value["dtype"]))
    return {key: filled(item, drawn) for key, item in value.items()} if isinstance(value, dict) else value


def draws(params: dict[str, Any]) -> list[dict[str, Any]]:
    """Every combination of the parameters' values."""
    values = [p["choice"] if "choice" in p else range(p["low"], p["high"] + 1) for p in params.values()]
    return [dict(zip(params, combination, strict=True)) for combination in itertools.product(*values)]


class TestQuiz:
    def test_there_are_enough_questions_of_every_kind(self) -> None:
        kinds = [question["kind"] for question in questions()]
        assert len(kinds) == len({question["id"] for question in questions()}) == 26
        assert {"numeric", "shape", "code", "choice", "multi", "order", "explain", "short"} == set(kinds)
        computed = [q for q in questions() if "params" in q and isinstance(q["answer"], dict)]
        assert 2 * len(computed) >= len(kinds)

    @pytest.mark.parametrize(
        "question", [q for q in questions() if isinstance(q["answer"], dict)], ids=lambda q: q["id"]
    )
    def test_drawn_answers_stand_clear_of_the_named_mistakes(self, question: dict[str, Any]) -> None:
        module, _, name = question["answer"]["ref"].partition(":")
        function = getattr(importlib.import_module(module), name)
        for drawn in draws(question.get("params", {})):
            args = filled(question["answer"]["args"], drawn)
            answer = function(**args)
            if question["kind"] == "shape":
                continue
            place = tuple(filled(question["answer"]["at"], drawn))
            known = [answer[place].item()]
            for slip in question["also"]:
                wrong = slip["value"]["wrong"].removeprefix(f"positions.{name}.")
                known.append(catalogue.exercises[name].variant({wrong})(**args)[place].item())
            assert all(map(math.isfinite, known))
            apart = 2 * question.get("atol", 0.25)
            assert all(abs(other - known[0]) > apart for other in known[1:]), (drawn, known)

    @pytest.mark.parametrize("question", [q for q in questions() if q["kind"] == "code"], ids=lambda q: q["id"])
    def test_snippets_run_and_print_the_answer(self, question: dict[str, Any]) -> None:
        snippet = re.search(r"```python\n(.*?)```", question["prompt"], re.DOTALL)
        assert snippet is not None
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(snippet[1], question["id"], "exec"), {})  # noqa: S102  # the quiz is ours
        assert printed.getvalue().strip() in ("", question["answer"])

    @pytest.mark.parametrize("question", [q for q in questions() if "options" in q], ids=lambda q: q["id"])
    def test_right_options_are_the_answer(self, question: dict[str, Any]) -> None:
        right = [option["id"] for option in question["options"] if option.get("right")]
        answer = question["answer"]
        assert right == (answer if isinstance(answer, list) else [answer])
        assert all(option["feedback"] for option in question["options"])
