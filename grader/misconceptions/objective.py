"""Known mistakes of the lesson on the objective: each exercise written once, with a switch at every fork."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("objective")

EPSILONS = {"epsilon-1e-6": 1e-6, "epsilon-1e-8": 1e-8, "epsilon-1e-9": 1e-9, "epsilon-1e-12": 1e-12}
"""The constants that people add inside a logarithm, by the name of the mistake."""


def about(
    section: str, says: dict[str, str], fails: str | None = None, alone: bool = False
) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails, alone) for name, sentence in says.items())


def epsilons(names: tuple[str, ...], says: str) -> dict[str, str]:
    """The same mistake with several constants; `{}` in `says` is the constant."""
    return {name: says.format(name.removeprefix("epsilon-")) for name in names}


def cut_off(output: str, test: str) -> Misconception:
    """The value is right and no gradient flows; `test` is the suite's test of gradients."""
    return Misconception(
        "no-gradient",
        f"The {output} cut off from the graph (detach, .data, .item() or no_grad), so no gradient flows back.",
        "gradients-dtypes-and-arguments",
        fails=test,
    )


def changes(argument: str) -> Misconception:
    """The argument is used as scratch paper."""
    return Misconception(
        f"changes-{argument}",
        f"Your function writes into {argument}, which belongs to the caller; work on a new tensor.",
        "gradients-dtypes-and-arguments",
        fails="test_leaves_arguments_alone",
    )


def float32_results(argument: str, sixteen_bit_test: str, first_test: str) -> tuple[Misconception, Misconception]:
    """The arithmetic is float32 and nobody casts back: for 16-bit arguments alone, or for float64 ones too."""
    section = "gradients-dtypes-and-arguments"
    return (
        Misconception(
            "returns-float32",
            f"16-bit arguments come back as float32. Compute in float32, but give back the dtype of the {argument}.",
            section,
            fails=sixteen_bit_test,
        ),
        Misconception(
            "always-float32",
            f"The result is float32 whatever comes in; give back the dtype of the {argument}.",
            section,
            fails=first_test,
        ),
    )


STALLING_SUM = Misconception(
    "sum-stalls-in-16-bits",
    "Exponentials are added up in 16 bits, where the sum stops growing (in bfloat16 at 256); sum in float32.",
    "gradients-dtypes-and-arguments",
    fails="test_bfloat16",
    alone=True,
)


def widened(wrong: Wrong, x: Tensor) -> Tensor:
    """`x` in the precision that the arithmetic is done in."""
    return x.float() if wrong("always-float32") or x.dtype in (torch.bfloat16, torch.float16) else x


def given_back(wrong: Wrong, result: Tensor, dtype: torch.dtype) -> Tensor:
    """`result` in the dtype, and with the graph, that the caller gets."""
    result = result if wrong("always-float32") or wrong("returns-float32") else result.to(dtype)
    return result.detach() if wrong("no-gradient") else result


def stalling_sum(terms: Tensor, dtype: torch.dtype) -> Tensor:
    """The sum over the last axis, one term after the other in `dtype`: in bfloat16 a sum of ones stays at 256."""
    total = torch.zeros_like(terms[..., 0], dtype=dtype)
    for term in terms.to(dtype).unbind(-1):
        total = total + term
    return total


