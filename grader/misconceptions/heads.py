"""Known mistakes of the lesson on heads: each exercise written once, with a switch at every fork."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("heads")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


def drift(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes that no value shows: arguments, gradients, dtypes."""
    return about("arguments-change-gradients-vanish-types-drift", says, fails)


def moved_only(first_test: str) -> tuple[Misconception, ...]:
    """What can go wrong with numbers that only move."""
    return (
        *drift(
            {"detached": "The result is cut off from x (by detach, .data or a detour through lists): nothing trains."},
            fails="test_gradient",
        ),
        *drift(
            {
                "float32-buffer": "The result is float32 whatever came in: a buffer from torch.zeros has that dtype "
                "unless it is told another."
            },
            fails=first_test,
        ),
    )


def refusal(fails: str) -> tuple[Misconception, ...]:
    """What can go wrong with numbers of heads that do not fit."""
    return about(
        "heads-that-do-not-divide",
        {
            "no-check": "Nothing is checked, so that torch complains later and about something else: raise a "
            "ValueError first, with a message.",
            "assertion": "Bad numbers of heads are noticed, but not with a ValueError: raise one, with a message.",
        },
        fails,
    )


def refuse(wrong: Wrong, bad: bool, message: str) -> None:
    """Raise what a bad number of heads is answered with."""
    if bad and wrong("assertion"):
        raise AssertionError(message)
    if bad and not wrong("no-check"):
        raise ValueError(message)


def as_returned(wrong: Wrong, moved: Tensor) -> Tensor:
    """The numbers in the form in which they are handed back."""
    if wrong("detached"):
        moved = moved.detach()
    return moved.float() if wrong("float32-buffer") else moved


