"""The lesson on training: its page prints and states what is so, its reference agrees with other authorities."""

import math
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from lesson_page import run, said_to_print
from torch import Tensor, nn

from grader.course.yaml12 import plain, read_nodes
from grader.judge.source import parse_submission
from grader.misconceptions.training import catalogue
from grader.places import lessons_folder
from reference import training as reference
from reference.training import accumulate_loss, adamw_step, clip_gradients, cosine_lr, sequence_loss

FOLDER = lessons_folder() / "training"
PAGE = (FOLDER / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
FENCED = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)
BLOCKS = FENCED.findall(PAGE)
LESSON_NODES = read_nodes(FOLDER / "lesson.yaml", [])
LESSON = plain(LESSON_NODES) if LESSON_NODES else {}
Tensors = dict[str, Tensor]

GPT2_SMALL = 124_439_808
SHAPES: dict[str, tuple[int, ...]] = {"w": (3, 4), "gain": (4,), "kernel": (2, 1, 3), "w2": (3, 4), "dot": ()}


def drawn(seed: int, scale: float = 1.0, dtype: torch.dtype = torch.float64) -> Tensors:
    """Tensors of all kinds of shapes."""
    generator = torch.Generator().manual_seed(seed)
    return {k: (scale * torch.randn(s, generator=generator, dtype=torch.float64)).to(dtype) for k, s in SHAPES.items()}


def no_state() -> dict[str, Any]:
    """What a training starts with."""
    return {}


def ratio_bound(one: float, two: float, t: int = 20_000) -> float:
    """The largest corrected mean over the root of the corrected mean of squares that any gradients can give."""
    ages = np.arange(t)
    a = (1 - one) * one**ages / (1 - one**t)
    b = (1 - two) * two**ages / (1 - two**t)
    seen = b > 1e-250
    return float(np.sqrt((a[seen] ** 2 / b[seen]).sum()))


def without_correction(t: int, one: float, two: float) -> float:
    """The step of a constant gradient at step t, in rates, if nothing is corrected."""
    return (1 - one**t) / math.sqrt(1 - two**t)


def row(one: float, two: float) -> str:
    """A row of the page's table of steps without bias correction."""
    cells = (f"{without_correction(t, one, two):.2f}" for t in (1, 2, 5, 10, 20, 50, 100, 1000))
    return f"| betas {one}, {two} | {' | '.join(cells)} |"