@catalogue.flawed(
    "embed",
    *about(
        "a-lookup-nothing-more",
        {
            "scaled-by-sqrt-d": "Rows are multiplied by the root of D, as in the 2017 encoder-decoder; here they are "
            "copied.",
            "divided-by-sqrt-d": "Rows are divided by the root of D; here they are copied as they are.",
            "ids-count-from-one": "You take the row before the right one: ids count from 0, and token 0 owns the "
            "first row.",
            "position-instead-of-id": "The row is chosen by the token's position; choose it by the token's id.",
            "token-0-is-padding": "Token 0 comes out as zeros, as if it were padding; here it is a token like any "
            "other.",
            "rows-of-unit-length": "The rows are brought to length 1; a lookup copies them as they are.",
        },
    ),
    *about(
        "ids-are-checked-never-bent",
        {
            "unchecked-ids": "Ids are not checked: a negative one picks a row from the end, one of V or more raises "
            "an IndexError. Both must raise ValueError.",
            "clamped-ids": "Ids outside the vocabulary are clamped to its first or last id; raise ValueError instead.",
            "wrapped-ids": "Ids outside the vocabulary are taken modulo V; raise ValueError instead.",
        },
        fails="test_id_too_large",
    ),
    *about(
        "ids-are-checked-never-bent",
        {
            "negative-ids-from-the-end": "A negative id picks a row from the end, as Python indexing does; raise "
            "ValueError for it too.",
        },
        fails="test_negative_id",
    ),
    Misconception(
        "always-float32",
        "The result is float32 whatever the table is; give back the dtype of the table.",
        "gradients-dtypes-and-arguments",
        fails="test_rows_of_a_small_table",
    ),
    Misconception(
        "leading-axes-lost",
        "The tokens are flattened and their axes do not come back; the result has the axes of the tokens, then D.",
        "gradients-dtypes-and-arguments",
        fails="test_a_batch_of_texts",
    ),
    cut_off("rows are", "test_gradient_of_repeated_ids"),
)
def embed(wrong: Wrong, tokens: Tensor, table: Tensor) -> Tensor:
    """One row of the table for each token."""
    vocabulary, width = table.shape
    ids = tokens
    if wrong("clamped-ids"):
        ids = ids.clamp(0, vocabulary - 1)
    if wrong("wrapped-ids"):
        ids = ids % vocabulary
    too_small = bool((ids < 0).any()) and not wrong("negative-ids-from-the-end")
    if (too_small or bool((ids >= vocabulary).any())) and not wrong("unchecked-ids"):
        raise ValueError("a token lies outside the vocabulary")
    if wrong("ids-count-from-one"):
        ids = ids - 1
    if wrong("position-instead-of-id"):
        positions = torch.arange(ids.shape[-1] if ids.dim() else 1)
        ids = positions.expand(ids.shape) if ids.dim() else positions[0]
    rows = table[ids]
    if wrong("token-0-is-padding"):
        rows = rows.masked_fill((tokens == 0).unsqueeze(-1), 0.0)
    if wrong("scaled-by-sqrt-d"):
        rows = rows * math.sqrt(width)
    if wrong("divided-by-sqrt-d"):
        rows = rows / math.sqrt(width)
    if wrong("rows-of-unit-length"):
        rows = rows / rows.norm(dim=-1, keepdim=True)
    if wrong("leading-axes-lost"):
        rows = rows.reshape(-1, width)
    rows = rows.float() if wrong("always-float32") else rows
    return rows.detach() if wrong("no-gradient") else rows


@catalogue.flawed(
    "unembed",
    *about(
        "transpose-the-table",
        {
            "not-transposed": "The states meet the table itself; multiply by its transpose, so that D is summed and V "
            "remains. It runs only where V happens to equal D.",
        },
    ),
    Misconception(
        "vocabulary-first",
        "The vocabulary comes out in front of the last leading axis; it belongs on the last axis, behind all others.",
        "transpose-the-table",
        fails="test_small_table",
    ),
    Misconception(
        "last-position-only",
        "Only the last position is scored, as in generation; every position gets its row of logits.",
        "transpose-the-table",
        fails="test_small_table",
    ),
    *about(
        "logits-are-raw-scores",
        {
            "divided-by-sqrt-d": "Logits are divided by the root of D, which belongs to attention; a logit is the "
            "plain dot product.",
            "scaled-by-sqrt-d": "Logits are multiplied by the root of D, a factor that some models put on their "
            "embeddings; a logit is the plain dot product.",
            "probabilities": "You return probabilities; logits are raw, and softmax is a function of its own.",
            "log-probabilities": "You return log-probabilities; logits are raw, and the loss takes the logarithm "
            "itself.",
            "peak-removed": "The largest logit is subtracted; that is a step of softmax, and logits stay as they are.",
            "mean-removed": "The mean of the logits is subtracted; logits stay as they are.",
            "rows-of-unit-length": "The table's rows are brought to length 1; the dot product takes them as they are.",
            "cosines": "States and rows are brought to length 1, which makes cosines; a logit is the dot product.",
        },
    ),
    Misconception(
        "always-float32",
        "The result is float32 whatever comes in; give back the dtype of the states.",
        "gradients-dtypes-and-arguments",
        fails="test_small_table",
    ),
    Misconception(
        "table-frozen",
        "The table is detached, so that it gets no gradient from the logits; a tied table learns from both ends.",
        "gradients-dtypes-and-arguments",
        fails="test_gradients",
    ),
    cut_off("logits are", "test_gradients"),
)
def unembed(wrong: Wrong, hidden: Tensor, table: Tensor) -> Tensor:
    """The dot product of each state and each row of the table."""
    if wrong("last-position-only"):
        hidden = hidden[..., -1, :] if hidden.dim() > 1 else hidden
    if wrong("rows-of-unit-length") or wrong("cosines"):
        table = table / table.norm(dim=-1, keepdim=True)
    if wrong("cosines"):
        hidden = hidden / hidden.norm(dim=-1, keepdim=True)
    if wrong("table-frozen"):
        table = table.detach()
    logits = torch.matmul(hidden, table if wrong("not-transposed") else table.transpose(0, 1))
    if wrong("divided-by-sqrt-d"):
        logits = logits / math.sqrt(table.shape[-1])
    if wrong("scaled-by-sqrt-d"):
        logits = logits * math.sqrt(table.shape[-1])
    if wrong("peak-removed"):
        logits = logits - logits.amax(-1, keepdim=True)
    if wrong("mean-removed"):
        logits = logits - logits.mean(-1, keepdim=True)
    if wrong("probabilities"):
        logits = logits.softmax(-1)
    if wrong("log-probabilities"):
        logits = logits.log_softmax(-1)
    if wrong("vocabulary-first") and logits.dim() > 1:
        logits = logits.transpose(-1, -2)
    logits = logits.float() if wrong("always-float32") else logits
    return logits.detach() if wrong("no-gradient") else logits


