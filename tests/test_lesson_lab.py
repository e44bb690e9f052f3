"""The lesson of the lab: its page and quiz say what is so, its reference agrees with other authorities."""

import math
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from lesson_page import run, said_to_print
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from grader.course.yaml12 import plain, read_nodes
from grader.misconceptions.lab import catalogue
from grader.places import lessons_folder
from reference import lab as reference
from reference.attention import sliding_window_mask
from reference.heads import grouped_query_attention
from reference.lab import forward_flops, kv_cache_bytes, probe_receptive_field, retain
from reference.model import count_parameters, llama

FOLDER = lessons_folder() / "lab"
PAGE = (FOLDER / "lesson.md").read_text(encoding="utf-8")
PROSE = " ".join(PAGE.split())
BLOCKS = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
Config = dict[str, Any]

LLAMA_7B: Config = {
    "family": "llama", "vocab": 32000, "d_model": 4096, "n_blocks": 32, "n_heads": 32, "n_kv_heads": 32,
    "d_hidden": 11008, "max_positions": 2048, "tied": False,
}  # fmt: skip
TINY: Config = {
    "family": "llama", "vocab": 7, "d_model": 12, "n_blocks": 2, "n_heads": 6, "n_kv_heads": 2, "d_hidden": 10,
    "max_positions": 9, "tied": False,
}  # fmt: skip


def cache(n_kv_heads: int, n_blocks: int, seq: int, head_width: int = 128) -> int:
    """Bytes of one sequence in 16 bits."""
    return kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, 1, 2)


WEIGHTS_7B = 2 * count_parameters(LLAMA_7B)
PRODUCTS_7B = count_parameters(LLAMA_7B) - 32000 * 4096 - (2 * 32 + 1) * 4096  # without embedding and norms


def decoding_operations(seq: int) -> int:
    """Of one new token of LLaMA-7B with a cache."""
    return 2 * PRODUCTS_7B + 4 * 32 * seq * 4096


def intensity(batch: int) -> float:
    """Operations for each byte when LLaMA-7B makes a token of each of `batch` sequences of 4,096."""
    return batch * decoding_operations(4096) / (2 * PRODUCTS_7B + batch * cache(32, 32, 4096))


def parts(seq: int) -> dict[str, int]:
    """LLaMA-7B's operations by kind."""
    return {
        "projections": 32 * 4 * 2 * seq * 4096**2,
        "pairs": 32 * 2 * 2 * seq**2 * 4096,
        "network": 32 * 3 * 2 * seq * 4096 * 11008,
        "logits": 2 * seq * 4096 * 32000,
    }


def row(seq: int, total: str) -> str:
    """A line of the page's table of operations."""
    whole = forward_flops(LLAMA_7B, seq)
    shares = " | ".join(f"{100 * part / whole:.1f} %" for part in parts(seq).values())
    return f"| {seq:,} | ${total} \\cdot 10^{{12}}$ | {shares} | {whole / (WEIGHTS_7B * seq):.2f} |"


def student_t(level: float, freedom: int) -> float:
    """The two-sided quantile of Student's distribution, by integrating its density."""
    x = np.linspace(0, 200, 2_000_001)
    density = (1 + x**2 / freedom) ** (-(freedom + 1) / 2)
    mass = np.cumsum(density)
    constant = math.gamma((freedom + 1) / 2) / math.sqrt(freedom * math.pi) / math.gamma(freedom / 2)
    return float(x[np.searchsorted(mass * constant * (x[1] - x[0]), level / 2)])


def expected_best_of(n: int) -> float:
    """The mean of the largest of n standard normal numbers, by integration."""
    x = np.linspace(-9, 9, 200_001)
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    below = np.cumsum(density) * (x[1] - x[0])
    return float((x * n * density * below ** (n - 1)).sum() * (x[1] - x[0]))


FIRST_TOKENS = range(1, 1025)
RECOMPUTED = sum(forward_flops(LLAMA_7B, seq) for seq in FIRST_TOKENS)
CACHED = sum(decoding_operations(seq) for seq in FIRST_TOKENS)

