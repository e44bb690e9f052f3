"""Hidden suite of the lab: bytes of a cache, operations of a forward pass, an information budget, a receptive field.

Sizes of a configuration share no factor by accident. Scores of a budget are built so that every rule decides somewhere.
The probed models are small tables of whole numbers: a change is exact, and every replaced token that a position depends
on changes its logits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, raises, shape, value

LLAMA_2_7B, LLAMA_2_70B, GPT2_SMALL = (32, 32, 128), (80, 8, 128), (12, 12, 64)
"""Blocks, key-value heads and head width."""


def several(draw: Draw, count: int, low: int = 2, high: int = 60) -> list[int]:
    """Different whole numbers."""
    return [low + int(step) for step in draw.permutation(high - low)[:count]]


def is_whole(number: object) -> bool:
    """Whether a count is a whole number, as an int or as an integer tensor of one element."""
    return type(number) is int or (isinstance(number, Tensor) and number.dim() == 0 and not number.is_floating_point())


@exercise("kv_cache_bytes")
class TestKvCacheBytes:
    @public
    @value(3)
    def test_small_cache(self, check: Check) -> None:
        """Three blocks, two key-value heads of width 5, seven tokens, eleven sequences, four bytes a value."""
        check(3, 2, 5, 7, 11, 4)

    @value(2)
    def test_real_models(self, check: Check) -> None:
        """LLaMA-2 7B and 70B in 16 bits, GPT-2 small in 32."""
        check(*LLAMA_2_70B, 4096, 64, 2)
        check(*LLAMA_2_7B, 4096, 1, 2)
        check(*GPT2_SMALL, 1024, 8, 4)

    @value(2)
    @pytest.mark.parametrize("bytes_per_value", [1, 2, 4, 8])
    def test_precisions(self, check: Check, draw: Draw, bytes_per_value: int) -> None:
        """From 8 to 64 bits."""
        check(*several(draw, 5), bytes_per_value)

    @value(1)
    def test_single_heads_and_tokens(self, check: Check, draw: Draw) -> None:
        """One key-value head, one token, one sequence, one block."""
        for place in range(5):
            sizes = several(draw, 5)
            sizes[place] = 1
            check(*sizes, 2)

    @public
    @law(1)
    def test_every_size_counts_once(self, check: Check, draw: Draw) -> None:
        """Twice as many of anything takes twice the bytes."""
        sizes = [*several(draw, 5), 2]
        before = check.call(*sizes)
        names = ("n_blocks", "n_kv_heads", "head_width", "seq", "batch", "bytes_per_value")
        for place, name in enumerate(names):
            after = check.call(*(2 * size if i == place else size for i, size in enumerate(sizes)))
            check.expect(is_whole(before) and after == 2 * before, f"Twice the {name} must take twice the bytes.")

    @public
    @law(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """No sequence takes no bytes."""
        n_blocks, n_kv_heads, head_width, seq = several(draw, 4)
        check(n_blocks, n_kv_heads, head_width, seq, 0, 2)


SMALL: dict[str, Any] = {
    "family": "llama", "vocab": 11, "d_model": 30, "n_blocks": 3, "n_heads": 6, "n_kv_heads": 2, "d_hidden": 17,
    "max_positions": 13, "tied": True,
}  # fmt: skip
LLAMA_7B: dict[str, Any] = {
    "family": "llama", "vocab": 32000, "d_model": 4096, "n_blocks": 32, "n_heads": 32, "n_kv_heads": 32,
    "d_hidden": 11008, "max_positions": 2048, "tied": False,
}  # fmt: skip
GROUPED: dict[str, Any] = {"d_model": 8192, "n_blocks": 80, "n_heads": 64, "n_kv_heads": 8, "d_hidden": 28672}


def drawn_config(draw: Draw, *, tied: bool = False) -> dict[str, Any]:
    """A configuration in which no two sizes agree by accident."""
    head_width, n_kv_heads, group = (int(draw.integers(low, low + 4, 1)) for low in (9, 2, 3))
    n_heads = n_kv_heads * group
    return {
        "family": "llama",
        "vocab": int(draw.integers(1000, 2000, 1)),
        "d_model": n_heads * head_width,
        "n_blocks": int(draw.integers(3, 9, 1)),
        "n_heads": n_heads,
        "n_kv_heads": n_kv_heads,
        "d_hidden": int(draw.integers(400, 900, 1)),
        "max_positions": int(draw.integers(200, 300, 1)),
        "tied": tied,
    }


@exercise("forward_flops")
class TestForwardFlops:
    @public
    @value(3)
    def test_small_model(self, check: Check) -> None:
        """Three blocks, 30 features wide, five tokens."""
        check(SMALL, 5)

    @value(2)
    def test_real_models(self, check: Check) -> None:
        """LLaMA-7B, and a 70B of grouped heads."""
        check(LLAMA_7B, 1024)
        check(LLAMA_7B | GROUPED, 4096)

    @value(2)
    def test_drawn_models(self, check: Check, draw: Draw) -> None:
        """Whatever the sizes, tied or not."""
        for tied in (True, False):
            check(drawn_config(draw, tied=tied), int(draw.integers(20, 200, 1)))

    @value(2)
    def test_shared_heads(self, check: Check, draw: Draw) -> None:
        """One key-value head for all queries, and one for each."""
        config = drawn_config(draw)
        for n_kv_heads in (1, config["n_heads"]):
            check(config | {"n_kv_heads": n_kv_heads}, 41)

    @value(1)
    def test_one_token(self, check: Check, draw: Draw) -> None:
        """A single token: one score in each head."""
        check(drawn_config(draw), 1)

    @value(1)
    def test_hidden_width(self, check: Check, draw: Draw) -> None:
        """The hidden width is the one that is given."""
        config = drawn_config(draw)
        for hidden in (1, 3 * config["d_model"] + 1):
            check(config | {"d_hidden": hidden}, 23)

    @public
    @law(1)
    def test_what_has_no_say(self, check: Check, draw: Draw) -> None:
        """A tied table is multiplied like any other; max_positions says nothing about a sequence."""
        config = drawn_config(draw, tied=True)
        before = check.call(config, 37)
        for name, other in (("tied", False), ("max_positions", 7 * config["max_positions"])):
            after = check.call(config | {name: other}, 37)
            check.expect(before == after, f"The operations depend on {name}, which should have no say.")

    @law(1)
    def test_what_grows_with_the_square(self, check: Check, draw: Draw) -> None:
        """Scores and weighted means grow with the square of the length, everything else in step with it."""
        config = drawn_config(draw)
        counts = [check.call(config, seq) for seq in (60, 61, 62)]
        check.expect(all(map(is_whole, counts)), "A count of operations must be a whole number.")
        bend = counts[2] - 2 * counts[1] + counts[0]
        # Two products of 2 T^2 K operations in each head; T^2 has a second difference of 2.
        wanted = 2 * 2 * 2 * config["n_blocks"] * config["d_model"]
        sentence = "The part that grows with the square of the length must be that of all pairs of T tokens."
        check.expect(bend == wanted, sentence)

    @law(1)
    def test_leaves_config_alone(self, check: Check, draw: Draw) -> None:
        """The configuration is the same after the call."""
        check.unchanged(drawn_config(draw), 9)


def scores_with(draw: Draw, first: Sequence[float], last: Sequence[float], middle: Sequence[float]) -> Tensor:
    """Given scores at both ends, and between them others in a drawn order."""
    shuffled = [middle[int(i)] for i in draw.permutation(len(middle))]
    return torch.tensor([*first, *shuffled, *last], dtype=torch.float64)


def distinct(draw: Draw, count: int) -> Tensor:
    """Scores in a drawn order, 0.1 apart, about half of them below zero."""
    return (draw.permutation(count).double() - count // 2) / 10 + 0.05


MIDDLE = (-1.9, -0.7, 0.3, 0.6, 1.1)
"""Of these two stay: the largest, not the largest in size."""
LOW, HIGH = (-2.5, -2.4, -2.6), (1.6, 1.7, 1.8)
"""Scores of protected units that would never, and that would always, be kept for their worth."""
WORTHY = (0.4, 0.7, 1.3, 1.6, 1.9)
HUGE = 2.0**45
"""Far above any number that is chosen as larger than all scores; adding 1 is still exact."""


@exercise("retain")
class TestRetain:
    @public
    @value(3)
    def test_sinks_recent_and_scores(self, check: Check, draw: Draw) -> None:
        """The first unit, the last two, and the two best of the others; whatever the scores of the protected ones."""
        check(scores_with(draw, LOW[:1], LOW[1:], MIDDLE), 5, n_sink=1, n_recent=2)
        check(scores_with(draw, HIGH[:1], HIGH[1:], MIDDLE), 5, n_sink=1, n_recent=2)

    @value(2)
    def test_scores_alone(self, check: Check, draw: Draw) -> None:
        """Without sinks and recent units the highest scores stay, in the order of the units."""
        for budget in (1, 3, 6):
            check(distinct(draw, 9), budget)

    @value(2)
    def test_one_kind_of_protection(self, check: Check, draw: Draw) -> None:
        """Sinks only, recent units only."""
        check(scores_with(draw, LOW, (), MIDDLE), 5, n_sink=3)
        check(scores_with(draw, (), LOW, MIDDLE), 5, n_recent=3)

    @value(2)
    def test_ties(self, check: Check, draw: Draw) -> None:
        """Among equal scores the earlier unit stays."""
        level, better = draw.tidy(2, low=0.5).sort().values.tolist()
        check(torch.full((7,), level, dtype=torch.float64), 3)
        check(scores_with(draw, (level,) * 2, (level,) * 2, (better, better, level, level, level)), 4)
        check(torch.full((9,), level, dtype=torch.float64), 5, n_sink=2, n_recent=1)

    @value(1)
    def test_scores_of_any_size(self, check: Check, draw: Draw) -> None:
        """Scores far above and far below 0: no number marks a unit as protected, or as taken, for certain."""
        check(HUGE * scores_with(draw, LOW[:1], LOW[1:], WORTHY), 5, n_sink=1, n_recent=2)
        check(HUGE * (scores_with(draw, HIGH[:1], HIGH[1:], MIDDLE) - 2), 5, n_sink=1, n_recent=2)

    @value(1)
    def test_all_is_protected(self, check: Check, draw: Draw) -> None:
        """Sinks and recent units that need the whole budget leave nothing for scores."""
        check(distinct(draw, 8), 5, n_sink=2, n_recent=3)
        check(scores_with(draw, LOW[:2], LOW[2:], MIDDLE), 3, n_sink=2, n_recent=1)

    @value(1)
    def test_budget_for_all(self, check: Check, draw: Draw) -> None:
        """A budget of T or more keeps every unit, once."""
        for budget in (6, 7, 40):
            check(distinct(draw, 6), budget)
            check(distinct(draw, 6), budget, n_sink=2, n_recent=1)

    @value(1)
    def test_overlap(self, check: Check, draw: Draw) -> None:
        """Sinks and recent units that overlap, or are more than there are, are kept once."""
        check(distinct(draw, 5), 6, n_sink=3, n_recent=3)
        check(distinct(draw, 4), 9, n_sink=4, n_recent=2)
        check(distinct(draw, 3), 8, n_sink=2, n_recent=5)

    @value(2)
    def test_many_units(self, check: Check, draw: Draw) -> None:
        """A hundred units, many of them worth the same."""
        check(distinct(draw, 130), 50, n_sink=4, n_recent=20)
        check(draw.integers(0, 12, 90).double(), 37, n_sink=3, n_recent=11)

    @public
    @shape(1)
    def test_budget_of_nothing(self, check: Check, draw: Draw) -> None:
        """A budget of 0 keeps nothing: an int64 tensor without elements."""
        check(distinct(draw, 5), 0)

    @public
    @raises(1)
    def test_protected_beyond_the_budget(self, check: Check, draw: Draw) -> None:
        """More sinks and recent units than the budget are refused, even where they overlap."""
        check.raises(distinct(draw, 9), 4, n_sink=2, n_recent=3)
        check.raises(distinct(draw, 9), 2, n_recent=3)
        check.raises(distinct(draw, 9), 0, n_sink=1)
        check.raises(distinct(draw, 4), 5, n_sink=3, n_recent=3)

    @dtype(1)
    @pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """Indices are int64 whatever the scores are; scores that rounding has made equal are tied."""
        rounded = (draw.integers(0, 9, 40) + 512).to(precision)
        check(distinct(draw, 12).to(precision), 7, n_sink=1, n_recent=2)
        check(rounded, 15, n_sink=1, n_recent=2)

    @public
    @law(1)
    def test_a_larger_budget_keeps_what_a_smaller_kept(self, check: Check, draw: Draw) -> None:
        """One more unit in the budget adds one unit and gives up none."""
        scores = draw.integers(0, 4, 10).double()
        kept: set[int] = set()
        for budget in range(3, 11):
            more = check.call(scores, budget, n_sink=1, n_recent=2)
            tensor = isinstance(more, Tensor) and more.dim() == 1 and not more.is_floating_point()
            check.expect(tensor, "A one-dimensional tensor of indices was expected.")
            found = set(more.tolist())
            check.expect(len(found) == len(more) == budget, "As many units as the budget allows must stay, each once.")
            check.expect(kept <= found, "A larger budget must keep all that a smaller one keeps.")
            kept = found

    @law(1)
    def test_leaves_scores_alone(self, check: Check, draw: Draw) -> None:
        """The scores are the same after the call."""
        check.unchanged(distinct(draw, 8), 5, n_sink=2, n_recent=1)


Logits = Callable[[Tensor], Tensor]


def checked(tokens: Tensor, seq: int, vocab: int) -> Tensor:
    """The ids `(t,)` of one sequence. A model takes nothing else, as an embedding table would not."""
    if tokens.dim() != 2 or len(tokens) != 1 or not 1 <= tokens.shape[1] <= seq:
        raise RuntimeError(f"the model takes tokens of shape (1, {seq}), not {tuple(tokens.shape)}")
    if tokens.dtype != torch.int64:
        raise RuntimeError("the model takes tokens of int64")
    for token in tokens[0].tolist():
        if not 0 <= token < vocab:
            raise IndexError(f"token {token} is outside the vocabulary of {vocab}")
    return tokens[0]


@cache
def numbers(rows: tuple[Any, ...]) -> Tensor:
    """Nested tuples as a float64 tensor: models are asked hundreds of times."""
    return torch.tensor(rows, dtype=torch.float64)


@dataclass(frozen=True)
class Mixture:
    """Logits at position t: the rows of the tokens in a table, weighed by row t of a matrix, plus a constant.

    mixing: T by T weights; table: V by V whole numbers, no two rows alike.
    """

    mixing: tuple[tuple[float, ...], ...]
    table: tuple[tuple[float, ...], ...]
    constant: tuple[float, ...]

    __name__ = "model"

    def __call__(self, tokens: Tensor) -> Tensor:
        ids = checked(tokens, len(self.mixing), len(self.table))
        weights = numbers(self.mixing)[: len(ids), : len(ids)]
        return (weights @ numbers(self.table)[ids] + numbers(self.constant))[None]


@dataclass(frozen=True)
class Gated:
    """Every position reads token 0; only where that is odd does it read all the others as well."""

    seq: int
    vocab: int

    __name__ = "model"

    def __call__(self, tokens: Tensor) -> Tensor:
        ids = checked(tokens, self.seq, self.vocab)
        powers = torch.tensor([float(self.vocab**place) for place in range(len(ids))], dtype=torch.float64)
        heard = powers * ids if int(ids[0]) % 2 else powers[:1] * ids[:1]
        logits = torch.arange(self.vocab).double() * (1 + heard.sum())
        return logits.expand(1, len(ids), self.vocab)


def table_of(draw: Draw, vocab: int) -> tuple[tuple[float, ...], ...]:
    """Whole numbers, different in every column, so that each logit tells all tokens apart.

    Each token's own logit is the largest of its row, and no two rows have the same sum. What is said of a change must
    not hang on which other id is tried.
    """
    columns = torch.stack([draw.permutation(vocab) * (2 + column) for column in range(vocab)], dim=1)
    table = columns + torch.diag(100 + 50 * torch.arange(vocab))
    return tuple(map(tuple, table.double().tolist()))


def reading(draw: Draw, reads: Sequence[Sequence[int]], vocab: int, weight: float = 1.0) -> Mixture:
    """A model whose position t depends on the positions `reads[t]`; one of them outweighs all the others."""
    mixing = []
    for read in reads:
        row = [0.0] * len(reads)
        for place, power in zip(read, draw.permutation(len(read)).tolist() if read else [], strict=True):
            row[place] = weight * 8.0**power
        mixing.append(tuple(row))
    return Mixture(tuple(mixing), table_of(draw, vocab), (0.0,) * vocab)


def windows(n_layers: int, window: int, seq: int) -> tuple[tuple[float, ...], ...]:
    """The mixing of some layers, in each of which a position reads itself and the `window - 1` before it.

    No two positions have the same weight, or two changes could cancel.
    """
    layer = torch.ones(seq, seq, dtype=torch.float64).tril().triu(1 - window)
    mixed = torch.linalg.matrix_power(layer, n_layers) * torch.arange(1, seq + 1)  # whole numbers, exact
    return tuple(map(tuple, mixed.tolist()))


def sequence(*tokens: int) -> Tensor:
    """One sequence."""
    return torch.tensor([tokens])


SCATTERED = ((0, 4), (1, 2), (0, 2, 5), (1, 3, 4), (2, 4), (1, 3))
"""Who reads whom: earlier and later positions, with gaps, nobody as many as another reads it."""


@exercise("probe_receptive_field")
class TestProbeReceptiveField:
    @public
    @value(3)
    def test_scattered_field(self, check: Check, draw: Draw) -> None:
        """A model that reads some earlier and some later positions; first and last ids of the vocabulary."""
        model = reading(draw, SCATTERED, 4)
        check(model, sequence(0, 3, 1, 0, 3, 2), 3)
        check(model, sequence(3, 0, 3, 2, 0, 1), 2)

    @value(2)
    def test_every_position(self, check: Check, draw: Draw) -> None:
        """Each position has a field of its own."""
        model = reading(draw, SCATTERED, 3)
        tokens = draw.integers(0, 3, 1, 6)
        for position in range(6):
            check(model, tokens, position)

    @value(2)
    def test_two_tokens_in_the_vocabulary(self, check: Check, draw: Draw) -> None:
        """A vocabulary of two, and sequences of one id only."""
        model = reading(draw, SCATTERED, 2)
        check(model, sequence(0, 0, 0, 0, 0, 0), 5)
        check(model, sequence(1, 1, 1, 1, 1, 1), 4)
        check(model, draw.integers(0, 2, 1, 6), 3)

    @value(2)
    def test_windows(self, check: Check, draw: Draw) -> None:
        """Layers of windows: each of them reaches back as far again."""
        tokens, table = draw.integers(0, 3, 1, 9), table_of(draw, 3)
        for n_layers, window in ((1, 3), (2, 3), (3, 2)):
            check(Mixture(windows(n_layers, window, 9), table, (1e5, 0.0, 0.0)), tokens, 7)

    @value(2)
    def test_only_one_logit_moves(self, check: Check, draw: Draw) -> None:
        """A token may move a single logit, and one that is far from being the largest."""
        for column in range(4):
            table = tuple(
                tuple(1.0 + token if c == column else 3.0 for c in range(4)) for token in draw.permutation(4).tolist()
            )
            constant = tuple(500.0 if c == (column + 1) % 4 else 0.0 for c in range(4))
            mixing = reading(draw, SCATTERED, 4).mixing
            check(Mixture(mixing, table, constant), sequence(2, 0, 3, 1, 2, 0), 2)

    @value(1)
    def test_logits_whose_sum_stays(self, check: Check, draw: Draw) -> None:
        """What one logit gains another may lose."""
        amounts = [float(a) for a in draw.permutation(4)]
        table = tuple((amount, -amount, 5.0, 5.0) for amount in amounts)
        check(Mixture(reading(draw, SCATTERED, 4).mixing, table, (0.0,) * 4), sequence(1, 2, 0, 3, 3, 1), 3)

    @value(1)
    def test_faint_influence(self, check: Check, draw: Draw) -> None:
        """However little the logits change: any unequal bit is a change."""
        faint = reading(draw, SCATTERED, 3, weight=2.0**-46)
        check(Mixture(faint.mixing, faint.table, (1.0, 2.0, 3.0)), sequence(2, 0, 1, 1, 0, 2), 3)

    @value(1)
    def test_what_the_other_tokens_are_decides(self, check: Check) -> None:
        """The others stay as they are: here they are read only if the first token is odd."""
        check(Gated(5, 3), sequence(2, 1, 0, 2, 1), 2)
        check(Gated(4, 3), sequence(0, 1, 2, 0), 3)

    @public
    @law(1)
    def test_all_or_nothing(self, check: Check, draw: Draw) -> None:
        """A model that reads everything, one that reads nothing, and one that reads only its own position."""
        everything, nothing = [range(5)] * 5, [range(0)] * 5
        for reads in (everything, nothing, [(t,) for t in range(5)]):
            check(reading(draw, reads, 3), draw.integers(0, 3, 1, 5), 3)

    @law(1)
    def test_open_gate(self, check: Check) -> None:
        """Where the first token is odd, every position is read."""
        check(Gated(5, 3), sequence(1, 0, 2, 2, 0), 2)

    @public
    @shape(1)
    def test_one_position(self, check: Check, draw: Draw) -> None:
        """A sequence of one token."""
        check(reading(draw, [(0,)], 4), sequence(2), 0)

    @law(1)
    def test_leaves_tokens_alone(self, check: Check, draw: Draw) -> None:
        """The tokens are the same after the call."""
        check.unchanged(reading(draw, SCATTERED, 3), draw.integers(0, 3, 1, 6), 4)