@catalogue.flawed(
    "softmax",
    *about(
        "one-peak-per-slice",
        {
            "no-peak-removed": "Exponentials of raw logits overflow to inf/inf or underflow to 0/0; subtract each "
            "slice's largest logit first.",
            "one-peak-for-all": "The largest logit of the whole tensor is subtracted, so slices far below it underflow "
            "to 0/0; subtract each slice's own largest.",
            "peak-at-least-0": "The largest logit is taken as 0 where all are negative, so slices far below 0 give "
            "0/0; a running maximum starts from -inf.",
            "mean-removed": "The mean is subtracted, which lets exponents overflow; subtract the largest logit.",
            "minimum-removed": "The smallest logit is subtracted, so exponentials only grow; subtract the largest.",
            "never-divided": "The exponentials are not divided by their sum, so a slice does not sum to 1.",
        },
    ),
    *about(
        "the-axis-is-an-argument",
        {
            "always-last-axis": "dim is not used: your function always takes the last axis.",
            "always-axis-1": "dim is not used: your function always takes axis 1 (of a single axis, that one).",
            "over-everything": "All entries share one sum; every slice along dim is a distribution of its own.",
            "axis-dropped": "The sum loses its axis (keepdim is missing), so it lines up with the wrong one: square "
            "slices are divided by the wrong sums, others raise an error.",
        },
    ),
    *about(
        "logits-are-raw-scores",
        {
            "twice": "Softmax is applied twice; the second one flattens the distribution.",
            "logarithm-returned": "You return the logarithms of the probabilities; return the probabilities.",
            "base-two": "You take powers of 2; softmax takes powers of e.",
            "sigmoid": "Each logit is squashed on its own, which is a sigmoid; in softmax the entries of a slice share "
            "a sum of 1.",
        },
    ),
    *about(
        "a-slice-with-nothing-in-it",
        {
            "nan-without-a-possible-entry": "A slice of nothing but -inf gives NaN (-inf - -inf, or 0/0); give zeros.",
            "uniform-without-a-possible-entry": "A slice of nothing but -inf comes out uniform, as it does when -inf "
            "is replaced by a large negative number; give zeros.",
        },
    ),
    Misconception(
        "repaired-after-the-division",
        "The NaN of a slice of nothing but -inf is replaced in the result but stays in the gradient; keep it from "
        "arising.",
        "a-slice-with-nothing-in-it",
        fails="test_gradients_at_impossible_entries",
    ),
    STALLING_SUM,
    *float32_results("logits", "test_bfloat16", "test_small_rows"),
    cut_off("probabilities are", "test_gradients"),
    changes("logits"),
)
def softmax(wrong: Wrong, logits: Tensor, dim: int = -1) -> Tensor:
    """Probabilities along one axis."""
    if wrong("always-last-axis"):
        dim = -1
    if wrong("always-axis-1"):
        dim = min(1, logits.dim() - 1)
    x = widened(wrong, logits)
    x = x * math.log(2) if wrong("base-two") else x
    if wrong("sigmoid"):
        return given_back(wrong, x.sigmoid(), logits.dtype)
    once = _shares(wrong, x, dim, logits.dtype)
    if wrong("twice"):
        once = _shares(wrong, once, dim, logits.dtype)
    if wrong("changes-logits"):
        logits -= logits.amax(dim, keepdim=True)
    return given_back(wrong, once.log() if wrong("logarithm-returned") else once, logits.dtype)