STATED = (
    f"| GPT-2 small | {cache(12, 12, 1, 64):,} | {cache(12, 12, 4096, 64) / 1e9:.2f} GB (1,024 is its limit: ",
    f"1,024 is its limit: {cache(12, 12, 1024, 64) / 1e9:.2f} GB) |",
    f"| LLaMA-2 7B | {cache(32, 32, 1):,} | {cache(32, 32, 4096) / 1e9:.2f} GB |",
    f"| LLaMA-2 70B, 8 key-value heads | {cache(8, 80, 1):,} | {cache(8, 80, 4096) / 1e9:.2f} GB |",
    f"| the same with 64 | {cache(64, 80, 1):,} | {cache(64, 80, 4096) / 1e9:.2f} GB |",
    f"The weights of the 7B model take {WEIGHTS_7B / 1e9:.2f} GB in 16 bits",
    f"A cache of {WEIGHTS_7B // cache(32, 32, 1):,} tokens",
    row(1024, f"{forward_flops(LLAMA_7B, 1024) / 1e12:.1f}"),
    row(4096, f"{forward_flops(LLAMA_7B, 4096) / 1e12:.1f}"),
    row(32768, f"{forward_flops(LLAMA_7B, 32768) / 1e12:.0f}"),
    f"$P/2ND$, which is {PRODUCTS_7B // (2 * 32 * 4096):,} here",
    f"LLaMA-7B at $T = 4096$: {decoding_operations(4096) / 1e9:.2f} billion operations",
    f"{(2 * PRODUCTS_7B + cache(32, 32, 4096)) / 1e9:.2f} billion bytes, one operation a byte",
    f"300 TFLOP/s and 2 TB/s could do {300 // 2} in the time",
    f"8 sequences do {intensity(8):.1f} operations a byte, 64 do {intensity(64):.1f}",
    f"batch gets above {intensity(10**6):.1f}",
    f"costs {RECOMPUTED / CACHED:.0f} times the operations",
    f"${student_t(0.95, 2) / math.sqrt(3):.2f}\\,s$ for 3 seeds",
    f"${student_t(0.95, 4) / math.sqrt(5):.2f}\\,s$ for 5",
    f"${student_t(0.95, 9) / math.sqrt(10):.2f}\\,s$ for 10",
    f"The best of 5 seeds beats the mean by {expected_best_of(5):.2f} standard deviations",
    f"2,147,483,648 bytes are {2**31 / 1e9:.2f} GB ($10^9$) and {2**31 // 2**30} GiB ($2^{{30}}$)",
    f"between 256 and 512 bfloat16 numbers are {int(256 * 2 * torch.finfo(torch.bfloat16).eps / 2)} apart",
)
"""What the page states, with the numbers computed here."""


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    """The names that the page defines, after every block ran in order and printed what it says."""
    names: dict[str, Any] = {}
    for block in BLOCKS:
        printed = run(block, names)
        assert printed == said_to_print(block)
    return names


def random_llama(config: Config, seed: int = 0) -> Callable[[Tensor], Tensor]:
    """A model of that size with random weights, in float64."""
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> Tensor:
        return torch.randn(shape, generator=generator, dtype=torch.float64) / math.sqrt(shape[-1])

    D, F, V = config["d_model"], config["d_hidden"], config["vocab"]
    kv = D // config["n_heads"] * config["n_kv_heads"]
    weights = {"wte": normal(V, D), "norm_f.weight": normal(D)} | ({} if config["tied"] else {"lm_head": normal(V, D)})
    for n in range(config["n_blocks"]):
        sizes = {"norm1.weight": (D,), "attn.wq": (D, D), "attn.wk": (kv, D), "attn.wv": (kv, D), "attn.wo": (D, D)}
        sizes |= {"norm2.weight": (D,), "mlp.w_gate": (F, D), "mlp.w_up": (F, D), "mlp.w_down": (D, F)}
        weights |= {f"blocks.{n}.{name}": normal(*size) for name, size in sizes.items()}
    return lambda tokens: llama(tokens, weights, config["n_heads"], config["n_kv_heads"])