BELOW, ABOVE = (
    abs(1 - float(torch.nextafter(torch.tensor(1.0).bfloat16(), torch.tensor(x).bfloat16()))) for x in (0, 2)
)
STATED = (
    f"GPT-2 small, {GPT2_SMALL:,} parameters",
    f"| weights | 4 | {4 * GPT2_SMALL / 1e9:.2f} GB |",
    f"| first and second moment | 8 | {8 * GPT2_SMALL / 1e9:.2f} GB |",
    f"| together | 16 | {16 * GPT2_SMALL / 1e9:.2f} GB |",
    f"3 and 4, the norm is {math.hypot(3, 4):.0f}. Clipped at 2.5 they become {3 * 2.5 / 5} and {4 * 2.5 / 5:.0f}",
    f"turned from {math.degrees(math.atan2(4, 3)):.1f} to {math.degrees(math.atan2(2.5, 2.5)):.0f} degrees",
    f"betas of 0.9 and 0.95 that is {ratio_bound(0.9, 0.95):.2f}",
    f"With 0.9 and 0.999 it is {ratio_bound(0.9, 0.999):.2f}",
    row(0.9, 0.95),
    row(0.9, 0.999),
    f"acts like ${1 / math.sqrt(1 - 0.95):.2f}\\,\\epsilon$ at step 1",
    f"would act like $10^{{{math.log10(math.sqrt(1e-8)):.0f}}}$",
    f"steps: {math.log(2) / (3e-4 * 0.1):,.0f} for",
    f"the mean is {(4 + 3 * 2) / 4}, the mean of means {(4 + 2) / 2}",
    f"neighbours are {ABOVE:.4f} apart above and {BELOW:.4f} below",
    f"At 8,192 tokens a step that is {6 * 8192:,} against 15",
)
"""What the page states, with the numbers computed here."""


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """The names that the page defines, after every block ran in order and printed what it says."""
    names: dict[str, Any] = {}
    for block in BLOCKS:
        printed = run(block, names)
        if said := said_to_print(block):
            assert [line for line in printed if line in said] == said, printed
    return names


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self, page: dict[str, Any]) -> None:
        assert len(BLOCKS) == 6
        assert sum(len(said_to_print(block)) for block in BLOCKS) == 9
        assert "check_step" in page

    @pytest.mark.parametrize("sentence", STATED)
    def test_the_numbers_in_the_prose_are_computed(self, sentence: str) -> None:
        assert sentence in PROSE

    def test_the_page_does_not_print_an_answer(self) -> None:
        for exercise in LESSON["exercises"]:
            assert f"def {exercise['name']}" not in PAGE

    def test_the_reference_satisfies_the_checks_of_the_page(self, page: dict[str, Any]) -> None:
        page["check_step"](adamw_step)

    @pytest.mark.parametrize(
        "name", ["no-correction", "eps-inside-the-root", "everything-decays", "state-changed", "moments-changed",
                 "moments-shared-by-shape", "changes-parameters", "decay-in-the-gradient", "betas-of-torch"]
    )  # fmt: skip
    def test_the_checks_of_the_page_notice_mistakes(self, page: dict[str, Any], name: str) -> None:
        with pytest.raises(AssertionError):
            page["check_step"](catalogue.exercises["adamw_step"].variant([name]))

    def test_the_loss_of_a_model_with_small_logits_is_that_of_a_guess(self) -> None:
        logits, tokens = 0.01 * torch.randn(4, 9, 50), torch.randint(0, 50, (4, 9))
        assert float(sequence_loss(logits, tokens)) == pytest.approx(math.log(50), abs=0.01)

    def test_the_outlier_stays_in_the_second_moment_as_the_page_says(self, page: dict[str, Any]) -> None:
        assert "with $\\beta_2 = 0.95$ they stay below half their size for 100 steps, with 0.999 for 1,353" in PROSE
        assert "moves a weight by 2.12 rates at once" in PROSE
        for betas, below, largest in (((0.9, 0.95), 100, 1.0), ((0.9, 0.999), 1353, 2.12)):
            weight, state, sizes = {"b": torch.zeros(1, dtype=torch.float64)}, no_state(), []
            for t in range(2000):
                g = {"b": torch.tensor([100.0 if t == 500 else 1.0], dtype=torch.float64)}
                after, state = adamw_step(weight, g, state, 1.0, betas=betas)
                sizes.append(float((after["b"] - weight["b"]).abs()))
                weight = after
            assert sum(size < 0.5 for size in sizes[500:]) == below
            assert max(sizes) == pytest.approx(largest, abs=0.01)

    def test_the_bound_on_the_ratio_is_reached(self) -> None:
        for one, two in ((0.9, 0.95), (0.9, 0.999)):
            n = 400 if two < 0.99 else 6000
            ages = np.arange(n)[::-1]
            gradients = (1 - one) * one**ages / ((1 - two) * two**ages)  # where Cauchy and Schwarz meet
            mean = sum((1 - one) * one ** int(a) * g for a, g in zip(ages, gradients, strict=True)) / (1 - one**n)
            square = sum((1 - two) * two ** int(a) * g * g for a, g in zip(ages, gradients, strict=True)) / (1 - two**n)
            assert mean / math.sqrt(square) == pytest.approx(ratio_bound(one, two), rel=1e-2)

    def test_float16_squares_leave_the_range(self) -> None:
        assert "In float16 a gradient of $10^{-4}$ has a square of 0, one of 300 a square of infinity" in PROSE
        assert torch.tensor([1e-4, 300.0], dtype=torch.float16).square().tolist() == [0.0, math.inf]

    def test_a_running_bfloat16_total_stops_growing(self) -> None:
        assert "adding 1 again and again in bfloat16 ends at 256, since 257 is rounded to 256" in PROSE
        assert "`torch.sum` adds up in float32 inside; Python's `sum` and `+` do not" in PROSE
        ones = torch.ones(1000, dtype=torch.bfloat16)
        assert float(sum(ones)) == 256
        assert float(ones.sum()) == float(accumulate_loss(list(ones), [1] * 1000)) * 1000 == 1000

    def test_a_constant_factor_on_all_gradients_changes_nothing_but_for_eps(self) -> None:
        paths = []
        for factor in (1.0, 1000.0):
            now, state = drawn(0), no_state()
            for t in range(20):
                now, state = adamw_step(now, drawn(t + 1, factor), state, 0.1, eps=0.0)
            paths.append(now)
        for name in SHAPES:
            torch.testing.assert_close(paths[0][name], paths[1][name], rtol=1e-9, atol=1e-12)

    def test_forbidden_names_catch_torchs_own(self) -> None:
        forbidden = {exercise["name"]: exercise["forbidden"] for exercise in LESSON["exercises"]}
        sources = {
            "clip_gradients": ("torch.nn.utils.clip_grad_norm_(g, m)", "torch.nn.utils.get_total_norm(g.values())"),
            "adamw_step": ("torch.optim.AdamW(g)", "torch.optim.adamw.adamw(g)", "torch._fused_adamw_(g)"),
        }
        for name, calls in sources.items():
            for call in (*calls, "torch.linalg.vector_norm(g['w'])"):
                text = f"import torch\n\n\ndef {name}(g, m):\n    return {call}\n"
                found = parse_submission({"training": text}).forbidden_use("training", name, forbidden[name])
                assert bool(found) == (call in calls)


