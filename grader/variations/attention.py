"""Right answers to the lesson on attention, written in other ways."""

import itertools
import math

import torch
from torch import Tensor

from grader.judge.variation import Variations

variations = Variations("attention")


@variations.right("causal_mask")
def by_tril(n_queries: int, n_keys: int) -> Tensor:
    """Shifts the diagonal of a lower triangle."""
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    return torch.ones(n_queries, n_keys, dtype=torch.bool).tril(diagonal=n_keys - n_queries)


@variations.right("causal_mask")
def by_triu_of_the_hidden(n_queries: int, n_keys: int) -> Tensor:
    """Marks the hidden keys and negates."""
    if not n_queries <= n_keys:
        raise ValueError("more queries than keys")
    return torch.triu(torch.ones(n_queries, n_keys), diagonal=n_keys - n_queries + 1) == 0


@variations.right("causal_mask")
def last_rows_of_the_square(n_queries: int, n_keys: int) -> Tensor:
    """Makes the square mask and keeps its last rows, as a view."""
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    key = torch.arange(n_keys)
    return (key.unsqueeze(0) <= key.unsqueeze(1))[n_keys - n_queries :]


@variations.right("causal_mask")
def row_by_row(n_queries: int, n_keys: int) -> Tensor:
    """Fills one row after another."""
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    mask = torch.zeros(n_queries, n_keys, dtype=torch.bool)
    for i in range(n_queries):
        mask[i, : i + 1 + n_keys - n_queries] = True
    return mask


@variations.right("sliding_window_mask")
def by_two_triangles(n_queries: int, n_keys: int, window: int) -> Tensor:
    """Keeps what is in one lower triangle and not in the next."""
    if window < 1 or n_queries > n_keys:
        raise ValueError("bad sizes")
    ones = torch.ones(n_queries, n_keys, dtype=torch.bool)
    return ones.tril(n_keys - n_queries) & ones.triu(n_keys - n_queries - window + 1)


@variations.right("sliding_window_mask")
def by_distance(n_queries: int, n_keys: int, window: int) -> Tensor:
    """Compares the distance of query and key with both ends."""
    if min(window, n_keys - n_queries + 1) < 1:
        raise ValueError("bad sizes")
    distance = torch.arange(n_keys - n_queries, n_keys).view(-1, 1) - torch.arange(n_keys).view(1, -1)
    return torch.logical_and(distance >= 0, distance < window)


@variations.right("sliding_window_mask")
def by_loops(n_queries: int, n_keys: int, window: int) -> Tensor:
    """Fills the visible stretch of each row."""
    if window < 1:
        raise ValueError("empty window")
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    mask = torch.zeros((n_queries, n_keys), dtype=torch.bool)
    for i, end in enumerate(range(n_keys - n_queries + 1, n_keys + 1)):
        mask[i, max(0, end - window) : end] = True
    return mask


@variations.right("attention_scores")
def by_einsum(q: Tensor, k: Tensor) -> Tensor:
    """Lets einsum transpose."""
    return torch.einsum("...qc,...kc->...qk", q, k) / math.sqrt(q.size(-1))


@variations.right("attention_scores")
def queries_scaled_first(q: Tensor, k: Tensor) -> Tensor:
    """Scales the queries before the product."""
    return torch.matmul(q * q.shape[-1] ** -0.5, k.mT)


@variations.right("attention_scores")
def both_scaled_by_the_fourth_root(q: Tensor, k: Tensor) -> Tensor:
    """Shares the scale between queries and keys."""
    fourth_root = math.sqrt(math.sqrt(k.shape[-1]))
    return (q / fourth_root) @ (k / fourth_root).transpose(-1, -2)


@variations.right("attention_scores")
def multiplied_and_summed(q: Tensor, k: Tensor) -> Tensor:
    """Broadcasts queries against keys and sums over the features."""
    return (q.unsqueeze(-2) * k.unsqueeze(-3)).sum(-1).div_(math.sqrt(q.shape[-1]))


@variations.right("attention_scores")
def in_float32(q: Tensor, k: Tensor) -> Tensor:
    """Computes in float32 whatever comes in."""
    return torch.divide(q.float() @ k.float().mT, math.sqrt(q.shape[-1])).type_as(q)


def all_visible(scores: Tensor, mask: Tensor | None) -> Tensor:
    """The mask in the shape of the scores."""
    return torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand_as(scores)


