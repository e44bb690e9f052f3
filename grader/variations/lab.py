"""Right answers to the lab, written in other ways."""

import bisect
import heapq
import math
from collections.abc import Callable
from itertools import chain
from typing import Any

import torch
from torch import Tensor

from grader.judge.variation import Variations
from reference.block import trace_block

variations = Variations("lab")

Model = Callable[[Tensor], Tensor]


@variations.right("kv_cache_bytes")
def by_product(n_blocks: int, n_kv_heads: int, head_width: int, seq: int, batch: int, bytes_per_value: int) -> int:
    """One product of a list."""
    return math.prod([2, n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value])


@variations.right("kv_cache_bytes")
def from_real_shapes(
    n_blocks: int, n_kv_heads: int, head_width: int, seq: int, batch: int, bytes_per_value: int
) -> int:
    """Asks tensors without storage for their number of elements."""
    key = torch.empty(batch, n_kv_heads, seq, head_width, device="meta")
    value = torch.empty_like(key)
    return sum((key.numel() + value.numel()) * bytes_per_value for _ in range(n_blocks))


@variations.right("kv_cache_bytes")
def by_token(n_blocks: int, n_kv_heads: int, head_width: int, seq: int, batch: int, bytes_per_value: int) -> int:
    """Bytes of one token first."""
    per_token = n_blocks * 2 * n_kv_heads * head_width * bytes_per_value
    return per_token * seq * batch


@variations.right("kv_cache_bytes")
def as_an_integer_tensor(
    n_blocks: int, n_kv_heads: int, head_width: int, seq: int, batch: int, bytes_per_value: int
) -> Tensor:
    """Multiplies in an int64 tensor and returns its one element."""
    return 2 * torch.tensor([n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value]).prod()


def product(rows: int, inner: int, columns: int) -> int:
    """Operations of one matrix product."""
    return 2 * rows * inner * columns


@variations.right("forward_flops")
def product_by_product(config: dict[str, Any], seq: int) -> int:
    """Every product by its three sizes, head by head."""
    d, f = config["d_model"], config["d_hidden"]
    h, g = config["n_heads"], config["n_kv_heads"]
    k = d // h
    total = 0
    for _ in range(config["n_blocks"]):
        total += product(seq, d, h * k) + 2 * product(seq, d, g * k) + product(seq, h * k, d)
        for _ in range(h):
            total += product(seq, k, seq) + product(seq, seq, k)
        total += 2 * product(seq, d, f) + product(seq, f, d)
    return total + product(seq, d, int(config["vocab"]))


@variations.right("forward_flops")
def from_matrices_and_maps(config: dict[str, Any], seq: int) -> int:
    """Twice the weights that are multiplied, for each token; then the maps."""
    d = config["d_model"]
    attention = 2 * d * d + 2 * d * d * config["n_kv_heads"] // config["n_heads"]
    weights = config["n_blocks"] * (attention + 3 * d * config["d_hidden"]) + d * config["vocab"]
    maps = 4 * config["n_blocks"] * d * seq**2
    result: int = 2 * weights * seq + maps
    return result


@variations.right("forward_flops")
def from_the_trace(config: dict[str, Any], seq: int) -> int:
    """Takes the sizes from the trace of a block's shapes."""
    sizes = {key: config[key] for key in ("d_model", "n_heads", "n_kv_heads", "d_hidden")}
    shapes = {name: tuple(size) for name, size in trace_block({"batch": 1, "seq": seq, **sizes})}
    d: int = config["d_model"]
    numbers = {name: math.prod(size) for name, size in shapes.items()}
    inner = dict.fromkeys(("q", "k", "v", "attn_out", "gate", "up"), d)
    inner |= {"scores": shapes["q"][-1], "context": seq, "mlp_out": config["d_hidden"]}
    block = sum(2 * numbers[name] * summed for name, summed in inner.items())
    total: int = config["n_blocks"] * block + 2 * seq * d * config["vocab"]
    return total


@variations.right("forward_flops")
def by_token_then_times_length(config: dict[str, Any], seq: int) -> int:
    """Operations of one token that sees all seq of them, times seq."""
    d, kv = config["d_model"], config["n_kv_heads"] * config["d_model"] // config["n_heads"]
    per_block = sum(2 * d * rows for rows in (d, kv, kv, d)) + 3 * 2 * d * config["d_hidden"]
    per_block += 2 * (2 * seq * d)
    return int(seq * (config["n_blocks"] * per_block + 2 * d * config["vocab"]))


