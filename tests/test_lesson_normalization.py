"""The lesson on normalization: its page prints and states what is so, its reference agrees with other authorities."""

import math
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from lesson_page import run
from torch import Tensor

from grader.course.yaml12 import plain, read_nodes
from grader.misconceptions.normalization import catalogue
from grader.places import lessons_folder
from reference import normalization as reference
from reference.normalization import layer_norm, rms_norm, standardize

FOLDER = lessons_folder() / "normalization"
PAGE = (FOLDER / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
FENCED = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)

ROW = [1.0, 2.0, 3.0, 6.0]
CALL_BYTES = 8 * 2048 * 4096 * 2 * 2
STATED = (
    f"Its mean is {sum(ROW) / 4:.0f}, the deviations are $(-2, -1, 0, 3)$",
    f"their squares add up to {sum((x - 3) ** 2 for x in ROW):.0f}, so the variance",
    f"$14 / 4 = {14 / 4}$ and the deviations are divided by $\\sqrt{{3.5}} \\approx {math.sqrt(3.5):.3f}$",
    f"$1 + 4 + 9 + 36 = {sum(x * x for x in ROW):.0f}$, mean ${50 / 4}$, root $\\approx {math.sqrt(12.5):.3f}$",
    f"25 LayerNorms of width 768: {(2 * 12 + 1) * 2 * 768:,} numbers, {100 * 38400 / 124_439_808:.2f} % of its",
    f"65 RMSNorms of width 4096: {(2 * 32 + 1) * 4096:,} numbers",
    f"{100 * (1 - math.sqrt(3 / 4)):.1f} % at $D = 4$, {100 * (1 - math.sqrt(767 / 768)):.3f} % at $D = 768$",
    f"{1 / math.sqrt(1 + 1e-5):.6f} at $s = 1$, {1e-2 / math.sqrt(1e-4 + 1e-5):.3f} at $s = 0.01$",
    f"at $s = 0.01$ and {1e-3 / math.sqrt(1e-6 + 1e-5):.3f} at $s = 0.001$",
    f"float16 ends at {torch.finfo(torch.float16).max:,.0f} and $300^2 = 90{{,}}000$",
    f"near 10 its numbers are $1/{1 / (8 * torch.finfo(torch.bfloat16).eps):.0f}$ apart",
    f"near $10^8$, whose neighbours are {float(np.spacing(np.float32(1e8))):.0f} apart",
    f"${8 * 2048 * 4096:,}".replace(",", "{,}") + f" \\times 2 \\times 2$ bytes $\\approx {CALL_BYTES / 1e6:.0f}$ MB",
    f"about ${torch.finfo(torch.float32).eps * 1e7:.1f} \\cdot 10^{{-7}}$",
    f"$2^{{24/2}} = {2**12}$. Behind a norm it adds 1 each time: $\\sqrt{{1 + 24}} = {math.sqrt(25):.0f}$",
    f"{100 * (1 - math.sqrt(3 / 4)):.1f} % at width 4 and {100 * (1 - math.sqrt(4095 / 4096)):.3f} % at width 4096",
    f"the first divides by {1e-5:.5f}, the second by {math.sqrt(1e-5):.5f}",
    f"the two factors there are {1e-3 / math.sqrt(1e-6 + 1e-5):.3f} and {1e-3 / math.sqrt(2e-6):.3f}",
)
"""What the page states, with the numbers computed here."""

DTYPES = [(torch.float64, 1e-12), (torch.float32, 2e-6), (torch.bfloat16, 2**-7), (torch.float16, 2**-10)]
IN_EACH_DTYPE = pytest.mark.parametrize(("dtype", "rtol"), DTYPES, ids=["float64", "float32", "bfloat16", "float16"])
ANY_LEADING = pytest.mark.parametrize("leading", [(), (3,), (2, 1), (2, 3), (2, 3, 4), (0, 3)], ids=str)


def normal(*shape: int, dtype: torch.dtype = torch.float64, scale: float = 1.0, shift: float = 0.0) -> Tensor:
    """Reproducible normal numbers, rounded to the dtype; another seed for another shape."""
    generator = torch.Generator().manual_seed(sum(shape))
    return (torch.randn(shape, generator=generator, dtype=torch.float64) * scale + shift).to(dtype)


def oracle(x: Tensor, eps: float, centre: bool) -> Tensor:
    """The normalized rows in Python's float64, row by row, with sums that keep every digit."""
    done = []
    for row in x.double().reshape(-1, x.shape[-1]).tolist():
        mean = math.fsum(row) / len(row) if centre else 0.0
        root = math.sqrt(math.fsum((value - mean) ** 2 for value in row) / len(row) + eps)
        done.append([(value - mean) / root for value in row])
    return torch.tensor(done, dtype=torch.float64).reshape(x.shape)