class TestPage:
    def test_every_block_runs_in_order_and_prints_what_it_says(self, page: dict[str, Any]) -> None:
        assert len(BLOCKS) == 6
        assert set(page["record"]) == {"question", "settings", "baseline", "measured", "timing"}

    @pytest.mark.parametrize("sentence", STATED)
    def test_the_numbers_in_the_prose_are_computed(self, sentence: str) -> None:
        assert sentence in PROSE

    def test_the_page_does_not_print_an_answer(self) -> None:
        for name in ("kv_cache_bytes", "forward_flops", "retain", "probe_receptive_field"):
            assert f"def {name}" not in PAGE

    def test_shared_pairs_have_as_many_operations_a_byte_as_queries_share_a_head(self) -> None:
        assert "The pairs alone have $H / H_{kv}$ operations a byte" in PROSE
        seq = 1000
        assert 4 * 80 * seq * 8192 / cache(8, 80, seq) == 64 / 8

    def test_the_error_of_a_smaller_memory_keeps_its_bound(self, page: dict[str, Any]) -> None:
        k, v, earlier, _ = page["memory"](11, 0.3)
        weights = (earlier @ k.T / 4).softmax(-1)
        full = weights @ v
        for budget in (1, 20, 63):
            kept = torch.zeros(64, dtype=torch.bool)
            kept[retain(weights.sum(0), budget)] = True
            out, mass = page["attended"](earlier, k, v, kept)
            rest = weights[:, ~kept] / (1 - mass)[:, None] @ v[~kept]
            identity = (1 - mass)[:, None] * (rest - out)
            torch.testing.assert_close(full - out, identity)
            assert ((out - full).norm(dim=-1) <= 2 * (1 - mass) * v.norm(dim=-1).max() + 1e-12).all()

    def test_the_toy_shows_what_it_claims_on_other_seeds_too(self, page: dict[str, Any]) -> None:
        def difference(turned: float) -> tuple[float, float]:
            runs = [[page["lost"](seed, policy, turned) for seed in range(50, 60)] for policy in ("attended", "newest")]
            found: tuple[float, float] = page["paired"](*runs)
            return found

        mean, error = difference(0.0)
        assert mean < -4 * error
        mean, error = difference(math.pi / 2)
        assert abs(mean) < 3 * error

    def test_windows_reach_as_far_as_the_page_says(self) -> None:
        """Real attention: two layers of grouped heads behind a sliding window."""
        generator = torch.Generator().manual_seed(0)

        def normal(*shape: int) -> Tensor:
            return torch.randn(shape, generator=generator, dtype=torch.float64)

        table, window, n_layers, seq = normal(3, 8), 3, 2, 8
        layers = [{"wq": normal(8, 8), "wk": normal(4, 8), "wv": normal(4, 8), "wo": normal(8, 8)} for _ in range(2)]

        def model(tokens: Tensor) -> Tensor:
            h = table[tokens]
            for weights in layers:
                h = h + grouped_query_attention(h, weights, 4, 2, sliding_window_mask(seq, seq, window))
            return h @ table.T

        tokens = torch.tensor([[0, 2, 1, 1, 0, 2, 0, 1]])
        for position in (1, 4, 7):
            reached = probe_receptive_field(model, tokens, position).nonzero().flatten().tolist()
            assert reached == list(range(max(0, position - n_layers * (window - 1)), position + 1))
        assert "the field has $N(w - 1) + 1$ positions" in PROSE


class TestCommands:
    """What the page says of `anatomy lab`; a copy of the course without the experiments has nothing to compare with."""

    def test_the_experiments_are_those_of_the_command(self) -> None:
        known = pytest.importorskip("grader.lab.experiment").EXPERIMENTS
        table = PAGE.partition("### The commands")[2].partition("## Lab")[0]
        assert re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE) == [experiment.name for experiment in known]

    def test_the_fields_of_the_report_are_those_of_the_template(self) -> None:
        fields = pytest.importorskip("grader.lab.report").FIELDS
        exercise = PAGE.partition("### Research exercise")[2].partition("## Common mistakes")[0]
        assert re.findall(r"^- \*\*(.+?)\*\*:", exercise, re.MULTILINE) == [field.name for field in fields]