@variations.right("retain")
def by_python_sort(scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Tensor:
    """Sorts the other units in Python, by score and then by index."""
    if n_sink + n_recent > budget:
        raise ValueError("budget too small")
    values = scores.tolist()
    kept = {i for i in range(len(values)) if i < n_sink or i >= len(values) - n_recent}
    others = sorted((i for i in range(len(values)) if i not in kept), key=lambda i: (-values[i], i))
    kept.update(others[: budget - len(kept)])
    return torch.tensor(sorted(kept), dtype=torch.long)


@variations.right("retain")
def protected_are_infinite(scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Tensor:
    """Gives protected units an infinite score in a copy, sorts once, takes the first ones."""
    if budget < n_sink + n_recent:
        raise ValueError("budget too small")
    worth, t = scores.detach().clone(), len(scores)
    place = torch.arange(t)
    worth[(place < n_sink) | (place >= t - n_recent)] = torch.inf
    return worth.sort(descending=True, stable=True).indices[:budget].sort().values


@variations.right("retain")
def one_at_a_time(scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Tensor:
    """Takes the best unit that is left until the budget is used up; the first maximum wins."""
    if n_sink + n_recent > budget:
        raise ValueError("budget too small")
    left = scores.double()
    kept: list[int] = []
    for i in chain(range(min(n_sink, len(left))), range(max(len(left) - n_recent, 0), len(left))):
        if i not in kept:
            bisect.insort(kept, i)
    while len(kept) < min(budget, len(left)):
        free = [i for i in range(len(left)) if i not in kept]
        bisect.insort(kept, max(free, key=lambda i: float(left[i])))
    return torch.tensor(kept).long()


@variations.right("retain")
def by_heap(scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Tensor:
    """Picks the largest from the middle with a heap and moves the indices."""
    if n_sink + n_recent > budget:
        raise ValueError("budget too small")
    t = scores.shape[0]
    start, end = min(n_sink, t), max(t - n_recent, min(n_sink, t))
    middle = heapq.nsmallest(
        max(budget - start - (t - end), 0), range(start, end), key=lambda i: (-scores[i].item(), i)
    )
    parts = (torch.arange(start), torch.tensor(sorted(middle), dtype=torch.int64), torch.arange(end, t))
    return torch.cat(parts)


@variations.right("retain")
def one_above_all(scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Tensor:
    """Marks protected units by a score that is larger by 1 than all of them, in float64."""
    if n_sink + n_recent > budget:
        raise ValueError("budget too small")
    worth, place = scores.double(), torch.arange(len(scores))
    worth = torch.where((place < n_sink) | (place >= len(scores) - n_recent), worth.max() + 1, worth)
    return worth.argsort(descending=True, stable=True)[:budget].sort().values


@variations.right("retain")
def by_counting_who_is_better(scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Tensor:
    """Ranks each unit by counting the units that come before it, then keeps ranks below the budget."""
    if n_sink + n_recent > budget:
        raise ValueError("budget too small")
    place = torch.arange(len(scores))
    protected = (place < n_sink) | (place >= len(scores) - n_recent)
    better = scores[None] > scores[:, None]
    tied_earlier = (scores[None] == scores[:, None]) & (place[None] < place[:, None])
    before = (better | tied_earlier) & (protected[None] == protected[:, None])
    rank = before.sum(1) + torch.where(protected, 0, protected.sum())
    return torch.where(rank < budget)[0]


@variations.right("retain")
def by_two_sorts(scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Tensor:
    """Sorts by score, then stably by protection, and cuts."""
    if n_sink + n_recent > budget:
        raise ValueError("budget too small")
    t = len(scores)
    order = torch.sort(-scores.double(), stable=True)[1]
    exposed = torch.ones(t, dtype=torch.int8)
    exposed[:n_sink] = 0
    if n_recent:
        exposed[-n_recent:] = 0
    order = order[torch.sort(exposed[order], stable=True)[1]]
    return order[: min(budget, t)].msort()


def other_ids(token: int, vocab: int) -> list[int]:
    """All ids but one."""
    return [*range(token), *range(token + 1, vocab)]


@variations.right("probe_receptive_field")
def next_id_only(model: Model, tokens: Tensor, position: int) -> Tensor:
    """Tries one other id for each place, the next one around."""
    before = model(tokens)[0, position]
    found = []
    for place in range(tokens.shape[1]):
        copy = tokens.clone()
        copy[0, place] = (copy[0, place] + 1) % before.shape[-1]
        found.append(bool((model(copy)[0, position] != before).any()))
    return torch.tensor(found)


@variations.right("probe_receptive_field")
def every_id(model: Model, tokens: Tensor, position: int) -> Tensor:
    """Tries every id, its own included, and gathers the differences in a table."""
    before = model(tokens)
    t, vocab = tokens.shape[-1], before.shape[-1]
    differs = torch.zeros(t, vocab, dtype=torch.bool)
    for place in range(t):
        for token in range(vocab):
            after = model(tokens.index_fill(1, torch.tensor([place]), token))
            differs[place, token] = not torch.equal(after[:, position], before[:, position])
    return differs.any(dim=1)


@variations.right("probe_receptive_field")
def in_place_and_put_back(model: Model, tokens: Tensor, position: int) -> Tensor:
    """Replaces tokens in one working copy and puts each one back."""
    work = tokens.clone()
    before = model(work)[0, position].clone()
    field = torch.full((tokens.shape[1],), False)
    for place, token in enumerate(tokens[0].tolist()):
        for other in other_ids(token, len(before)):
            work[0, place] = other
            field[place] |= bool(model(work)[0, position].ne(before).any())
        work[0, place] = token
    return field


@variations.right("probe_receptive_field")
def by_lists(model: Model, tokens: Tensor, position: int) -> Tensor:
    """Builds each sequence as a list and compares lists of logits."""
    ids = tokens.tolist()[0]
    before = model(tokens)[0][position].tolist()

    def differs(place: int, other: int) -> bool:
        return bool(model(torch.tensor([[*ids[:place], other, *ids[place + 1 :]]]))[0][position].tolist() != before)

    return torch.tensor(
        [any(differs(place, other) for other in other_ids(ids[place], len(before))) for place in range(len(ids))]
    )


@variations.right("probe_receptive_field")
def last_or_first_id(model: Model, tokens: Tensor, position: int) -> Tensor:
    """Replaces each token by id 0, or by the last id where it is 0 already; from the end to the start."""
    before = model(tokens)[0, position]
    places = torch.arange(tokens.shape[1])
    field = torch.zeros(len(places), dtype=torch.bool)
    for place in places.flip(0).tolist():
        other = 0 if int(tokens[0, place]) else len(before) - 1
        after = model(torch.where(places == place, other, tokens))[0, position]
        field[place] = (after - before).abs().max() > 0
    return field