def close(found: Tensor, expected: Tensor, dtype: torch.dtype, rtol: float) -> None:
    """Same dtype and shape, and equal to within `rtol` of the largest value."""
    assert found.dtype == dtype
    scale = float(expected.abs().max()) if expected.numel() else 1.0
    torch.testing.assert_close(found.double(), expected, rtol=0, atol=rtol * scale)


def jacobian(function: Callable[[Tensor], Tensor], row: Tensor) -> Tensor:
    """`(D, D)`, by autograd."""
    found: Tensor = torch.autograd.functional.jacobian(function, row)  # type: ignore[no-untyped-call]
    return found


def expected_lines(block: str) -> list[str]:
    """What a block says it prints: after `# prints` on the line, or on the comment lines below it."""
    after = re.findall(r"  # prints (.+)$", block, re.MULTILINE)
    below = re.search(r"^# prints\n((?:# .+\n)+)", block, re.MULTILINE)
    return after + [line.removeprefix("# ") for line in (below[1].splitlines() if below else [])]


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self) -> None:
        names: dict[str, Any] = {}
        blocks = FENCED.findall(PAGE)
        assert len(blocks) == 8
        for block in blocks:
            printed = run(block, names)
            if said := expected_lines(block):
                assert printed == said

    @pytest.mark.parametrize("sentence", STATED)
    def test_the_numbers_in_the_prose_are_computed(self, sentence: str) -> None:
        assert sentence in PROSE

    def test_the_page_does_not_print_an_answer(self) -> None:
        for name in ("layer_norm", "rms_norm", "standardize"):
            assert f"def {name}" not in PAGE

    def test_the_stream_doubles_its_variance_or_gains_one_at_a_time(self) -> None:
        names: dict[str, Any] = {"torch": torch, "F": F}
        run(next(block for block in FENCED.findall(PAGE) if "def stream_rms" in block), names)
        sizes = {order: [names["stream_rms"](order, 24, seed=seed) for seed in range(8)] for order in ("none", "pre")}
        assert np.mean(np.square(sizes["none"])) == pytest.approx(2**24, rel=0.3)
        assert np.mean(np.square(sizes["pre"])) == pytest.approx(25, rel=0.1)

    def test_sixteen_bits_end_where_the_page_says(self) -> None:
        assert torch.tensor(255.0, dtype=torch.float16).square().isfinite()
        assert torch.tensor(256.0, dtype=torch.float16).square().isinf()
        total = torch.tensor(256.0, dtype=torch.bfloat16)
        assert total + 1 == total
        assert total - 1 != total


class TestLaws:
    def test_layer_norm_of_scaled_and_shifted_activations_is_the_same(self) -> None:
        x, gamma, beta = normal(3, 5, 24, scale=2), normal(24), normal(24)
        for factor, offset in ((0.5, 0.0), (5.0, 0.0), (100.0, 0.0), (7.0, 3.0)):
            scaled = layer_norm(factor * x + offset, gamma, beta)
            torch.testing.assert_close(scaled, layer_norm(x, gamma, beta), rtol=0, atol=1e-4)
        torch.testing.assert_close(standardize(-x), -standardize(x))

    @pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
    def test_standardize_of_five_times_the_input(self, dtype: torch.dtype) -> None:
        x = normal(8, 32, scale=1.5, shift=2, dtype=dtype)
        x = x[x.var(-1, correction=0) >= 1]
        assert len(x) > 4
        torch.testing.assert_close(standardize(5 * x), standardize(x), rtol=0, atol=1e-4)

    def test_rms_norm_equals_the_module_at_width_512(self) -> None:
        module = torch.nn.RMSNorm(512)
        torch.nn.init.normal_(module.weight, generator=torch.Generator().manual_seed(0))
        x = normal(2, 16, 512, dtype=torch.float32)
        assert module(x).shape == x.shape
        eps = torch.finfo(torch.float32).eps
        torch.testing.assert_close(rms_norm(x, module.weight, eps), module(x))
        torch.testing.assert_close(rms_norm(x, module.weight), module(x), rtol=1e-5, atol=1e-5)

    def test_limiting_cases(self) -> None:
        beta = normal(4)
        assert torch.equal(layer_norm(torch.full((2, 4), 8.0, dtype=torch.float64), normal(4), beta), beta.expand(2, 4))
        assert not rms_norm(torch.zeros(2, 4), torch.ones(4)).any()
        assert torch.equal(layer_norm(normal(5, 1), normal(1), beta[:1]), beta[:1].expand(5, 1))
        torch.testing.assert_close(standardize(torch.tensor([3.0, 40.0])), torch.tensor([-1.0, 1.0]))
        for width in (2, 5, 10, 17):
            spike = 50 * torch.eye(width, dtype=torch.float64)[0]
            assert float(standardize(spike)[0]) == pytest.approx(math.sqrt(width - 1), rel=1e-6)
            weight = torch.ones(width, dtype=torch.float64)
            assert float(rms_norm(spike, weight)[0]) == pytest.approx(math.sqrt(width), rel=1e-6)

    def test_jacobians_are_those_of_the_page(self) -> None:
        row, width, eps = normal(6, scale=0.1, shift=1), 6, 1e-3
        identity, ones = torch.eye(width, dtype=torch.float64), torch.ones(width, dtype=torch.float64)
        hat, sigma = standardize(row, eps), torch.sqrt(row.var(correction=0) + eps)
        J = jacobian(lambda x: standardize(x, eps), row)
        torch.testing.assert_close(
            J, (identity - torch.outer(ones, ones) / width - torch.outer(hat, hat) / width) / sigma
        )
        torch.testing.assert_close(J @ hat, hat * eps / sigma**3)
        torch.testing.assert_close(J @ ones, torch.zeros(width, dtype=torch.float64))
        g = normal(6, scale=3)
        torch.testing.assert_close(g @ J, (g - g.mean() - hat * (g * hat).mean()) / sigma)
        hat, root = rms_norm(row, ones, eps), torch.sqrt(row.square().mean() + eps)
        of_rms = jacobian(lambda x: rms_norm(x, ones, eps), row)
        torch.testing.assert_close(of_rms, (identity - torch.outer(hat, hat) / width) / root)

    def test_a_gain_folds_into_the_next_linear_layer(self) -> None:
        x, gamma, beta, W = normal(3, 6), normal(6), normal(6, scale=2), normal(4, 6)
        folded = standardize(x) @ (W @ gamma.diag()).T + W @ beta
        torch.testing.assert_close(folded, layer_norm(x, gamma, beta) @ W.T)