@catalogue.flawed(
    "split_heads",
    *about(
        "heads-are-cut-across-tokens",
        {
            "no-swap": "The features are cut into the final shape at once, so that a head is filled from neighbouring "
            "tokens. Cut the last axis where it stands, then let time and heads change places.",
            "heads-interleaved": "Neighbouring features go to different heads; head h owns a stretch of K neighbours.",
            "time-runs-along-features": "Time and width change places before the cut, and the numbers are then read in "
            "the wrong order: cut first, swap afterwards.",
        },
    ),
    *about(
        "axes-in-another-order",
        {
            "time-before-heads": "The head axis stands behind time; it belongs in front of it.",
            "heads-first": "The head axis stands in front of the batch; it belongs behind it.",
            "folded-into-batch": "Batch and heads are folded into one axis; they are two.",
            "keys-transposed": "Time and head width have changed places; K is the last axis.",
            "width-taken-for-count": "The second argument is the number of heads, not their width.",
        },
        fails="test_two_tokens_three_heads",
    ),
    *refusal("test_width_not_divisible"),
    *moved_only("test_two_tokens_three_heads"),
)
def split_heads(wrong: Wrong, x: Tensor, n_heads: int) -> Tensor:
    """Cut the last axis, bring heads forward."""
    batch, seq, width = x.shape
    refuse(wrong, width % n_heads != 0, "width not divisible")
    count, k = (width // n_heads, n_heads) if wrong("width-taken-for-count") else (n_heads, width // n_heads)
    if wrong("heads-interleaved"):
        heads = x.reshape(batch, seq, k, count).permute(0, 3, 1, 2)
    elif wrong("no-swap"):
        heads = x.reshape(batch, count, seq, k)
    elif wrong("time-runs-along-features"):
        heads = x.transpose(1, 2).reshape(batch, count, seq, k)
    else:
        heads = torch.unflatten(x, 2, (count, k)).transpose(1, 2)
    if wrong("time-before-heads"):
        heads = heads.transpose(1, 2)
    if wrong("keys-transposed"):
        heads = heads.mT
    if wrong("heads-first"):
        heads = heads.transpose(0, 1)
    if wrong("folded-into-batch"):
        heads = heads.flatten(0, 1)
    return as_returned(wrong, heads)


@catalogue.flawed(
    "merge_heads",
    *about(
        "heads-are-cut-across-tokens",
        {
            "no-swap": "The heads are read off in the order in which they lie, so that a token is filled from several "
            "positions of one head. Time and heads change places first.",
            "heads-interleaved": "The heads are woven together feature by feature; each keeps its stretch of K "
            "neighbours.",
            "other-axes-swapped": "Time and head width change places; it is heads and time that must.",
            "heads-reversed": "The last head stands first; head 0 owns the first features.",
        },
    ),
    *about(
        "axes-in-another-order",
        {
            "not-flattened": "Heads and features are still two axes; make them one.",
            "time-folded": "Time and head width are folded together; it is the heads and their width that become one.",
            "heads-in-time": "The heads are laid one after another along time; they belong side by side in a token.",
            "heads-summed": "The heads are added up; they stand side by side, and the output projection mixes them.",
            "heads-averaged": "The heads are averaged; they stand side by side, and the output projection mixes them.",
        },
        fails="test_three_heads_two_tokens",
    ),
    *moved_only("test_three_heads_two_tokens"),
)
def merge_heads(wrong: Wrong, x: Tensor) -> Tensor:
    """Bring heads next to features, make one axis of both."""
    batch, count, seq, k = x.shape
    if wrong("no-swap"):
        merged = x.reshape(batch, seq, count * k)
    elif wrong("heads-interleaved"):
        merged = x.permute(0, 2, 3, 1).reshape(batch, seq, count * k)
    elif wrong("other-axes-swapped"):
        merged = x.mT.reshape(batch, seq, count * k)
    elif wrong("heads-reversed"):
        merged = torch.cat(x.flip(1).unbind(1), dim=-1)
    elif wrong("time-folded"):
        merged = x.flatten(2)
    elif wrong("heads-in-time"):
        merged = x.flatten(1, 2)
    elif wrong("heads-summed"):
        merged = x.sum(1)
    elif wrong("heads-averaged"):
        merged = x.mean(1)
    else:
        merged = torch.cat(x.unbind(1), dim=-1)
    if wrong("not-flattened"):
        merged = merged.reshape(batch, seq, count, -1)
    return as_returned(wrong, merged)


@catalogue.flawed(
    "repeat_kv",
    *about(
        "the-copies-are-not-neighbours",
        {
            "tiled": "Whole copies of the head axis follow each other (0, 1, 0, 1); the copies of one head must be "
            "neighbours (0, 0, 1, 1).",
            "copies-mixed-with-time": "The new axis stands behind time, so that merging it with the heads mixes "
            "positions; it belongs right behind the heads.",
            "first-head-only": "Every copy is one of head 0; each head serves its own group.",
            "only-first-copy-filled": "Only one copy of each head is filled, the others are 0.",
        },
    ),
    *about(
        "axes-in-another-order",
        {
            "repeats-time": "Positions are repeated; repeat heads, axis 1.",
            "repeats-batch": "Samples are repeated; repeat heads, axis 1.",
            "repeats-everything-flat": "Without an axis, repeat_interleave flattens its input; name axis 1.",
            "axis-kept": "Heads and copies are still two axes; make them one.",
            "count-is-total": "The second argument is the number of copies of each head, not of all heads together.",
        },
        fails="test_two_heads_three_times",
    ),
    *refusal("test_less_than_once"),
    *moved_only("test_two_heads_three_times"),
)
def repeat_kv(wrong: Wrong, x: Tensor, n_repeats: int) -> Tensor:
    """A new axis right behind the heads, expanded, then merged with them."""
    refuse(wrong, n_repeats < 1, "fewer than one repeat")
    batch, count, seq, k = x.shape
    n = max(1, n_repeats // count) if wrong("count-is-total") else n_repeats
    if wrong("repeats-time"):
        return as_returned(wrong, x.repeat_interleave(n, 2))
    if wrong("repeats-batch"):
        return as_returned(wrong, x.repeat_interleave(n, 0))
    if wrong("repeats-everything-flat"):
        return as_returned(wrong, x.repeat_interleave(n))
    if wrong("first-head-only"):
        x = x[:, :1].expand(x.shape)
    if wrong("tiled"):
        copies = torch.cat([x] * n, dim=1) if n > 0 else x[:, :0]
        copies = copies.reshape(batch, count, n, seq, k)
    elif wrong("copies-mixed-with-time"):
        copies = x[:, :, :, None].expand(batch, count, seq, n, k).reshape(batch, count, n, seq, k)
    else:
        copies = x[:, :, None].expand(batch, count, n, seq, k)
    if wrong("only-first-copy-filled"):
        copies = torch.cat([copies[:, :, :1], torch.zeros_like(copies[:, :, 1:])], dim=2)
    return as_returned(wrong, copies if wrong("axis-kept") else copies.reshape(batch, count * n, seq, k))


BOTH_CUTS = about(
    "heads-are-cut-across-tokens",
    {
        "splits-without-swap": "The heads are cut out of the wrong order of numbers, so that a head is filled from "
        "neighbouring tokens.",
        "merges-without-swap": "The heads are merged in the wrong order: heads and time change places first.",
        "heads-interleaved": "Neighbouring features go to different heads; head h owns rows h*K to (h+1)*K - 1 of each "
        "projection.",
    },
)
PROJECTIONS = about(
    "projections-transposed-swapped-missing",
    {
        "output-untransposed": "The output projection is applied without its transpose; weights are (out, in).",
        "output-missing": "The output projection wo is missing: merged heads are not the result yet.",
        "keys-and-values-swapped": "wk makes the values and wv the keys: they have changed places.",
        "values-from-wk": "The values are projected with wk; they have wv.",
    },
)
BIASES = about(
    "biases-are-optional",
    {
        "biases-ignored": "The biases are never added.",
        "output-bias-ignored": "The bias of the output projection, bo, is never added.",
        "value-bias-ignored": "The bias of the values, bv, is never added.",
        "empty-row-without-output-bias": "The whole result of a query that may attend to nothing is set to 0; only its "
        "context is 0, and bo is still added.",
    },
)
SCALE = about(
    "the-scale-is-that-of-one-head",
    {
        "no-scale": "The scores are not divided by the square root of the head width.",
        "divides-by-head-width": "The scores are divided by the head width itself: the root is missing, or the scale "
        "is applied twice.",
        "root-of-model-width": "The scores are divided by the root of the model width D; a head compares vectors of "
        "its own width K.",
        "root-of-head-count": "The scores are divided by the root of the number of heads; the head width K belongs "
        "there.",
    },
)
MASKS = about(
    "a-given-mask-replaces-the-causal-one",
    {
        "given-mask-ignored": "The mask that is passed has no effect: attention stays causal.",
        "causal-on-top": "The causal mask is applied on top of the one that is passed; that one replaces it.",
        "not-causal-by-default": "Without a mask every position sees every other; None means causal here.",
        "hides-own-position": "Without a mask a position does not see itself; it should.",
        "given-mask-inverted": "The mask that is passed is read upside down: True means may attend.",
        "first-sample-mask": "Every sample is given the mask of the first one.",
        "first-head-mask": "Every head is given the mask of the first one.",
        "zeroed-afterwards": "Hidden weights are set to 0 after the softmax, so that the others no longer sum to 1.",
    },
)
EMPTY_ROWS = (
    *about(
        "a-query-that-sees-nothing",
        {
            "empty-row-nan": "A query that may attend to nothing gives NaN; its context should be 0.",
            "empty-row-even": "A query that may attend to nothing gets a mean of hidden values; its context is 0.",
        },
    ),
    *about(
        "a-query-that-sees-nothing",
        {
            "empty-row-patched": "The NaN of a query that sees nothing is replaced in the value, but its gradient is "
            "still NaN; mend the scores before the softmax.",
        },
        fails="test_empty_row_gradient",
    ),
)
COMPETING = about(
    "what-competes-with-what",
    {
        "over-queries": "The softmax runs over the queries; each query's weights over the keys sum to 1.",
        "over-heads": "The softmax runs over the heads; each head has distributions of its own.",
        "nothing-subtracted": "Scores of a hundred overflow: the largest visible score of each row must be subtracted.",
    },
)
ATTENTION_DRIFT = (
    *drift(
        {
            "changes-weights": "The caller's weights are changed in place, so that the next call sees others.",
            "adds-keys": "Missing biases are written into the caller's dict; read with a default instead.",
        },
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"detached": "The attention weights are cut off from queries and keys: wq and wk get no gradient."},
        fails="test_gradient",
    ),
    *drift({"returns-float32": "The result is float32 although x is not: give back its dtype."}, fails="test_dtype"),
)


def linear(wrong: Wrong, x: Tensor, weights: Mapping[str, Tensor], letter: str, untransposed: bool = False) -> Tensor:
    """`x W^T`, and the bias if there is one."""
    matrix = weights[f"w{letter}"]
    out = x @ (matrix if untransposed else matrix.mT)
    ignored = {"o": "output-bias-ignored", "v": "value-bias-ignored"}.get(letter)
    if f"b{letter}" not in weights or wrong("biases-ignored") or (ignored and wrong(ignored)):
        return out
    return out + weights[f"b{letter}"]


def cut(wrong: Wrong, x: Tensor, count: int) -> Tensor:
    """`(B, T, count*K)` -> `(B, count, T, K)`."""
    batch, seq, width = x.shape
    if wrong("heads-interleaved"):
        return x.reshape(batch, seq, width // count, count).permute(0, 3, 1, 2)
    if wrong("splits-without-swap"):
        return x.reshape(batch, count, seq, width // count)
    return x.reshape(batch, seq, count, width // count).transpose(1, 2)


def joined(wrong: Wrong, x: Tensor) -> Tensor:
    """`(B, H, T, K)` -> `(B, T, H*K)`."""
    batch, count, seq, k = x.shape
    if wrong("heads-interleaved"):
        return x.permute(0, 2, 3, 1).reshape(batch, seq, count * k)
    return (x if wrong("merges-without-swap") else x.transpose(1, 2)).reshape(batch, seq, count * k)


def visible_keys(wrong: Wrong, mask: Tensor | None, scores: Tensor) -> Tensor:
    """Which key each query may attend to, in the shape of the scores."""
    causal = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-1 if wrong("hides-own-position") else 0)
    if wrong("not-causal-by-default"):
        causal = torch.ones_like(causal)
    if mask is None or wrong("given-mask-ignored"):
        return causal.expand(scores.shape)
    if wrong("given-mask-inverted"):
        mask = ~mask
    if wrong("causal-on-top"):
        mask = mask & causal
    if wrong("first-sample-mask") and mask.dim() == 4:
        mask = mask[:1]
    if wrong("first-head-mask") and mask.dim() > 2:
        mask = mask[..., :1, :, :]
    return mask.expand(scores.shape)


def distribution(wrong: Wrong, scores: Tensor, visible: Tensor) -> Tensor:
    """Weights over the visible keys."""
    axis = -2 if wrong("over-queries") else 1 if wrong("over-heads") else -1
    empty = ~visible.any(-1, keepdim=True)
    if wrong("zeroed-afterwards"):
        return scores.softmax(axis) * visible
    if wrong("empty-row-patched"):
        return (scores + torch.zeros_like(scores).masked_fill(~visible, -math.inf)).softmax(-1).masked_fill(empty, 0.0)
    if wrong("empty-row-even"):
        return scores.masked_fill(~visible, -1e9).softmax(axis)
    masked = scores.masked_fill(~visible, -math.inf)
    if wrong("nothing-subtracted"):
        exponentials = masked.exp()
        total = exponentials.sum(axis, keepdim=True)
        return exponentials / (total if wrong("empty-row-nan") else total.masked_fill(total == 0, 1.0))
    if axis != -1:
        # 0 and not NaN where nothing competes: a variant that is NaN everywhere resembles every wrong answer.
        nothing = ~visible.any(axis, keepdim=True)
        return masked.masked_fill(nothing, 0.0).softmax(axis).masked_fill(nothing, 0.0)
    if wrong("empty-row-nan"):
        return masked.softmax(axis)
    return masked.masked_fill(empty, 0.0).softmax(axis).masked_fill(empty, 0.0)


def attended(wrong: Wrong, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None) -> Tensor:
    """The context of every head, `(B, H, T, K)`."""
    _, n_heads, _, width = q.shape
    divisor = math.sqrt(width)
    if wrong("no-scale") or wrong("changes-weights"):
        divisor = 1.0
    if wrong("divides-by-head-width"):
        divisor = width
    if wrong("root-of-model-width"):
        divisor = math.sqrt(width * n_heads)
    if wrong("root-of-head-count"):
        divisor = math.sqrt(n_heads)
    scores = q @ k.mT / divisor
    weights = distribution(wrong, scores, visible_keys(wrong, mask, scores))
    return (weights.detach() if wrong("detached") else weights) @ v


def result_of(
    wrong: Wrong,
    x: Tensor,
    weights: Mapping[str, Tensor],
    context: Tensor,
    mask: Tensor | None,
    untransposed: bool = False,
) -> Tensor:
    """Merged heads, projected."""
    merged = joined(wrong, context)
    untransposed = untransposed or wrong("output-untransposed")
    out = merged if wrong("output-missing") else linear(wrong, merged, weights, "o", untransposed)
    if mask is not None and wrong("empty-row-without-output-bias"):
        sees = mask.expand(context.shape[0], context.shape[1], *mask.shape[-2:]).any(-1).any(1)
        out = out * sees.expand(out.shape[:2])[..., None]
    return out.to(torch.float32 if wrong("returns-float32") else x.dtype)


def widened(x: Tensor, weights: Mapping[str, Tensor]) -> tuple[Tensor, dict[str, Tensor]]:
    """16-bit arguments in float32, all others as they are."""
    wide = torch.promote_types(x.dtype, torch.float32)
    return x.to(wide), {name: weight.to(wide) for name, weight in weights.items()}


def meddle(wrong: Wrong, weights: dict[str, Tensor], head_width: int) -> None:
    """What is done to the caller's dict."""
    if wrong("changes-weights"):
        weights["wq"] /= math.sqrt(head_width)
        if "bq" in weights:
            weights["bq"] /= math.sqrt(head_width)
    if wrong("adds-keys"):
        for letter in "qkvo":
            weights.setdefault(f"b{letter}", torch.zeros(len(weights[f"w{letter}"]), dtype=weights["wq"].dtype))


def sources(wrong: Wrong) -> dict[str, str]:
    """Which projection makes queries, keys and values."""
    if wrong("keys-and-values-swapped"):
        return {"q": "q", "k": "v", "v": "k"}
    return {"q": "q", "k": "k", "v": "k" if wrong("values-from-wk") else "v"}


@catalogue.flawed(
    "multi_head_attention",
    *BOTH_CUTS,
    *about(
        "heads-are-cut-across-tokens",
        {"one-wide-head": "There is one head as wide as the model; n_heads has no effect."},
    ),
    *PROJECTIONS,
    *about(
        "projections-transposed-swapped-missing",
        {
            "untransposed": "The projections are applied without their transpose; weights are stored as (out, in).",
            "queries-and-keys-swapped": "wq makes the keys and wk the queries: they have changed places.",
        },
    ),
    *BIASES,
    *SCALE,
    *MASKS,
    *EMPTY_ROWS,
    *COMPETING,
    *refusal("test_width_not_divisible"),
    *ATTENTION_DRIFT,
)
def multi_head_attention(
    wrong: Wrong, x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Four projections around an attention in every head."""
    refuse(wrong, x.shape[-1] % n_heads != 0, "width not divisible")
    meddle(wrong, weights, x.shape[-1] // n_heads)
    count = 1 if wrong("one-wide-head") else n_heads
    wide, wide_weights = widened(x, weights)
    made_by = {"q": "k", "k": "q", "v": "v"} if wrong("queries-and-keys-swapped") else sources(wrong)
    untransposed = wrong("untransposed")
    q, k, v = (cut(wrong, linear(wrong, wide, wide_weights, made_by[letter], untransposed), count) for letter in "qkv")
    if count < n_heads and mask is not None and mask.dim() > 2:
        mask = mask[..., :1, :, :]
    return result_of(wrong, x, wide_weights, attended(wrong, q, k, v, mask), mask, untransposed)


def for_each_query_head(wrong: Wrong, kv: Tensor, n_heads: int) -> Tensor:
    """`(B, Hkv, T, K)` -> `(B, H, T, K)`."""
    n_kv_heads = kv.shape[1]
    query_heads = torch.arange(n_heads // n_kv_heads * n_kv_heads)
    if wrong("tiled"):
        return kv[:, query_heads % n_kv_heads]
    if wrong("divides-by-kv-heads"):
        return kv[:, query_heads // n_kv_heads]
    if wrong("first-kv-head-only"):
        return kv[:, :1]
    if wrong("averages-kv-heads"):
        return kv.mean(1, keepdim=True)
    return kv[:, query_heads // max(1, n_heads // n_kv_heads)]


@catalogue.flawed(
    "grouped_query_attention",
    *about(
        "which-query-heads-share",
        {
            "tiled": "Query heads 0 and Hkv share a key-value head; neighbours should: 0, 0, 1, 1, not 0, 1, 0, 1.",
            "divides-by-kv-heads": "The key-value head of query head h is taken to be h // Hkv; divide by the size of "
            "a group, H / Hkv.",
            "first-kv-head-only": "Every query head reads key-value head 0; each group has its own.",
            "averages-kv-heads": "The key-value heads are averaged; each group reads its own.",
            "averages-queries": "The queries of a group are averaged; they share keys and values only.",
            "root-of-group-width": "The head width is taken to be D / Hkv; it is D / H for queries, keys and values.",
        },
    ),
    *BOTH_CUTS,
    *PROJECTIONS,
    *BIASES,
    *SCALE,
    *MASKS,
    *EMPTY_ROWS,
    *COMPETING,
    *refusal("test_heads_not_divisible"),
    *ATTENTION_DRIFT,
)
def grouped_query_attention(
    wrong: Wrong,
    x: Tensor,
    weights: dict[str, Tensor],
    n_heads: int,
    n_kv_heads: int,
    mask: Tensor | None = None,
) -> Tensor:
    """Multi-head attention whose keys and values are handed to several query heads each."""
    refuse(wrong, n_heads % n_kv_heads != 0, "heads not divisible")
    meddle(wrong, weights, x.shape[-1] // n_heads)
    wide, wide_weights = widened(x, weights)
    made_by = sources(wrong)
    q = cut(wrong, linear(wrong, wide, wide_weights, "q"), n_heads)
    k, v = (cut(wrong, linear(wrong, wide, wide_weights, made_by[letter]), n_kv_heads) for letter in "kv")
    k, v = (for_each_query_head(wrong, kv, n_heads) for kv in (k, v))
    if wrong("averages-queries"):
        group = n_heads // n_kv_heads
        q = torch.unflatten(q, 1, (n_kv_heads, group)).mean(2).repeat_interleave(group, 1)
    if wrong("root-of-group-width"):
        q = q * math.sqrt(n_kv_heads / n_heads)
    return result_of(wrong, x, wide_weights, attended(wrong, q, k, v, mask), mask)