def _shares(wrong: Wrong, x: Tensor, dim: int, dtype: torch.dtype) -> Tensor:
    """Each exponential's part of its slice's sum."""
    hopeless = (x == -math.inf).all(dim, keepdim=True)
    peak = x.max(dim, keepdim=True).values.detach()
    if wrong("one-peak-for-all"):
        peak = x.max().detach().expand_as(peak)
    if wrong("peak-at-least-0"):
        peak = peak.clamp(min=0.0)
    if wrong("mean-removed"):
        peak = x.mean(dim, keepdim=True).detach()
    if wrong("minimum-removed"):
        peak = x.min(dim, keepdim=True).values.detach()
    careless = wrong("nan-without-a-possible-entry") or wrong("repaired-after-the-division")
    if not careless:
        peak = peak.masked_fill(hopeless, 0.0)
    powers = (x if wrong("no-peak-removed") else x - peak).exp()
    if wrong("never-divided"):
        return powers
    if wrong("over-everything"):
        total = powers.sum()
    elif wrong("sum-stalls-in-16-bits"):
        total = stalling_sum(powers.movedim(dim, -1), dtype).to(powers.dtype).unsqueeze(dim)
    else:
        total = powers.sum(dim, keepdim=not wrong("axis-dropped"))
    if not careless:
        empty = hopeless if total.shape == hopeless.shape else total == 0
        total = torch.where(empty, torch.ones_like(total), total)
    shares = powers / total
    if wrong("uniform-without-a-possible-entry"):
        shares = torch.where(hopeless, torch.full_like(shares, 1 / x.shape[dim]), shares)
    return shares.nan_to_num() if wrong("repaired-after-the-division") else shares


@catalogue.flawed(
    "shift_targets",
    *about(
        "shift-inside-the-row",
        {
            "not-shifted": "Inputs and targets are the same tokens, so copying would do; the target is the next token.",
            "not-shifted-first-dropped": "Both parts lack the first token; the inputs lack the last one instead.",
            "shifted-twice": "The targets are two steps ahead; the target of a token is the very next one.",
            "backwards": "Inputs and targets have changed places, so each token predicts the one before it; the "
            "inputs come first.",
        },
    ),
    *about(
        "shift-inside-the-row",
        {
            "two-columns-lost": "The targets are two steps ahead, and two columns are gone; take the very next token.",
            "flattened-first": "Rows are joined before the shift: the end of one predicts the beginning of the next. "
            "Shift inside each row.",
            "last-target-only": "Only the last token of a row is a target; every token but the first is one.",
            "batch-axis-shifted": "You cut the batch axis; the tokens of a row lie along the last axis.",
            "inputs-keep-the-last": "The inputs keep their last token, which has no target; both parts are (B, T-1).",
            "rolled": "The rows are rolled, so the last token gets the first as its target. It has none: both parts "
            "are (B, T-1).",
            "padded": "The missing last target is filled up; leave the last position out: both parts are (B, T-1).",
            "stacked": "You return one tensor; a pair (inputs, targets) was asked for.",
        },
        fails="test_two_small_rows",
    ),
    Misconception(
        "single-token-accepted",
        "A row of one token gives two empty parts; there is no next token, so raise ValueError.",
        "shift-inside-the-row",
        fails="test_rows_without_a_next_token",
    ),
    Misconception(
        "floats-returned",
        "The tokens become floating-point numbers; ids stay integers.",
        "gradients-dtypes-and-arguments",
        fails="test_two_small_rows",
    ),
)
def shift_targets(wrong: Wrong, tokens: Tensor) -> tuple[Tensor, ...] | Tensor:
    """What the model reads and what it must predict."""
    rows, length = tokens.shape
    if length < 2 and not wrong("single-token-accepted"):
        raise ValueError("there is no next token")
    tokens = tokens.float() if wrong("floats-returned") else tokens
    if wrong("batch-axis-shifted"):
        return tokens.narrow(0, 0, max(rows - 1, 0)), tokens[1:]
    if wrong("flattened-first"):
        flat = tokens.reshape(-1)
        return flat[:-1], flat[1:]
    inputs, targets = tokens.narrow(1, 0, length - 1), tokens.narrow(1, 1, length - 1)
    if wrong("not-shifted"):
        targets = inputs
    if wrong("not-shifted-first-dropped"):
        inputs = targets
    if wrong("shifted-twice"):
        targets = tokens.roll(-2, dims=1).narrow(1, 0, length - 1)
    if wrong("two-columns-lost"):
        inputs, targets = tokens[:, :-2], tokens[:, 2:]
    if wrong("last-target-only"):
        targets = tokens.narrow(1, length - 1, 1)
    if wrong("inputs-keep-the-last"):
        inputs = tokens
    if wrong("rolled"):
        inputs, targets = tokens, tokens.roll(-1, dims=1)
    if wrong("padded"):
        inputs, targets = tokens, torch.cat([targets, torch.full_like(tokens.narrow(1, 0, 1), -100)], dim=1)
    if wrong("backwards"):
        inputs, targets = targets, inputs
    return torch.stack([inputs, targets]) if wrong("stacked") else (inputs, targets)