class TestBytes:
    def test_agrees_with_tensors(self) -> None:
        for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.int8):
            tensors = [torch.empty(3, 2, 7, 5, dtype=dtype) for _ in range(2 * 4)]
            assert kv_cache_bytes(4, 2, 5, 7, 3, dtype.itemsize) == sum(tensor.nbytes for tensor in tensors)

    def test_is_a_whole_number_beyond_floats(self) -> None:
        assert kv_cache_bytes(99, 97, 127, 10**7 + 1, 1013, 3) == 2 * 99 * 97 * 127 * (10**7 + 1) * 1013 * 3
        assert kv_cache_bytes(5, 2, 8, 100, 0, 2) == 0


class TestOperations:
    @pytest.mark.parametrize("tied", [True, False])
    @pytest.mark.parametrize(("seq", "n_kv_heads", "n_blocks"), [(1, 2, 1), (5, 2, 3), (8, 6, 2), (4, 1, 2)])
    def test_torch_counts_as_many_in_the_course_s_own_llama(
        self, seq: int, n_kv_heads: int, n_blocks: int, tied: bool
    ) -> None:
        config = TINY | {"n_kv_heads": n_kv_heads, "n_blocks": n_blocks, "tied": tied}
        model, tokens = random_llama(config), torch.zeros(1, seq, dtype=torch.int64)
        with FlopCounterMode(display=False) as counter:
            model(tokens)
        assert counter.get_total_flops() == forward_flops(config, seq)

    def test_the_formula_of_the_page(self) -> None:
        for seq in (1, 777, 4096):
            assert (
                forward_flops(LLAMA_7B, seq)
                == 2 * PRODUCTS_7B * seq + 4 * 32 * seq**2 * 4096
                == sum(parts(seq).values())
            )

    def test_the_docstring_s_number(self) -> None:
        assert f"{forward_flops(LLAMA_7B, 1024):,}" in (forward_flops.__doc__ or "")
        assert f"{kv_cache_bytes(32, 32, 128, 4096, 1, 2):,}" in (kv_cache_bytes.__doc__ or "")


def oracle(scores: list[float], budget: int, n_sink: int, n_recent: int) -> list[int]:
    """The rule of the budget as a ranking: protected units first, then by score, then by age."""
    seq = len(scores)

    def rank(unit: int) -> tuple[bool, float, int]:
        protected = unit < n_sink or unit >= seq - n_recent
        return not protected, 0.0 if protected else -scores[unit], unit

    return sorted(sorted(range(seq), key=rank)[:budget])


class TestRetain:
    @given(st.data())
    @settings(max_examples=300, deadline=None)
    def test_agrees_with_a_ranking_in_python(self, data: st.DataObject) -> None:
        scores = data.draw(st.lists(st.sampled_from([-2.0, -0.5, 0.0, 0.5, 1.0, 3.0]), min_size=1, max_size=9))
        n_sink, n_recent = data.draw(st.integers(0, 5)), data.draw(st.integers(0, 5))
        budget = data.draw(st.integers(n_sink + n_recent, 14))
        for dtype in (torch.float64, torch.float32, torch.bfloat16):
            kept = retain(torch.tensor(scores, dtype=dtype), budget, n_sink, n_recent)
            assert kept.dtype == torch.int64
            assert kept.tolist() == oracle(scores, budget, n_sink, n_recent)
            assert len(kept) == min(budget, len(scores))

    @pytest.mark.parametrize(("budget", "n_sink", "n_recent", "seq"), [(4, 2, 3, 9), (0, 0, 1, 5), (5, 3, 3, 4)])
    def test_protected_units_beyond_the_budget_are_refused(
        self, budget: int, n_sink: int, n_recent: int, seq: int
    ) -> None:
        with pytest.raises(ValueError, match=f"more than the budget of {budget}"):
            retain(torch.zeros(seq), budget, n_sink, n_recent)

    def test_the_scores_are_not_changed(self) -> None:
        scores = torch.tensor([0.3, 0.1, 0.9, 0.9, 0.2])
        retain(scores, 3, 1, 1)
        assert scores.tolist() == torch.tensor([0.3, 0.1, 0.9, 0.9, 0.2]).tolist()