@variations.right("attention_weights")
def lowest_number_then_zeros(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Fills with the lowest finite number, then sets hidden weights to exactly 0."""
    if mask is None:
        return torch.softmax(scores, dim=-1)
    return scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(-1).masked_fill(~mask, 0)


@variations.right("attention_weights")
def a_billion_below(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Chooses between score and -1e9, in float32, and multiplies by the mask at the end."""
    visible = all_visible(scores, mask)
    return (torch.where(visible, scores.float(), -1e9).softmax(-1) * visible).to(scores.dtype)


@variations.right("attention_weights")
def minus_infinity_patched(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Fills with minus infinity and replaces the NaN of empty rows; masked_fill keeps it out of the gradient."""
    return patched(scores, mask)


def patched(scores: Tensor, mask: Tensor | None) -> Tensor:
    """A masked softmax; also what the variations of attention use."""
    filled = scores if mask is None else scores.masked_fill(mask.logical_not(), float("-inf"))
    return torch.nan_to_num(torch.nn.functional.softmax(filled, dim=-1))


@variations.right("attention_weights")
def empty_rows_opened(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Adds a mask of minus infinity, opens empty rows for the softmax and zeroes them afterwards."""
    visible = all_visible(scores, mask)
    empty = ~visible.any(-1, keepdim=True)
    bias = torch.zeros_like(scores).masked_fill(~(visible | empty), -torch.inf)
    return (scores + bias).softmax(-1) * ~empty


@variations.right("attention_weights")
def exponential_of_log_softmax(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Takes the exponential of the log-softmax."""
    visible = all_visible(scores, mask)
    return scores.masked_fill(~visible, -1e30).log_softmax(-1).exp().masked_fill(~visible, 0.0)


@variations.right("attention_weights")
def score_minus_logsumexp(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Subtracts the logarithm of the sum of exponentials."""
    visible = all_visible(scores, mask)
    filled = scores.float().masked_fill(~visible, -1e9)
    return ((filled - filled.logsumexp(-1, keepdim=True)).exp() * visible).to(scores.dtype)


@variations.right("attention_weights")
def by_hand(scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """Shifts by the largest visible score, and never divides by less than the smallest number."""
    visible = all_visible(scores, mask)
    peak = scores.masked_fill(~visible, torch.finfo(scores.dtype).min).max(dim=-1, keepdim=True).values
    exponentials = torch.exp(torch.where(visible, scores - peak, 0.0)) * visible
    return exponentials / exponentials.sum(-1, keepdim=True).clamp_min(torch.finfo(scores.dtype).tiny)


@variations.right("attention")
def by_two_einsums(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Both products by einsum."""
    scores = torch.einsum("...qc,...kc->...qk", q, k) * q.shape[-1] ** -0.5
    return torch.einsum("...qk,...kc->...qc", patched(scores, mask), v)


@variations.right("attention")
def softmax_in_float32(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Products in the dtype of the arguments, softmax in float32."""
    scores = (q / math.sqrt(q.shape[-1])) @ k.mT
    return patched(scores.float(), mask).to(v.dtype) @ v


@variations.right("attention")
def divided_at_the_end(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Mixes the values with the exponentials and divides by their sum last."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
    exponentials = (scores - scores.amax(-1, keepdim=True)).exp()
    if mask is not None:
        exponentials = exponentials * mask
    total = exponentials.sum(-1, keepdim=True)
    return exponentials @ v / torch.where(total == 0, 1, total)


@variations.right("attention")
def online_in_blocks(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Walks over the keys two at a time with a running maximum, sum and output."""
    visible = torch.ones((), dtype=torch.bool) if mask is None else mask
    visible = visible.expand(*q.shape[:-1], k.shape[-2])
    peak = torch.full_like(q[..., :1], torch.finfo(q.dtype).min)
    total = torch.zeros_like(q[..., :1])
    output = torch.zeros_like(q[..., :1]).expand(*q.shape[:-1], v.shape[-1])
    for start in range(0, k.shape[-2], 2):
        seen = visible[..., start : start + 2]
        scores = q @ k[..., start : start + 2, :].mT / q.shape[-1] ** 0.5
        scores = scores.masked_fill(~seen, torch.finfo(q.dtype).min)
        higher = torch.maximum(peak, scores.amax(-1, keepdim=True))
        shrink, exponentials = (peak - higher).exp(), (scores - higher).exp() * seen
        total = total * shrink + exponentials.sum(-1, keepdim=True)
        output = output * shrink + exponentials @ v[..., start : start + 2, :]
        peak = higher
    return output / total.masked_fill(total == 0, 1.0)


@variations.right("attention")
def sequence_by_sequence(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None) -> Tensor:
    """Loops over the leading axes and computes in float64."""
    leading = q.shape[:-2]
    visible = torch.ones((), dtype=torch.bool) if mask is None else mask
    visible = visible.expand(*leading, q.shape[-2], k.shape[-2])
    outputs = torch.zeros(*leading, q.shape[-2], v.shape[-1], dtype=torch.float64)
    for at in itertools.product(*map(range, leading)):
        scores = q[at].double() @ k[at].double().T / math.sqrt(q.shape[-1])
        outputs[at] = patched(scores, visible[at]) @ v[at].double()
    return outputs.to(q.dtype)


@variations.right("attention_entropy")
def zero_replaced_by_one(weights: Tensor) -> Tensor:
    """Takes the logarithm of 1 where the weight is 0."""
    return -(weights * torch.log2(torch.where(weights > 0, weights, 1))).sum(dim=-1)


@variations.right("attention_entropy")
def clamped_logarithm(weights: Tensor) -> Tensor:
    """Takes the logarithm of at least 1e-12, in nats, and converts."""
    return -torch.einsum("...k,...k->...", weights, weights.clamp(min=1e-12).log()) / math.log(2.0)


@variations.right("attention_entropy")
def tiny_constant(weights: Tensor) -> Tensor:
    """Adds a constant that is too small to matter inside the logarithm."""
    return -(weights * (weights + 1e-12).log2()).sum(-1)


@variations.right("attention_entropy")
def in_float32_throughout(weights: Tensor) -> Tensor:
    """Computes in float32 whatever comes in, over the positive weights only."""
    wide = weights.float()
    surprise = torch.zeros_like(wide)
    positive = wide > 0
    surprise = surprise.masked_scatter(positive, -wide[positive].log2())
    return (wide * surprise).sum(-1).to(weights.dtype)


@variations.right("attention_entropy")
def product_of_views(weights: Tensor) -> Tensor:
    """One small matrix product for each query."""
    surprise = weights.masked_fill(weights == 0, 1.0).log2().neg()
    return (weights.unsqueeze(-2) @ surprise.unsqueeze(-1)).squeeze(-1).squeeze(-1)