COUNTING_MISTAKES = (
    *about(
        "divide-by-what-counts",
        {
            "ignored-in-denominator": "The sum is divided by the number of all positions; divide by the number of "
            "those that count.",
            "mean-of-row-means": "You average the means of rows, so tokens of short rows weigh more; average over all "
            "counted tokens at once.",
            "sum-not-mean": "The losses are summed; the mean over the counted targets was asked for.",
        },
    ),
    *about(
        "divide-by-what-counts",
        {
            "divided-by-vocabulary": "The mean runs over the vocabulary too, so the loss is V times too small; it runs "
            "over positions only.",
            "logarithm-of-the-mean": "The probabilities are averaged before the logarithm; average the losses.",
        },
        alone=True,
    ),
    *about(
        "leave-ignored-rows-out",
        {"ignore-index-fixed": "The argument ignore_index is not used: -100 is ignored whatever is passed."},
    ),
    *about(
        "leave-ignored-rows-out",
        {
            "nan-when-nothing-counts": "When no target counts you return NaN; there is no mean: raise ValueError.",
            "zero-when-nothing-counts": "When no target counts you return 0, a perfect score; raise ValueError.",
        },
        fails="test_nothing_counts",
    ),
    *about(
        "leave-ignored-rows-out",
        {
            "ignored-multiplied-by-0": "The losses of ignored rows are multiplied by 0, but 0 times inf is NaN; leave "
            "those rows out before anything is computed.",
            "ignored-replaced-afterwards": "The losses of ignored rows are computed and then replaced. The value is "
            "right, but an inf or NaN in those rows still reaches the gradient; leave them out before anything is "
            "computed.",
        },
        fails="test_ignored_rows_are_left_out",
    ),
    *about(
        "ids-are-checked-never-bent",
        {
            "negative-targets-ignored": "Every negative target is ignored; only ignore_index is to be, any other "
            "raises ValueError.",
            "unchecked-targets": "Targets are not checked: a negative one picks a token from the end and one of V or "
            "more raises an IndexError. Both must raise ValueError.",
            "unchecked-gather": "Targets are not checked, and torch raises its own RuntimeError for one outside the "
            "vocabulary; raise ValueError.",
            "negative-targets-from-the-end": "A negative target picks a token from the end; raise ValueError for it "
            "too.",
            "clamped-targets": "Targets outside the vocabulary are clamped to its first or last id; raise ValueError "
            "instead.",
        },
        fails="test_target_outside_the_vocabulary",
    ),
)
"""What cross-entropy can get wrong about which targets count, and for how much."""