class TestReceptiveField:
    def test_a_decoder_reads_up_to_its_position(self) -> None:
        model, tokens = random_llama(TINY), torch.tensor([[3, 0, 6, 6, 2]])
        for position in range(5):
            found = probe_receptive_field(model, tokens, position)
            assert found.tolist() == [place <= position for place in range(5)]
            assert found.dtype == torch.bool

    def test_one_sequence_at_a_time_other_ids_only_and_as_few_calls_as_stated(self) -> None:
        assert "$T(V - 1) + 1$ forward passes" in PROSE
        seen: list[list[int]] = []

        def blind(tokens: Tensor) -> Tensor:
            assert tokens.shape == (1, 4)
            seen.append(tokens[0].tolist())
            return torch.zeros(1, 4, 3)

        assert not probe_receptive_field(blind, torch.tensor([[0, 2, 1, 1]]), 1).any()
        assert len(seen) == 4 * (3 - 1) + 1 == len({tuple(tokens) for tokens in seen})
        assert all(sum(a != b for a, b in zip(tokens, [0, 2, 1, 1], strict=True)) == 1 for tokens in seen[1:])

    def test_a_change_that_only_one_of_many_ids_makes_is_found(self) -> None:
        def model(tokens: Tensor) -> Tensor:
            return (tokens == 4).double().cumsum(1)[..., None].expand(1, tokens.shape[1], 6)

        assert probe_receptive_field(model, torch.tensor([[0, 1, 2, 3]]), 2).tolist() == [True, True, True, False]

    def test_the_tokens_are_not_changed_even_if_the_model_writes_to_its_own(self) -> None:
        def careless(tokens: Tensor) -> Tensor:
            logits = tokens.double()[..., None] * torch.ones(2, dtype=torch.float64)
            tokens.zero_()
            return logits

        tokens = torch.tensor([[1, 0, 1]])
        assert probe_receptive_field(careless, tokens, 1).tolist() == [False, True, False]
        assert tokens.tolist() == [[1, 0, 1]]


QUIZ = read_nodes(FOLDER / "quiz.yaml", [])
QUESTIONS = plain(QUIZ)["questions"] if QUIZ else []
DRAWN = [question for question in QUESTIONS if isinstance(question["answer"], dict)]


def named(questions: list[Any]) -> pytest.MarkDecorator:
    """Parametrize over questions, each under its id."""
    return pytest.mark.parametrize("question", questions, ids=lambda question: question["id"])


def by_id(name: str) -> Any:
    """One question."""
    return next(question for question in QUESTIONS if question["id"] == name)


def filled(value: Any, chosen: dict[str, Any]) -> Any:
    """Arguments of an answer with the drawn parameters in their places."""
    if isinstance(value, str):
        return chosen[value[1:]] if value.startswith("$") else value
    if isinstance(value, list):
        return [filled(item, chosen) for item in value]
    if isinstance(value, dict) and "tensor" in value:
        return torch.tensor(filled(value["tensor"], chosen), dtype=getattr(torch, value["dtype"]))
    if isinstance(value, dict):
        return {key: filled(item, chosen) for key, item in value.items()}
    return value