class TestSequenceLoss:
    def test_agrees_with_torchs_cross_entropy_in_value_and_gradient(self) -> None:
        generator = torch.Generator().manual_seed(0)
        for batch, seq, vocab in ((3, 7, 11), (1, 2, 5), (4, 2, 3), (2, 9, 40)):
            logits = 3 * torch.randn(batch, seq, vocab, generator=generator, dtype=torch.float64)
            tokens = torch.randint(0, vocab, (batch, seq), generator=generator)
            mine, theirs = (logits.clone().requires_grad_() for _ in range(2))
            found = sequence_loss(mine, tokens)
            expected = F.cross_entropy(theirs[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
            torch.testing.assert_close(found, expected)
            (slope,) = torch.autograd.grad(found, mine)
            torch.testing.assert_close(slope, torch.autograd.grad(expected, theirs)[0])
            assert (slope[:, -1] == 0).all()
            one_hot = F.one_hot(tokens[:, 1:], vocab)
            torch.testing.assert_close(slope[:, :-1], (logits.softmax(-1)[:, :-1] - one_hot) / (batch * (seq - 1)))

    def test_refuses_what_has_no_target(self) -> None:
        for batch, seq in ((3, 1), (0, 4), (0, 1)):
            with pytest.raises(ValueError, match=r"at least 2 tokens|no target counts"):
                sequence_loss(torch.zeros(batch, seq, 5), torch.zeros(batch, seq, dtype=torch.int64))

    def test_keeps_the_dtype(self) -> None:
        for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
            assert sequence_loss(torch.zeros(2, 3, 5, dtype=dtype), torch.zeros(2, 3, dtype=torch.int64)).dtype == dtype


class TestClipGradients:
    @pytest.mark.parametrize("max_norm", [0.3, 2.0, 50.0])
    def test_agrees_with_torchs_clipping(self, max_norm: float) -> None:
        gradients = drawn(1)
        parameters = [nn.Parameter(torch.zeros_like(g)) for g in gradients.values()]
        for parameter, g in zip(parameters, gradients.values(), strict=True):
            parameter.grad = g.clone()
        total = nn.utils.clip_grad_norm_(parameters, max_norm)
        clipped, norm = clip_gradients(gradients, max_norm)
        torch.testing.assert_close(norm, total)
        for parameter, g in zip(parameters, clipped.values(), strict=True):
            torch.testing.assert_close(g, parameter.grad, rtol=1e-5, atol=0)
        assert list(clipped) == list(gradients)

    def test_the_norm_afterwards_is_the_limit_or_what_it_was(self) -> None:
        for max_norm in (0.5, 1.0, 100.0):
            clipped, norm = clip_gradients(drawn(2), max_norm)
            after = torch.cat([g.flatten() for g in clipped.values()]).norm()
            assert float(after) == pytest.approx(min(max_norm, float(norm)))

    def test_zero_stays_zero_and_nothing_is_changed(self) -> None:
        zeros = {name: torch.zeros(size) for name, size in SHAPES.items()}
        clipped, norm = clip_gradients(zeros, 1.0)
        assert float(norm) == 0
        assert all((g == 0).all() for g in clipped.values())
        given = drawn(3)
        clip_gradients(given, 0.1)
        assert all(torch.equal(g, drawn(3)[name]) for name, g in given.items())

    def test_keeps_16_bits_and_squares_in_32(self) -> None:
        for dtype in (torch.bfloat16, torch.float16):
            clipped, norm = clip_gradients({"w": torch.full((3, 4), 300.0, dtype=dtype)}, 1.0)
            assert norm.dtype == clipped["w"].dtype == dtype
            assert float(norm) == pytest.approx(300 * math.sqrt(12), rel=0.01)


def torch_optimizer(parameters: Tensors, **options: Any) -> tuple[dict[str, nn.Parameter], torch.optim.Optimizer]:
    """AdamW of torch over copies, decaying what has two axes or more."""
    copies = {name: nn.Parameter(p.clone()) for name, p in parameters.items()}
    decay = options.pop("weight_decay", 0.1)
    groups = [{"params": [p], "weight_decay": decay if p.dim() >= 2 else 0.0} for p in copies.values()]
    return copies, torch.optim.AdamW(groups, **({"betas": (0.9, 0.95)} | options))


class TestAdamwStep:
    @pytest.mark.parametrize(
        "options",
        [{}, {"betas": (0.7, 0.999), "eps": 0.1, "weight_decay": 0.5}, {"eps": 1e-3, "weight_decay": 0.0}],
        ids=["defaults", "loud", "no-decay"],
    )
    def test_agrees_with_torch_over_many_steps(self, options: dict[str, Any]) -> None:
        now, state = drawn(0), no_state()
        theirs, optimizer = torch_optimizer(now, lr=0.1, **options)
        for t in range(200):
            lr = 0.1 / (1 + t % 7)
            for group in optimizer.param_groups:
                group["lr"] = lr
            gradients = drawn(t + 1, 10.0 ** -(t % 9)) if t % 5 else {k: torch.zeros_like(p) for k, p in now.items()}
            for name, p in theirs.items():
                p.grad = gradients[name].clone()
            optimizer.step()
            now, state = adamw_step(now, gradients, state, lr, **options)
            for name in SHAPES:
                torch.testing.assert_close(now[name], theirs[name].detach(), rtol=1e-12, atol=1e-13)

    def test_agrees_with_an_oracle_that_remembers_every_gradient(self) -> None:
        now, state, seen = drawn(0), no_state(), []
        start = {name: p.numpy().copy() for name, p in now.items()}
        for t in range(9):
            seen.append(drawn(t + 1))
            now, state = adamw_step(now, seen[-1], state, 0.2, betas=(0.6, 0.8), eps=0.05, weight_decay=0.3)
        for name, p in start.items():
            for n in range(1, 10):
                mean, square = (
                    sum(beta ** (n - 1 - i) * seen[i][name].numpy() ** power for i in range(n))
                    / sum(beta ** (n - 1 - i) for i in range(n))
                    for beta, power in ((0.6, 1), (0.8, 2))
                )
                p = p - 0.2 * (0.3 * p * (p.ndim >= 2) + mean / (np.sqrt(square) + 0.05))
            np.testing.assert_allclose(now[name].numpy(), p, rtol=1e-12, atol=1e-13)

    def test_a_step_can_be_repeated_and_changes_nothing(self) -> None:
        now, state = adamw_step(drawn(0), drawn(1), {}, 0.1)
        first, _ = adamw_step(now, drawn(2), state, 0.1)
        again, _ = adamw_step(now, drawn(2), state, 0.1)
        given, gradients, empty = drawn(0), drawn(1), no_state()
        adamw_step(given, gradients, empty, 0.1)
        assert empty == {}
        for name in SHAPES:
            assert torch.equal(first[name], again[name])
            assert torch.equal(given[name], drawn(0)[name])
            assert torch.equal(gradients[name], drawn(1)[name])

    def test_16_bit_parameters_stay_near_the_float64_ones(self) -> None:
        for dtype in (torch.bfloat16, torch.float16):
            runs = []
            for working in (dtype, torch.float64):
                now, state = {k: p.to(working) for k, p in drawn(0, dtype=dtype).items()}, no_state()
                for t in range(3):
                    gradients = {k: g.to(working) for k, g in drawn(t + 1, dtype=dtype).items()}
                    now, state = adamw_step(now, gradients, state, 0.1)
                runs.append(now)
            for name in SHAPES:
                assert runs[0][name].dtype == dtype
                torch.testing.assert_close(runs[0][name].double(), runs[1][name], rtol=0, atol=0.03)


class TestCosineLr:
    def test_agrees_with_torchs_schedules(self) -> None:
        for warmup, total in ((3, 12), (1, 9), (8, 9), (20, 300)):
            weight = nn.Parameter(torch.zeros(1))
            optimizer = torch.optim.SGD([weight], lr=0.6)
            down = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, total - warmup, eta_min=0.05)
            rates = []
            for _ in range(total - warmup + 1):
                rates.append(optimizer.param_groups[0]["lr"])
                optimizer.step()
                down.step()
            assert [cosine_lr(s, 0.6, 0.05, warmup, total) for s in range(warmup, total + 1)] == pytest.approx(rates)
            line = [0.6 * (s + 1) / warmup for s in range(warmup)]
            assert [cosine_lr(s, 0.6, 0.05, warmup, total) for s in range(warmup)] == pytest.approx(line)

    def test_the_stretches_meet_at_their_ends(self) -> None:
        for warmup, total in ((5, 50), (1, 2), (49, 50)):
            peak = [cosine_lr(s, 0.7, 0.1, warmup, total) for s in (warmup - 1, warmup)]
            assert peak == pytest.approx([0.7, 0.7])
            assert [cosine_lr(s, 0.7, 0.1, warmup, total) for s in (total, total + 1, 9 * total)] == pytest.approx(
                [0.1] * 3
            )
        assert cosine_lr(0, 0.7, 0.1, 0, 50) == pytest.approx(0.7)

    def test_the_cosine_has_the_middle_as_its_mean_and_at_half_way(self) -> None:
        rates = [cosine_lr(s, 1.0, 0.2, 10, 1010) for s in range(10, 1011)]
        assert rates[500] == pytest.approx(0.6)
        assert sum(rates) / len(rates) == pytest.approx(0.6)
        assert rates == sorted(rates, reverse=True)


class TestAccumulateLoss:
    def test_is_the_loss_of_the_whole_batch_in_value_and_gradient(self) -> None:
        logits = torch.randn(9, 7, dtype=torch.float64, requires_grad=True)
        targets = torch.tensor([0, 3, -100, 6, 1, -100, -100, 2, 5])
        cuts = [slice(0, 2), slice(2, 3), slice(3, 9)]
        sums = [F.cross_entropy(logits[cut], targets[cut], reduction="sum") for cut in cuts]
        counts = [int((targets[cut] != -100).sum()) for cut in cuts]
        assert counts == [2, 0, 4]
        loss, whole = accumulate_loss(sums, counts), F.cross_entropy(logits, targets)
        torch.testing.assert_close(loss, whole)
        torch.testing.assert_close(torch.autograd.grad(loss, logits), torch.autograd.grad(whole, logits))

    def test_refuses_a_mean_of_nothing(self) -> None:
        for sums, counts in (([], []), ([torch.tensor(0.0)], [0]), ([torch.tensor(0.0)] * 2, [0, 0])):
            with pytest.raises(ValueError, match="no target counts"):
                accumulate_loss(sums, counts)

    def test_keeps_the_dtype_and_the_sums(self) -> None:
        for dtype in (torch.float64, torch.float32, torch.bfloat16):
            sums = [torch.tensor(2.0, dtype=dtype), torch.tensor(7.0, dtype=dtype)]
            mean = accumulate_loss(sums, [1, 3])
            assert (mean.dtype, mean.shape, float(mean)) == (dtype, (), 2.25)
            assert [float(s) for s in sums] == [2.0, 7.0]


class TestTogether:
    def test_the_five_functions_train_a_model_to_the_entropy_of_its_data(self, page: dict[str, Any]) -> None:
        generator = torch.Generator().manual_seed(0)
        weights = {"table": 0.1 * torch.randn(page["V"], page["V"], generator=generator)}
        state: dict[str, Any] = {}
        for step in range(150):
            leaves = {name: w.requires_grad_() for name, w in weights.items()}
            tokens = page["batch"](16, step)
            parts = [tokens[:3], tokens[3:]]
            sums = [sequence_loss(leaves["table"][part], part) * part[:, 1:].numel() for part in parts]
            loss = accumulate_loss(sums, [part[:, 1:].numel() for part in parts])
            gradients = dict(zip(leaves, torch.autograd.grad(loss, list(leaves.values())), strict=True))
            with torch.no_grad():
                gradients, _ = clip_gradients(gradients, 1.0)
                rate = cosine_lr(step, 0.3, 0.03, 10, 150)
                weights, state = adamw_step(weights, gradients, state, rate, weight_decay=0.0)
        tokens = page["batch"](300, 20_000)
        assert float(sequence_loss(weights["table"][tokens], tokens)) == pytest.approx(page["entropy"], abs=0.08)


class TestCatalogue:
    def test_every_section_is_a_heading_of_the_page(self) -> None:
        anchors = {
            re.sub(r"[^\w\- ]", "", line.lstrip("#").strip().lower()).replace(" ", "-")
            for line in PAGE.splitlines()
            if line.startswith("#")
        }
        for flawed in catalogue.exercises.values():
            assert {m.section for m in flawed.misconceptions} <= anchors
        assert {exercise["section"] for exercise in LESSON["exercises"]} <= anchors


QUIZ = read_nodes(FOLDER / "quiz.yaml", [])
QUESTIONS = plain(QUIZ)["questions"] if QUIZ else []
DRAWN = [question for question in QUESTIONS if isinstance(question["answer"], dict)]


def named(questions: list[Any]) -> pytest.MarkDecorator:
    """Parametrize over questions, each under its id."""
    return pytest.mark.parametrize("question", questions, ids=lambda question: question["id"])


def filled(value: Any, params: dict[str, Any]) -> Any:
    """Arguments of an answer with the drawn parameters in their places."""
    if isinstance(value, str):
        return params[value.removeprefix("$")] if value.startswith("$") else value
    if isinstance(value, list):
        return [filled(item, params) for item in value]
    if isinstance(value, dict) and "tensor" in value:
        return torch.tensor(filled(value["tensor"], params), dtype=getattr(torch, value["dtype"]))
    return {key: filled(item, params) for key, item in value.items()} if isinstance(value, dict) else value


def number(function: Callable[..., Any], answer: Any, params: dict[str, Any]) -> float:
    """What the function answers, at the place that is asked for."""
    found = function(**{key: filled(value, params) for key, value in answer["args"].items()})
    for place in answer.get("at", []):
        found = found[place]
    return float(found)


class TestQuiz:
    def test_kinds_and_counts(self) -> None:
        assert len(QUESTIONS) >= 12
        assert 2 * len(DRAWN) >= len(QUESTIONS)
        kinds = {question["kind"] for question in QUESTIONS}
        assert kinds == {"choice", "multi", "numeric", "shape", "order", "short", "code", "explain"}
        assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)

    @named(DRAWN)
    def test_known_slips_lie_apart_from_the_answer_and_from_each_other(self, question: Any) -> None:
        answer, slips = question["answer"], [slip["value"]["wrong"] for slip in question["also"]]
        name = answer["ref"].removeprefix("reference.training:")
        functions = [getattr(reference, name), *(catalogue.exercises[name].variant([s.split(".")[2]]) for s in slips)]
        for seed in range(100):
            source = random.Random(seed)
            params = {
                key: source.choice(how["choice"]) if "choice" in how else source.randint(how["low"], how["high"])
                for key, how in question["params"].items()
            }
            values = [number(function, answer, params) for function in functions]
            assert all(map(math.isfinite, values))
            gaps = [abs(a - b) for i, a in enumerate(values) for b in values[:i]]
            assert min(gaps) > 2 * question["atol"], (params, values)

    @named([q for q in QUESTIONS if q["kind"] == "code" and "which line" not in q["prompt"].lower()])
    def test_snippets_print_the_answer(self, question: Any) -> None:
        assert run(FENCED.findall(question["prompt"])[0], {}) == [question["answer"]]

    @named([question for question in QUESTIONS if question["kind"] in ("choice", "multi")])
    def test_right_options_are_the_answer_and_all_have_feedback(self, question: Any) -> None:
        right = [option["id"] for option in question["options"] if option.get("right")]
        assert right == (question["answer"] if question["kind"] == "multi" else [question["answer"]])
        assert all(option["feedback"] for option in question["options"])

    def test_the_faulty_step_is_right_for_one_parameter_and_wrong_for_two(self) -> None:
        source = next(q for q in QUESTIONS if q["id"] == "training-line-with-the-wrong-count")
        names: dict[str, Any] = {}
        run(FENCED.findall(source["prompt"])[0], names)
        for count, agrees in ((1, True), (2, False)):
            parameters = {f"b{i}": torch.tensor([1.0 + i], dtype=torch.float64) for i in range(count)}
            gradients = [{name: p * (t - 1.5) for name, p in parameters.items()} for t in range(3)]
            m, v = ({name: torch.zeros_like(p) for name, p in parameters.items()} for _ in range(2))
            theirs, mine, state, t = parameters, parameters, no_state(), 0
            for g in gradients:
                theirs, t = names["step"](theirs, g, m, v, t, 0.1)
                mine, state = adamw_step(mine, g, state, 0.1)
            assert all(torch.allclose(theirs[name], mine[name], rtol=1e-9) for name in mine) == agrees

    def test_what_adam_does_not_notice(self) -> None:
        question = next(q for q in QUESTIONS if q["id"] == "training-what-adam-does-not-notice")
        plainly: dict[str, Any] = {"rate": 0.1, "betas": (0.9, 0.95), "factor": lambda t: 1.0, "flip": False}
        changed: dict[str, dict[str, Any]] = {
            "loss": {"factor": lambda t: 10.0},
            "order": {"flip": True},
            "once": {"factor": lambda t: 10.0 if t == 0 else 1.0},
            "rate": {"rate": 0.2},
            "betas": {"betas": (0.0, 0.0)},
        }
        assert set(changed) == {option["id"] for option in question["options"]}

        def trained(rate: float, betas: tuple[float, float], factor: Callable[[int], float], flip: bool) -> Tensors:
            now, state = drawn(0), no_state()
            now = dict(reversed(now.items())) if flip else now
            for t in range(100):
                gradients = {name: factor(t) * g for name, g in drawn(t + 1).items()}
                now, state = adamw_step(now, gradients, state, rate, betas=betas, eps=0.0, weight_decay=rate)
            return now

        before = trained(**plainly)
        same = [
            name
            for name, how in changed.items()
            if all(torch.allclose(p, before[k], rtol=1e-9) for k, p in trained(**(plainly | how)).items())
        ]
        assert same == question["answer"]
