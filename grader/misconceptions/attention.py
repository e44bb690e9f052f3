"""Known mistakes of the lesson on attention: each exercise written once, with a switch at every fork."""

import math
from collections.abc import Mapping

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("attention")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


def drift(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes that no value shows: arguments, gradients, dtypes."""
    return about("arguments-change-gradients-vanish-types-drift", says, fails)


MASK_FORM = (
    *about(
        "the-shape-of-a-mask-is-part-of-it",
        {
            "float-mask": "Your mask holds the numbers 1 and 0; it should be boolean (True and False).",
            "additive-mask": "Your mask holds 0 and minus infinity, to be added to scores. Here a mask is boolean, and "
            "True means may attend.",
            "transposed": "Queries and keys have changed places: rows are queries, columns are keys.",
            "leading-axes-added": "Your mask has extra axes of size 1 in front; return two axes, which broadcast by "
            "themselves.",
        },
        fails="test_chunk_behind_a_cache",
    ),
    *about(
        "the-mask-starts-at-the-wrong-corner",
        {"square-mask": "Your mask has a column for each query; it needs one for each key, cached or new."},
        fails="test_chunk_behind_a_cache",
    ),
    *about(
        "the-shape-of-a-mask-is-part-of-it",
        {"sixteen-bit-positions": "Positions are compared in 16 bits, where 256 equals 257: compare integers."},
    ),
    *about(
        "the-mask-is-upside-down",
        {"inverted": "Your mask is upside down: True should mark the keys that a query may attend to."},
    ),
    *about(
        "causal-mask",
        {
            "accepts-too-many-queries": "More queries than keys are accepted, but the first of them would stand before "
            "the first key; raise ValueError.",
            "assertion": "Bad sizes are noticed, but by another exception (an assert, say); raise ValueError.",
        },
        fails="test_more_queries_than_keys",
    ),
)
"""What both masks can get wrong besides which keys are visible."""


def refuse(wrong: Wrong, message: str) -> None:
    """Raise what a bad size is answered with."""
    raise AssertionError(message) if wrong("assertion") else ValueError(message)


def positions(wrong: Wrong, n_queries: int, n_keys: int, offset: int) -> tuple[Tensor, Tensor]:
    """A column of query positions and a row of key positions."""
    dtype = torch.bfloat16 if wrong("sixteen-bit-positions") else torch.int64
    keys = torch.arange(n_queries if wrong("square-mask") else n_keys)
    return (torch.arange(n_queries) + offset).to(dtype)[:, None], keys.to(dtype)


def as_returned(wrong: Wrong, visible: Tensor) -> Tensor:
    """The mask in the form in which it is handed back."""
    if wrong("transposed"):
        visible = visible.T
    if wrong("inverted"):
        visible = ~visible
    if wrong("leading-axes-added"):
        visible = visible[None, None]
    if wrong("additive-mask"):
        return torch.zeros(visible.shape).masked_fill(~visible, -math.inf)
    return visible.float() if wrong("float-mask") else visible


@catalogue.flawed(
    "causal_mask",
    *about(
        "the-mask-starts-at-the-wrong-corner",
        {
            "top-left": "Your triangle starts at the top left corner, so with a cache query i sees the first i + 1 "
            "keys only; the last query belongs at the last key.",
            "offset-subtracted": "The number of cached keys is subtracted from the query's position; add it.",
            "no-mask-with-cache": "As soon as there are more keys than queries, everything is visible; several new "
            "queries still need a causal mask.",
        },
    ),
    *about(
        "a-token-must-see-itself",
        {
            "hides-own-key": "A query does not see the key at its own position; it should.",
            "sees-one-ahead": "Each query sees one key too many: the next token, which it has to predict.",
            "sees-the-future-only": "Your triangle is the upper one: queries see themselves and what comes after them.",
            "sees-everything": "Nothing is hidden; a query must not see the keys after its own position.",
        },
    ),
    *MASK_FORM,
)
def causal_mask(wrong: Wrong, n_queries: int, n_keys: int) -> Tensor:
    """Where each query stands, and which keys stand at or before it."""
    if n_queries > n_keys and not wrong("accepts-too-many-queries"):
        refuse(wrong, "more queries than keys")
    offset = 0 if wrong("top-left") else n_keys - n_queries
    if wrong("offset-subtracted"):
        offset = -offset
    query, key = positions(wrong, n_queries, n_keys, offset + wrong("sees-one-ahead") - wrong("hides-own-key"))
    visible = key >= query if wrong("sees-the-future-only") else key <= query
    if wrong("sees-everything") or (wrong("no-mask-with-cache") and n_keys > n_queries):
        visible = torch.ones_like(visible)
    return as_returned(wrong, visible)


@catalogue.flawed(
    "sliding_window_mask",
    *about(
        "the-window-is-off-by-one-or-has-one-side",
        {
            "one-key-too-many": "The window holds one key too many: the query's own key is one of the `window` keys.",
            "one-key-too-few": "The window holds one key too few: distances 0 to window - 1 are visible.",
            "future-visible": "The distance is limited backwards only; keys after the query must be hidden as well.",
            "both-sides": "The window reaches forwards as far as backwards; it should end at the query's own key.",
            "no-window": "The window has no effect: your mask is the plain causal one. Hide keys that are too old as "
            "well.",
            "oldest-keys": "The first `window` keys of the sequence stay visible, not the newest before each query.",
            "blocks": "The sequence is cut into blocks of `window` keys; the window should slide with the query.",
            "band-not-shifted": "With a cache, the older end of your window counts from the row number and the newer "
            "one from the position. Count both from the position.",
        },
    ),
    *about(
        "a-token-must-see-itself",
        {"hides-own-key": "The window ends just before the query; its own key is the newest that it sees."},
    ),
    *about(
        "the-mask-starts-at-the-wrong-corner",
        {"top-left": "Query i is taken to stand at position i; with a cache the last query stands at the last key."},
    ),
    *about(
        "sliding-window-mask",
        {"accepts-empty-window": "A window below 1 is accepted, which leaves nothing to see; raise ValueError."},
        fails="test_empty_window",
    ),
    *MASK_FORM,
)
def sliding_window_mask(wrong: Wrong, n_queries: int, n_keys: int, window: int) -> Tensor:
    """Which keys are near enough, and which of them are not in the future."""
    if n_queries > n_keys and not wrong("accepts-too-many-queries"):
        refuse(wrong, "more queries than keys")
    if window < 1 and not wrong("accepts-empty-window"):
        refuse(wrong, "window below 1")
    query, key = positions(wrong, n_queries, n_keys, 0 if wrong("top-left") else n_keys - n_queries)
    if wrong("hides-own-key"):
        query = query - 1
    start = query - (n_keys - n_queries) if wrong("band-not-shifted") else query
    width = window + wrong("one-key-too-many") - wrong("one-key-too-few")
    near = start - key < width
    if wrong("both-sides"):
        near = (start - key).abs() < width
    if wrong("oldest-keys"):
        near = (key < width).expand_as(near)
    if wrong("blocks"):
        near = query // max(width, 1) == key // max(width, 1)
    if wrong("no-window"):
        near = torch.ones_like(near)
    return as_returned(wrong, near if wrong("future-visible") or wrong("both-sides") else near & (key <= query))


SCALE = about(
    "the-scale",
    {
        "no-scale": "The scores are not scaled: divide them by the square root of the width of a query.",
        "divides-by-width": "The scores are divided by the width itself: the root is missing, or the scale is applied "
        "twice (to the queries and to the scores, say).",
        "multiplies-by-root": "The scores are multiplied by the square root of the width; divide by it. (To divide by "
        "a power of -0.5 is to multiply.)",
        "root-of-keys": "You divide by the root of the number of keys; take the root of the width of a query, the size "
        "of its last axis.",
        "zero-scale": "All your scores are 0: look at the scale (1 // 2 is 0 in Python).",
    },
)
SCALES_Q_IN_PLACE = drift(
    {"changes-q": "Your function scales q in place, which changes the caller's tensor; work on a new one."},
    fails="test_leaves_arguments_alone",
)


def products(wrong: Wrong, q: Tensor, k: Tensor, width: int) -> Tensor:
    """Dot products of queries and keys, over the root of `width`."""
    factor = width**-0.5
    if wrong("no-scale"):
        factor = 1.0
    if wrong("divides-by-width"):
        factor = 1 / width
    if wrong("multiplies-by-root"):
        factor = width**0.5
    if wrong("root-of-keys"):
        factor = k.shape[-2] ** -0.5
    if wrong("zero-scale"):
        factor = 0.0
    return q.mul_(factor) @ k.mT if wrong("changes-q") else q @ k.mT * factor


@catalogue.flawed(
    "attention_scores",
    *SCALE,
    *about(
        "the-scale",
        {
            "root-of-model-width": "You divide by the root of the width of all heads together; take that of one head, "
            "the last size of q.",
            "root-of-axis-one": "You divide by the root of the size of axis 1, which is the width only while there are "
            "two axes; count from the end.",
            "cosine": "Queries and keys are brought to length 1 first; a score is their plain dot product, divided by "
            "the root of the width.",
        },
    ),
    *about(
        "queries-keys-and-values-change-places",
        {"transposed": "Your scores have keys as rows; queries are rows and keys are columns."},
        fails="test_two_queries_four_keys",
    ),
    *about(
        "queries-keys-and-values-change-places",
        {
            "all-axes-reversed": "All axes of the keys are reversed, as `.T` does as soon as there is a batch; only "
            "the last two may change places.",
            "first-two-axes-swapped": "Axes 0 and 1 of the keys change places, which swaps the batch as soon as there "
            "is one; count from the end.",
        },
    ),
    *about(
        "the-softmax-runs-along-the-wrong-axis",
        {"already-weights": "These are weights, not scores: the softmax belongs to the next exercise."},
    ),
    *about(
        "causality-that-nobody-asked-for",
        {"already-masked": "Your scores hide later keys already; masks belong to the next exercise."},
    ),
    *SCALES_Q_IN_PLACE,
    *drift(
        {"detached": "The result is cut off from q and k (by detach, no_grad or .data), so nothing can be trained."},
        fails="test_gradient",
    ),
    *drift(
        {"returns-float32": "The result is float32 although queries and keys are not: give back their dtype."},
        fails="test_dtype",
    ),
)
def attention_scores(wrong: Wrong, q: Tensor, k: Tensor) -> Tensor:
    """Every query against every key."""
    width = max(q.shape[1], 1) if wrong("root-of-axis-one") else q.shape[-1]
    if wrong("root-of-model-width") and q.dim() == 4:
        width *= q.shape[1]
    if wrong("all-axes-reversed"):
        k = k.permute(*range(k.dim() - 1, -1, -1)).mT
    if wrong("first-two-axes-swapped"):
        k = k.transpose(0, 1).mT
    if wrong("cosine"):
        q, k = q / q.norm(dim=-1, keepdim=True), k / k.norm(dim=-1, keepdim=True)
    scores = products(wrong, q, k, width)
    if wrong("already-masked"):
        scores = scores.masked_fill(~torch.ones_like(scores).bool().tril(k.shape[-2] - q.shape[-2]), -math.inf)
    if wrong("already-weights"):
        scores = scores.softmax(-1)
    if wrong("transposed"):
        scores = scores.mT
    if wrong("detached"):
        scores = scores.detach()
    return scores.float() if wrong("returns-float32") else scores


MASKING = (
    *about(
        "the-mask-is-upside-down",
        {"inverted": "The hidden keys get the weight: True in the mask means may attend."},
    ),
    *about(
        "the-mask-does-nothing",
        {
            "ignores-mask": "The mask has no effect. (masked_fill without an underscore returns a new tensor and "
            "changes nothing.)",
            "adds-zero-one-mask": "The mask is added to the scores as 1 and 0, which hides nothing; a hidden score "
            "must become minus infinity.",
            "multiplies-scores": "The scores are multiplied by the mask, which leaves a hidden key with score 0, and "
            "the exponential of 0 is 1; a hidden score must become minus infinity.",
            "first-mask-only": "Every sample is given the mask of the first one; each has its own.",
        },
    ),
    *about(
        "the-mask-comes-too-late",
        {
            "zeroed-afterwards": "Hidden weights are set to 0 after the softmax, so the rows no longer sum to 1; the "
            "mask belongs before it.",
        },
    ),
    *about(
        "the-softmax-runs-along-the-wrong-axis",
        {
            "over-queries": "The softmax runs over the queries; each query's weights over the keys sum to 1.",
            "over-axis-one": "The softmax runs over axis 1, which holds the keys only while there are two axes; "
            "count from the end.",
            "over-everything": "The whole map sums to 1; the weights of each query should.",
            "softmax-twice": "The softmax is applied twice, which makes the weights nearly even; once is enough.",
        },
    ),
    *about(
        "the-softmax-overflows",
        {"nothing-subtracted": "Large scores overflow: subtract each row's largest visible score first."},
    ),
    *about(
        "a-query-that-sees-nothing",
        {
            "empty-row-nan": "A query that may attend to nothing gives NaN; its weights should all be 0.",
            "empty-row-even": "A query that may attend to nothing spreads its weight over hidden keys, as with a large "
            "negative number in place of minus infinity; its weights should all be 0.",
        },
    ),
    *about(
        "a-query-that-sees-nothing",
        {
            "empty-row-patched": "The NaN of an empty row is replaced in the value, but its gradient is still NaN; "
            "mend the scores before the softmax.",
        },
        fails="test_empty_row_gradient",
    ),
    *about(
        "causality-that-nobody-asked-for",
        {
            "adds-causality": "You apply a causal mask beside the mask that is given; apply only that one.",
            "causal-by-default": "Without a mask you apply a causal one; here no mask means that every key is visible.",
            "corner-triangle-by-default": "Without a mask you apply a lower triangle; here no mask means that every "
            "key is visible.",
        },
    ),
)
"""What shows in weights and in the mixed values alike."""


def masked_softmax(wrong: Wrong, scores: Tensor, mask: Tensor | None) -> Tensor:
    """Weights over the visible keys, with the mistakes of MASKING."""
    visible = visible_keys(wrong, scores, mask)
    everything = torch.ones_like(visible)
    if wrong("adds-zero-one-mask") and mask is not None:
        weights = visible_softmax(wrong, scores + visible.to(scores.dtype), everything)
    elif wrong("multiplies-scores"):
        weights = visible_softmax(wrong, scores * visible, everything)
    elif wrong("zeroed-afterwards"):
        weights = visible_softmax(wrong, scores, everything) * visible
    else:
        weights = visible_softmax(wrong, scores, visible)
    return weights.softmax(-1) if wrong("softmax-twice") else weights


def visible_keys(wrong: Wrong, scores: Tensor, mask: Tensor | None) -> Tensor:
    """Which key each query may attend to, in the shape of the scores."""
    visible = torch.ones(scores.shape[-2:], dtype=torch.bool)
    if mask is not None and not wrong("ignores-mask"):
        visible = ~mask if wrong("inverted") else mask
        if wrong("first-mask-only") and visible.dim() > 2:
            visible = visible[:1]
    visible = visible.expand(scores.shape)
    if mask is None and wrong("corner-triangle-by-default"):
        return visible.tril()
    causal = wrong("adds-causality") or (wrong("causal-by-default") and mask is None)
    return visible.tril(scores.shape[-1] - scores.shape[-2]) if causal else visible


def visible_softmax(wrong: Wrong, scores: Tensor, visible: Tensor) -> Tensor:
    """The softmax of the visible scores of each row."""
    empty = ~visible.any(-1, keepdim=True)
    if wrong("empty-row-patched"):
        # A mask that is added lets NaN gradients through to the scores; one that is filled in would stop them.
        hidden = torch.zeros_like(scores).masked_fill(~visible, -math.inf)
        return (scores + hidden).softmax(-1).masked_fill(empty, 0.0)
    fill = -1e4 if wrong("weak-fill") else torch.finfo(scores.dtype).min if wrong("empty-row-even") else -math.inf
    masked = scores if wrong("renormalised-afterwards") else scores.masked_fill(~visible, fill)
    axes = competing_axes(wrong)
    exponentials = (masked - subtrahend(wrong, masked, visible, axes)).exp()
    if wrong("renormalised-afterwards"):
        exponentials = exponentials * visible
    total = exponentials.sum(axes, keepdim=True)
    if not wrong("empty-row-nan"):
        # What mends an empty row (a guarded division, nan_to_num) also turns a row that has vanished into zeros.
        total = total.masked_fill(total == 0, 1.0)
    weights = exponentials / total
    return weights if wrong("empty-row-nan") or wrong("empty-row-even") else weights.masked_fill(empty, 0.0)


def competing_axes(wrong: Wrong) -> int | tuple[int, ...]:
    """The axes over which weights sum to 1."""
    if wrong("over-everything"):
        return (-2, -1)
    return -2 if wrong("over-queries") else 1 if wrong("over-axis-one") else -1


def subtrahend(wrong: Wrong, masked: Tensor, visible: Tensor, axes: int | tuple[int, ...]) -> Tensor:
    """What is subtracted before the exponential: the largest of the scores that compete."""
    if wrong("minimum-subtracted"):
        lowest = masked.masked_fill(~visible, math.inf).amin(axes, keepdim=True)
        return lowest.masked_fill(lowest == math.inf, 0.0)
    peak = masked.amax(axes, keepdim=True)
    if wrong("maximum-of-everything"):
        peak = masked.max().expand(peak.shape)
    if wrong("maximum-from-zero"):
        peak = peak.clamp(min=0.0)
    if wrong("nothing-subtracted"):
        peak = torch.zeros_like(peak)
    return peak if wrong("empty-row-nan") else peak.masked_fill(peak == -math.inf, 0.0)


@catalogue.flawed(
    "attention_weights",
    *MASKING,
    *about(
        "the-mask-comes-too-late",
        {
            "renormalised-afterwards": "Hidden keys are removed after the exponential; where a hidden score is far "
            "above the visible ones, these underflow to 0. Mask the scores first.",
        },
    ),
    *about(
        "the-softmax-overflows",
        {
            "maximum-of-everything": "The maximum of the whole tensor is subtracted, so rows far below it underflow to "
            "0; subtract each row's own.",
            "maximum-from-zero": "The maximum of a row is taken as 0 if all its scores are negative, so very negative "
            "rows underflow to 0; start at minus infinity.",
            "minimum-subtracted": "The smallest score is subtracted, so others overflow; subtract the largest.",
        },
    ),
    *about(
        "the-fill-is-not-small-enough",
        {"weak-fill": "Hidden scores become -10000, and visible ones may be as low; fill with minus infinity."},
    ),
    *about("the-scale", {"scaled-again": "You divide the scores by a root; they are scaled already."}),
    *drift(
        {
            "changes-scores": "Your function writes into scores, which belongs to the caller. (Methods that end in an "
            "underscore work in place.)",
            "changes-mask": "Your function writes into mask, which belongs to the caller. (Methods that end in an "
            "underscore work in place.)",
        },
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"detached": "The result is cut off from the scores (by detach, no_grad or .data), so nothing can be trained."},
        fails="test_gradient",
    ),
    *drift(
        {"returns-float32": "The result is float32 although the scores are not: give back their dtype."},
        fails="test_bfloat16_many_keys",
    ),
)
def attention_weights(wrong: Wrong, scores: Tensor, mask: Tensor | None = None) -> Tensor:
    """A softmax over the visible keys."""
    if mask is not None and wrong("changes-scores"):
        scores.masked_fill_(~mask, -math.inf)
    if mask is not None and wrong("changes-mask"):
        mask = ~mask.logical_not_()
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))
    if wrong("scaled-again"):
        wide = wide / math.sqrt(scores.shape[-1])
    weights = masked_softmax(wrong, wide, mask)
    if wrong("detached"):
        weights = weights.detach()
    return weights.to(torch.float32 if wrong("returns-float32") else scores.dtype)


@catalogue.flawed(
    "attention",
    *SCALE,
    *MASKING,
    *about(
        "the-scale",
        {
            "root-of-value-width": "You divide by the root of the width of the values; take that of the queries.",
            "scales-weights": "The scale is applied to the weights, which no longer sum to 1; it belongs to the "
            "scores.",
        },
    ),
    *about(
        "queries-keys-and-values-change-places",
        {
            "mixes-keys": "The weights mix the keys; they should mix the values.",
            "compares-with-values": "The queries are compared with the values; compare them with the keys.",
            "weights-transposed": "The weights are transposed before they meet the values; leave queries as rows.",
        },
    ),
    *about(
        "attention-put-together",
        {"returns-weights-too": "You return the weights as well; return the output alone."},
        fails="test_two_queries_four_keys",
    ),
    *SCALES_Q_IN_PLACE,
    *drift(
        {"detached": "The weights are cut off from q and k (by detach, no_grad or .data), so only v gets a gradient."},
        fails="test_gradient",
    ),
    *drift(
        {"returns-float32": "The result is float32 although the arguments are not: give back their dtype."},
        fails="test_bfloat16",
    ),
)
def attention(
    wrong: Wrong, q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None
) -> Tensor | tuple[Tensor, Tensor]:
    """Scores, weights, mixed values."""
    if wrong("mixes-keys"):
        v = k
    width = v.shape[-1] if wrong("root-of-value-width") else q.shape[-1]
    wide = torch.promote_types(q.dtype, torch.float32)
    compared = v if wrong("compares-with-values") else k
    if wrong("scales-weights"):
        scores = q.to(wide) @ compared.to(wide).mT
    else:
        scores = products(wrong, q.to(wide), compared.to(wide), width)
    declared = {mistake.name for mistake in MASKING}
    weights = masked_softmax(lambda name: name in declared and wrong(name), scores, mask)
    if wrong("scales-weights"):
        weights = weights / math.sqrt(width)
    if wrong("weights-transposed"):
        weights = weights.mT
    if wrong("detached"):
        weights = weights.detach()
    mixed = (weights @ v.to(wide)).to(torch.float32 if wrong("returns-float32") else q.dtype)
    return (mixed, weights) if wrong("returns-weights-too") else mixed


EPSILONS = ("1e-6", "1e-5", "1e-4", "1e-3")
"""What people add inside a logarithm; 1e-8 and less disappears in rounding and is no mistake."""


@catalogue.flawed(
    "attention_entropy",
    *about(
        "entropy-of-what-along-what-in-which-unit",
        {
            "nats": "The logarithm is natural, so the entropy is in nats; bits have base 2.",
            "negative": "The minus sign is missing: an entropy is never below 0.",
            "mean-over-keys": "The terms are averaged over the keys; entropy is their sum.",
            "over-queries": "The sum runs over the queries; it should run over the keys, the last axis.",
            "softmax-again": "Softmax is applied to the weights; they are a distribution already.",
            "weight-forgotten": "The logarithms are summed without their weights: each term is p log p.",
            "share-of-all-keys": "The entropy is divided by the logarithm of the number of keys; return it undivided.",
            "share-of-seen-keys": "The entropy is divided by the logarithm of the number of keys with a weight; return "
            "it undivided.",
            "effective-keys": "You return 2 to the power of the entropy, a number of keys; return the bits.",
            "largest-weight-only": "Only the largest weight of each query enters; every weight counts.",
        },
    ),
    *about(
        "entropy-of-what-along-what-in-which-unit",
        {
            "over-everything": "The whole map is summed into one number; return one for each query.",
            "mean-over-queries": "The entropies of all queries are averaged; return one for each query.",
            "key-axis-kept": "The summed axis stays, with size 1; it should disappear (no keepdim).",
        },
        fails="test_three_small_rows",
    ),
    *about(
        "entropy-of-what-along-what-in-which-unit",
        {
            "over-axis-one": "The sum runs over axis 1, which holds the keys only while there are two axes; count from "
            "the end.",
        },
        fails="test_batch_and_heads",
    ),
    *about(
        "the-logarithm-of-zero",
        {
            "nan-at-zero": "A weight of 0 gives NaN; it should add nothing.",
            **{
                f"eps-{eps}-inside": f"{eps} is added inside the logarithm and biases every term; handle zeros alone."
                for eps in EPSILONS
            },
        },
    ),
    *about(
        "the-logarithm-of-zero",
        {
            "gradient-at-zero": "The value is right, but the gradient at a weight of 0 is not finite: take the zero "
            "out before the logarithm, not after it.",
        },
        fails="test_gradient_at_zero",
    ),
    *drift(
        {"changes-weights": "Your function writes into weights, which belongs to the caller; work on a new tensor."},
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {"detached": "The result is cut off from the weights (by detach, no_grad or .data); no gradient flows back."},
        fails="test_gradient",
    ),
    *drift(
        {"returns-float32": "The result is float32 although the weights are not: give back their dtype."},
        fails="test_bfloat16",
    ),
)
def attention_entropy(wrong: Wrong, weights: Tensor) -> Tensor:
    """Surprise in bits, weighted and summed over the keys."""
    if wrong("changes-weights"):
        weights.clamp_(min=1e-9)
    p = weights.to(torch.promote_types(weights.dtype, torch.float32))
    if wrong("softmax-again"):
        p = p.softmax(-1)
    axes = competing_axes(wrong)
    if wrong("gradient-at-zero"):
        terms = torch.special.entr(p) / math.log(2)
    else:
        surprise = -(p if wrong("nan-at-zero") else p.masked_fill(p == 0, 1.0)).log2()
        for eps in EPSILONS:
            if wrong(f"eps-{eps}-inside"):
                surprise = -(p + float(eps)).log2()
        terms = surprise if wrong("weight-forgotten") else p * surprise
    bits: Tensor = terms.mean(axes) if wrong("mean-over-keys") else terms.sum(axes)
    if wrong("largest-weight-only"):
        bits = -p.amax(axes).log2()
    if wrong("nats"):
        bits = bits * math.log(2)
    if wrong("share-of-all-keys"):
        bits = bits / math.log2(p.shape[-1])
    if wrong("share-of-seen-keys"):
        bits = bits / (p > 0).sum(-1).clamp(min=2).log2()
    if wrong("negative"):
        bits = -bits
    if wrong("effective-keys"):
        bits = torch.exp2(bits)
    if wrong("mean-over-queries"):
        bits = bits.mean()
    if wrong("key-axis-kept"):
        bits = bits[..., None]
    if wrong("detached"):
        bits = bits.detach()
    return bits.to(torch.float32 if wrong("returns-float32") else weights.dtype)