class TestQuiz:
    def test_kinds_and_counts(self) -> None:
        assert len(QUESTIONS) >= 12
        assert 2 * len(DRAWN) >= len(QUESTIONS)
        assert {"choice", "multi", "numeric", "shape", "order", "code", "explain"} == {q["kind"] for q in QUESTIONS}
        assert len({q["id"] for q in QUESTIONS}) == len(QUESTIONS)

    @named([question for question in DRAWN if question["kind"] == "numeric"])
    def test_known_slips_lie_apart_from_the_answer_and_from_each_other(self, question: Any) -> None:
        answer, slips = question["answer"], [slip["value"]["wrong"] for slip in question["also"]]
        name = answer["ref"].removeprefix("reference.lab:")
        functions = [getattr(reference, name), *(catalogue.exercises[name].variant([s.split(".")[2]]) for s in slips)]
        for seed in range(40):
            source = random.Random(seed)
            chosen = {
                key: source.choice(how["choice"]) if "choice" in how else source.randint(how["low"], how["high"])
                for key, how in question["params"].items()
            }
            results = [function(**filled(answer["args"], chosen)) for function in functions]
            values = [int(result[tuple(answer["at"])]) if "at" in answer else result for result in results]
            assert len(set(values)) == len(values), (chosen, values)
            assert all(f"{{{key}}}" in question["prompt"] for key in question["params"])

    @named([q for q in QUESTIONS if q["kind"] == "code" and "which line" not in q["prompt"].lower()])
    def test_snippets_print_the_answer(self, question: Any) -> None:
        snippet = re.search(r"^```python\n(.*?)^```", question["prompt"], re.MULTILINE | re.DOTALL)
        assert snippet
        assert run(snippet[1], {}) == [question["answer"]]

    def test_the_wrong_line_is_the_one_that_is_named(self) -> None:
        question = by_id("lab-line-of-a-probe")
        snippet = re.search(r"^```python\n(.*?)^```", question["prompt"], re.MULTILINE | re.DOTALL)
        assert snippet
        lines = snippet[1].splitlines()
        copied = next(line for line in lines if line.endswith(f"# {question['answer']}"))
        mended = [line for line in lines if line is not copied]
        mended.insert(3, "    " + copied)

        def model(tokens: Tensor) -> Tensor:
            return (tokens[0, 0] + 3 * tokens[0, 2]) * torch.ones(1, 4, 3)

        tokens = torch.tensor([[1, 2, 0, 1]])
        for text, right in (("\n".join(lines), False), ("\n".join(mended), True)):
            names: dict[str, Any] = {"model": model, "tokens": tokens, "t": 1}
            run(text, names)
            assert (names["field"] == probe_receptive_field(model, tokens, 1).tolist()) == right

    @named([q for q in QUESTIONS if q["kind"] in ("choice", "multi")])
    def test_right_options_are_the_answer_and_all_have_feedback(self, question: Any) -> None:
        right = [option["id"] for option in question["options"] if option.get("right")]
        assert right == (question["answer"] if question["kind"] == "multi" else [question["answer"]])
        assert all(option["feedback"] for option in question["options"])

    def test_the_shape_of_what_stays(self) -> None:
        question = by_id("lab-shape-of-what-stays")
        kept = retain(torch.arange(70.0), 30, 3, 8)
        assert question["answer"].format(b=30) == ", ".join(map(str, kept.shape))
        assert question["params"]["b"]["high"] < question["params"]["t"]["low"]
        assert question["params"]["s"]["high"] + question["params"]["r"]["high"] <= question["params"]["b"]["low"]

    def test_a_budget_beyond_the_units_keeps_all(self) -> None:
        question = by_id("lab-budget-beyond-the-units")
        lengths = [len(scores) for scores in question["params"]["scores"]["choice"]]
        assert max(lengths) < question["params"]["b"]["low"]
        assert max(question["params"]["s"]["choice"]) + max(question["params"]["r"]["choice"]) < min(lengths)
        assert [len(retain(torch.rand(length), 12, 2, 1)) for length in lengths] == lengths

    def test_three_layers_of_windows_of_three_give_the_field_of_the_question(self) -> None:
        layer = torch.ones(12, 12).tril().triu(-2)
        assert torch.linalg.matrix_power(layer, 3)[9].nonzero().flatten().tolist() == list(range(3, 10))
        assert "reports the positions 3 to 9" in by_id("lab-what-a-field-says")["prompt"]