LOSS_MISTAKES = (
    *about(
        "one-peak-per-slice",
        {
            "no-peak-removed": "Exponentials of raw logits overflow or underflow; subtract each row's largest logit "
            "first.",
            "logarithm-of-underflow": "A small probability underflows to 0 before its logarithm is taken. Do not form "
            "the probability: its logarithm is a difference of two terms.",
        },
    ),
    *about(
        "one-peak-per-slice",
        epsilons(
            ("epsilon-1e-8", "epsilon-1e-9", "epsilon-1e-12"),
            "{} is added inside the logarithm, which caps the loss. Do not form the probability: its logarithm is a "
            "difference of two terms.",
        ),
        alone=True,
    ),
    *about(
        "compare-v-with-t-before-you-reshape",
        {
            "viewed-not-transposed": "Logits are viewed as (B, V, T), which mixes tokens: view and reshape keep memory "
            "order and move no axis.",
            "softmax-over-positions": "Your probabilities sum to 1 over the positions; they must sum to 1 over the "
            "vocabulary.",
        },
        alone=True,
    ),
    *about(
        "compare-v-with-t-before-you-reshape",
        {
            "one-hot-product": "A one-hot row times log-probabilities gives 0 times inf, which is NaN, at impossible "
            "tokens; pick the target's entry alone.",
        },
        fails="test_impossible_tokens",
    ),
    *about(
        "shift-inside-the-row",
        {"shifted-again": "Targets are shifted once more inside the loss; they are the next tokens already."},
    ),
    *about(
        "logits-are-raw-scores",
        {
            "softmax-twice": "Softmax is applied twice, so the loss hardly leaves ln V; logits go in raw.",
            "logits-as-probabilities": "The target's logit is taken for its log-probability; the softmax is missing.",
        },
        alone=True,
    ),
    *about(
        "nats-or-bits",
        {
            "bits-not-nats": "The logarithm has base 2, so the loss is in bits; nats were asked for.",
            "minus-missing": "The minus sign is missing: the loss is -log p and never below 0.",
        },
    ),
)
"""What cross-entropy can get wrong about the loss of one row."""