class TestReference:
    @ANY_LEADING
    @IN_EACH_DTYPE
    def test_agrees_with_row_by_row_arithmetic(self, dtype: torch.dtype, rtol: float, leading: tuple[int, ...]) -> None:
        x = normal(*leading, 7, scale=2, shift=1, dtype=dtype)
        gamma, beta = normal(7, dtype=dtype), normal(7, scale=3, dtype=dtype)
        for eps in (0.1, 1e-5):
            hat = oracle(x, eps, centre=True)
            close(standardize(x, eps), hat, dtype, rtol)
            close(layer_norm(x, gamma, beta, eps), hat * gamma.double() + beta.double(), dtype, rtol)
            close(rms_norm(x, gamma, eps), oracle(x, eps, centre=False) * gamma.double(), dtype, rtol)

    def test_defaults_of_eps(self) -> None:
        x, gamma, beta = normal(3, 7, scale=1e-3), normal(7), normal(7)
        torch.testing.assert_close(layer_norm(x, gamma, beta), F.layer_norm(x, (7,), gamma, beta, 1e-5))
        torch.testing.assert_close(standardize(x), F.layer_norm(x, (7,), eps=1e-5))
        torch.testing.assert_close(rms_norm(x, gamma), F.rms_norm(x, (7,), gamma, 1e-6))

    @pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
    def test_sixteen_bit_rows_up_to_ten_thousand(self, dtype: torch.dtype) -> None:
        x, ones = normal(4, 512, dtype=dtype).tanh() * 1e4, torch.ones(512, dtype=dtype)
        close(standardize(x), oracle(x, 1e-5, centre=True), dtype, 2**-7)
        close(rms_norm(x, ones), oracle(x, 1e-6, centre=False), dtype, 2**-7)
        offset = normal(4, 512, dtype=dtype).tanh() * 2e3 + 8e3
        close(layer_norm(offset, ones, 0 * ones), oracle(offset, 1e-5, centre=True), dtype, 2**-7)

    @pytest.mark.parametrize(("dtype", "rtol"), [(torch.float64, 1e-11), (torch.float32, 2e-3)])
    def test_rows_with_a_mean_ten_thousand_times_their_spread(self, dtype: torch.dtype, rtol: float) -> None:
        x = normal(4, 256, shift=1e4, dtype=dtype)
        close(standardize(x), oracle(x, 1e-5, centre=True), dtype, rtol)
        steps = torch.full((512,), 8192.0, dtype=torch.float16)
        steps[[3, 70, 200]] += 8
        close(standardize(steps), oracle(steps, 1e-5, centre=True), torch.float16, 2**-10)

    def test_gradients_agree_with_torch(self) -> None:
        x, gamma, beta = (t.requires_grad_() for t in (normal(2, 3, 5, shift=1), normal(5), normal(5, scale=2)))
        weights = normal(2, 3, 5, scale=2)
        for mine, theirs, wrt in (
            (layer_norm(x, gamma, beta, 0.1), F.layer_norm(x, (5,), gamma, beta, 0.1), (x, gamma, beta)),
            (rms_norm(x, gamma, 0.1), F.rms_norm(x, (5,), gamma, 0.1), (x, gamma)),
            (standardize(x, 0.1), F.layer_norm(x, (5,), eps=0.1), (x,)),
        ):
            found, expected = (torch.autograd.grad((y * weights).sum(), wrt) for y in (mine, theirs))
            torch.testing.assert_close(found, expected)
        assert torch.autograd.gradcheck(lambda a, b, c: layer_norm(a, b, c), (x, gamma, beta))
        assert torch.autograd.gradcheck(lambda a, b: rms_norm(a, b), (x, gamma))

    @pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
    def test_gradients_of_rows_without_spread_are_finite(self, dtype: torch.dtype) -> None:
        x = torch.zeros(2, 4, dtype=dtype, requires_grad=True)
        torch.autograd.backward((standardize(x) + rms_norm(x, torch.ones(4, dtype=dtype))).sum())
        assert x.grad is not None
        assert x.grad.isfinite().all()

    @IN_EACH_DTYPE
    def test_arguments_stay_as_they_were(self, dtype: torch.dtype, rtol: float) -> None:
        x, gamma, beta = normal(2, 5, shift=1, dtype=dtype), normal(5, dtype=dtype), normal(5, scale=2, dtype=dtype)
        before = [argument.clone() for argument in (x, gamma, beta)]
        layer_norm(x, gamma, beta)
        rms_norm(x, gamma)
        standardize(x)
        assert all(map(torch.equal, (x, gamma, beta), before))