@catalogue.flawed(
    "cross_entropy",
    *COUNTING_MISTAKES,
    *LOSS_MISTAKES,
    STALLING_SUM,
    *float32_results("logits", "test_bfloat16", "test_small_batch"),
    cut_off("loss is", "test_gradients"),
    changes("targets"),
)
def cross_entropy(wrong: Wrong, logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """The mean of -log p(target) over the targets that count."""
    counted = targets != (-100 if wrong("ignore-index-fixed") else ignore_index)
    if wrong("negative-targets-ignored"):
        counted = counted & (targets >= 0)
    if wrong("shifted-again") and targets.dim() > 0 and targets.shape[-1] > 1:
        logits, targets, counted = logits[..., :-1, :], targets[..., 1:], counted[..., 1:]
    if not bool(counted.any()):
        if wrong("nan-when-nothing-counts") or wrong("zero-when-nothing-counts"):
            return logits.new_tensor(math.nan if wrong("nan-when-nothing-counts") else 0.0)
        raise ValueError("no target counts")
    chosen = _checked(wrong, targets[counted], logits.shape[-1])
    x = widened(wrong, logits)
    losses = _losses(wrong, x, counted, chosen, logits.dtype)
    if wrong("ignored-multiplied-by-0") or wrong("ignored-replaced-afterwards"):
        ignored = _losses(wrong, x, ~counted, torch.zeros_like(targets[~counted]), logits.dtype)
        if wrong("ignored-replaced-afterwards"):
            ignored = torch.where(torch.ones_like(ignored, dtype=torch.bool), torch.zeros_like(ignored), ignored)
        losses = losses + (0 * ignored).sum()
    if wrong("changes-targets"):
        targets[~counted] = 0
    return given_back(wrong, _averaged(wrong, losses, counted, logits.shape[-1]), logits.dtype)


def _checked(wrong: Wrong, chosen: Tensor, vocabulary: int) -> Tensor:
    """The targets that count, refused or bent if outside the vocabulary."""
    if wrong("clamped-targets"):
        chosen = chosen.clamp(0, vocabulary - 1)
    if wrong("unchecked-targets"):
        chosen = torch.arange(vocabulary)[chosen]
    if wrong("negative-targets-from-the-end"):
        chosen = torch.where(chosen < 0, chosen + vocabulary, chosen)
    if bool(((chosen < 0) | (chosen >= vocabulary)).any()):
        raise RuntimeError("out of bounds") if wrong("unchecked-gather") else ValueError("outside the vocabulary")
    return chosen


def _losses(wrong: Wrong, x: Tensor, counted: Tensor, chosen: Tensor, dtype: torch.dtype) -> Tensor:
    """The loss of each counted target, in the order of `chosen`."""
    if wrong("viewed-not-transposed") and x.dim() > 1:
        x = x.reshape(*x.shape[:-2], x.shape[-1], x.shape[-2]).transpose(-1, -2)
    if wrong("softmax-over-positions") and x.dim() > 1:
        log_p = (x - x.logsumexp(-2, keepdim=True))[counted]
    elif wrong("logits-as-probabilities"):
        log_p = x[counted]
    else:
        log_p = _log_softmax(wrong, x[counted].softmax(-1) if wrong("softmax-twice") else x[counted], dtype)
    if wrong("one-hot-product"):
        losses = -(log_p * torch.nn.functional.one_hot(chosen, x.shape[-1])).sum(-1)
    else:
        losses = -log_p.gather(-1, chosen[:, None])[:, 0]
    losses = losses / math.log(2) if wrong("bits-not-nats") else losses
    return -losses if wrong("minus-missing") else losses


def _log_softmax(wrong: Wrong, rows: Tensor, dtype: torch.dtype) -> Tensor:
    """The logarithms of the probabilities of each row; of a row of nothing but -inf, -inf."""
    peak = torch.zeros_like(rows[:, :1]) if wrong("no-peak-removed") else rows.amax(-1, keepdim=True).detach()
    hopeless = peak == -math.inf
    shifted = rows - peak.masked_fill(hopeless, 0.0)
    powers = shifted.exp()
    total = stalling_sum(powers, dtype).to(powers.dtype) if wrong("sum-stalls-in-16-bits") else powers.sum(-1)
    for name in ("epsilon-1e-8", "epsilon-1e-9", "epsilon-1e-12"):
        if wrong(name):
            return (powers / total[:, None] + EPSILONS[name]).log()
    if wrong("logarithm-of-underflow"):
        return (powers / total[:, None]).log()
    return (shifted - total.log()[:, None]).masked_fill(hopeless, -math.inf)


def _averaged(wrong: Wrong, losses: Tensor, counted: Tensor, vocabulary: int) -> Tensor:
    """One number for all counted targets."""
    if wrong("logarithm-of-the-mean"):
        return -losses.neg().exp().mean().log()
    if wrong("sum-not-mean"):
        return losses.sum()
    if wrong("mean-of-row-means"):
        table = losses.new_zeros(counted.shape).masked_scatter(counted, losses)
        sizes = counted.sum(-1)
        return (table.sum(-1)[sizes > 0] / sizes[sizes > 0]).mean()
    loss = losses.sum() / (counted.numel() if wrong("ignored-in-denominator") else losses.numel())
    return loss / vocabulary if wrong("divided-by-vocabulary") else loss


@catalogue.flawed(
    "perplexity",
    *about(
        "nats-or-bits",
        {
            "base-two": "You raise 2 to the power of the loss; the loss is in nats, so the base is e.",
            "base-ten": "You raise 10 to the power of the loss; the loss is in nats, so the base is e.",
            "sign-lost": "The sign of the loss is flipped, so the result lies below 1; a perplexity is at least 1.",
            "converted-to-bits-first": "The loss is converted to bits before e is raised to it, which mixes two bases; "
            "leave it in nats.",
            "loss-returned": "You return the loss itself; perplexity is its exponential.",
            "logarithm-taken": "You take the logarithm of the loss; the loss is a logarithm already: undo it.",
            "loss-halved": "The loss is halved before the exponential; the mean loss goes in as it is.",
            "capped-loss": "The loss is cut off at 20 before the exponential; nothing is to be capped.",
        },
    ),
    Misconception(
        "nan-passed-on",
        "A NaN goes in and a NaN comes out; raise ValueError. (A NaN equals nothing, not even itself.)",
        "leave-ignored-rows-out",
        fails="test_nan",
    ),
    Misconception(
        "python-number",
        "You return a Python float, which has neither dtype nor gradient; return a scalar tensor.",
        "gradients-dtypes-and-arguments",
        fails="test_small_loss",
    ),
    Misconception(
        "one-element",
        "The result has an axis of length 1; a scalar tensor has none.",
        "gradients-dtypes-and-arguments",
        fails="test_small_loss",
    ),
    *float32_results("loss", "test_dtype_of_the_loss", "test_small_loss"),
    cut_off("perplexity is", "test_gradient"),
    changes("loss"),
)
def perplexity(wrong: Wrong, loss: Tensor) -> Tensor | float:
    """e to the power of the loss."""
    if bool(loss.isnan().any()) and not wrong("nan-passed-on"):
        raise ValueError("the loss is NaN")
    x = widened(wrong, loss)
    if wrong("loss-halved"):
        x = x / 2
    if wrong("capped-loss"):
        x = x.clamp(max=20.0)
    if wrong("converted-to-bits-first"):
        x = x / math.log(2)
    x = -x if wrong("sign-lost") else x
    if wrong("base-two") or wrong("base-ten"):
        x = x * math.log(2 if wrong("base-two") else 10)
    if wrong("loss-returned"):
        result = x * 1
    else:
        result = x.log() if wrong("logarithm-taken") else x.exp()
    if wrong("changes-loss"):
        loss.exp_()
    if wrong("python-number"):
        return result.item()
    return given_back(wrong, result.reshape(1) if wrong("one-element") else result, loss.dtype)


@catalogue.flawed(
    "entropy_bits",
    *about(
        "nats-or-bits",
        {
            "nats-not-bits": "The logarithm is natural, so the entropy is in nats; bits have base 2.",
            "minus-missing": "The minus sign is missing; entropy is never below 0.",
            "divided-by-log-v": "The entropy is divided by the largest possible one, log2 V; return it undivided.",
            "mean-not-sum": "The terms are averaged over the axis; sum them.",
        },
    ),
    *about(
        "zero-log-zero",
        {
            "nan-at-0": "0 times log 0 gives NaN; a probability of 0 contributes nothing.",
            **epsilons(
                ("epsilon-1e-6", "epsilon-1e-8"),
                "{} is added inside the logarithm, which biases every entry; handle zeros alone.",
            ),
            "raised-to-1e-9": "Probabilities are clamped to at least 1e-9, so impossible outcomes contribute; handle "
            "zeros alone.",
            "softmax-again": "Softmax is applied to the probabilities; they are a distribution already.",
            "logarithms-unweighted": "The logarithms are not weighted by the probabilities: each term is p log p.",
            "collision-entropy": "You take the logarithm of the sum of squares, a different entropy; sum -p log p.",
        },
    ),
    Misconception(
        "gradient-nan-at-0",
        "The value is right, but the logarithm of 0 is in the graph and its gradient is NaN; replace the zero before "
        "the logarithm, not the NaN after it.",
        "zero-log-zero",
        fails="test_gradients_at_zero",
    ),
    *about(
        "the-axis-is-an-argument",
        {
            "always-last-axis": "dim is not used: your function always sums over the last axis.",
            "always-axis-1": "dim is not used: your function always sums over axis 1 (of a single axis, that one).",
        },
    ),
    *about(
        "the-axis-is-an-argument",
        {
            "axis-kept": "The summed axis stays, with length 1; it should disappear (no keepdim).",
            "summed-over-everything": "All entries are summed into one number; each slice along dim has its own "
            "entropy.",
        },
        fails="test_small_rows",
    ),
    *float32_results("probabilities", "test_dtype_of_the_probabilities", "test_small_rows"),
    cut_off("entropy is", "test_gradients"),
    changes("probabilities"),
)
def entropy_bits(wrong: Wrong, probabilities: Tensor, dim: int = -1) -> Tensor:
    """The sum of -p log2 p along one axis."""
    if wrong("always-last-axis"):
        dim = -1
    if wrong("always-axis-1"):
        dim = min(1, probabilities.dim() - 1)
    p = widened(wrong, probabilities)
    p = p.softmax(dim) if wrong("softmax-again") else p
    if wrong("raised-to-1e-9"):
        p = p.clamp(min=1e-9)
    if wrong("changes-probabilities"):
        probabilities.masked_fill_(probabilities == 0, 1.0)
    terms = _information(wrong, p)
    if wrong("summed-over-everything"):
        total = terms.sum()
    elif wrong("collision-entropy"):
        total = -p.square().sum(dim).log2()
    else:
        reduce = torch.mean if wrong("mean-not-sum") else torch.sum
        total = reduce(terms, dim, keepdim=wrong("axis-kept"))
    total = total * math.log(2) if wrong("nats-not-bits") else total
    if wrong("divided-by-log-v"):
        total = total / math.log2(p.shape[dim])
    return given_back(wrong, -total if wrong("minus-missing") else total, probabilities.dtype)


def _information(wrong: Wrong, p: Tensor) -> Tensor:
    """What each outcome contributes."""
    if wrong("nan-at-0"):
        return -p * p.log2()
    if wrong("gradient-nan-at-0"):
        return torch.where(p == 0, torch.zeros_like(p), -p * p.log2())
    for name in ("epsilon-1e-6", "epsilon-1e-8"):
        if wrong(name):
            epsilon = EPSILONS[name]
            return -p * (p + epsilon).log2()
    logarithms = torch.where(p == 0, torch.ones_like(p), p).log2()
    return -logarithms if wrong("logarithms-unweighted") else -p * logarithms