QUIZ = read_nodes(FOLDER / "quiz.yaml", [])
QUESTIONS = plain(QUIZ)["questions"] if QUIZ else []
DRAWN = [question for question in QUESTIONS if isinstance(question["answer"], dict)]


def named(questions: list[Any]) -> pytest.MarkDecorator:
    """Parametrize over questions, each under its id."""
    return pytest.mark.parametrize("question", questions, ids=lambda question: question["id"])


def filled(value: Any, drawn: dict[str, Any]) -> Any:
    """Arguments of an answer with the drawn parameters in their places."""
    if isinstance(value, str):
        return drawn[value.removeprefix("$")]
    if isinstance(value, list):
        return [filled(item, drawn) for item in value]
    if isinstance(value, dict):
        return torch.tensor(filled(value["tensor"], drawn), dtype=getattr(torch, value["dtype"]))
    return value


class TestQuiz:
    def test_at_least_half_are_computed_by_the_reference(self) -> None:
        assert len(DRAWN) * 2 >= len(QUESTIONS) >= 10
        assert {"choice", "multi", "numeric", "shape", "order", "code", "explain"} == {q["kind"] for q in QUESTIONS}

    @named(DRAWN)
    def test_known_slips_lie_apart_from_the_answer_and_from_each_other(self, question: Any) -> None:
        answer, slips = question["answer"], [slip["value"]["wrong"] for slip in question["also"]]
        name = answer["ref"].removeprefix("reference.normalization:")
        functions = [getattr(reference, name), *(catalogue.exercises[name].variant([s.split(".")[2]]) for s in slips)]
        for seed in range(200):
            source = random.Random(seed)
            drawn = {
                key: source.choice(how["choice"]) if "choice" in how else source.randint(how["low"], how["high"])
                for key, how in question["params"].items()
            }
            arguments = {key: filled(value, drawn) for key, value in answer["args"].items()}
            values = [function(**arguments)[tuple(answer["at"])].item() for function in functions]
            assert all(map(math.isfinite, values))
            gaps = [abs(a - b) for i, a in enumerate(values) for b in values[:i]]
            assert min(gaps) > 2 * question["atol"], drawn

    @named(
        [
            question
            for question in QUESTIONS
            if question["kind"] == "code" and "which line" not in question["prompt"].lower()
        ]
    )
    def test_snippets_print_the_answer(self, question: Any) -> None:
        assert run(FENCED.findall(question["prompt"])[0], {}) == [question["answer"]]

    @named([question for question in QUESTIONS if question["kind"] in ("choice", "multi")])
    def test_right_options_are_the_answer_and_all_have_feedback(self, question: Any) -> None:
        right = [option["id"] for option in question["options"] if option.get("right")]
        assert right == (question["answer"] if question["kind"] == "multi" else [question["answer"]])
        assert all(option["feedback"] for option in question["options"])
