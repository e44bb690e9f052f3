"""Tokens in, a distribution out: the two ends of a language model and the signal that trains it.

Symbols: B batch, T sequence length, D model width, V vocabulary, N counted targets, `...` any number of leading axes,
also none.
"""

import math

import torch
from torch import Tensor


def embed(tokens: Tensor, table: Tensor) -> Tensor:
    """Look up one row of the embedding table for each token id: `out[...] = table[tokens[...]]`.

    Args:
        tokens: `(...)` int64 ids, each in `0..V-1`. Leading axes may be absent or empty.
        table: `(V, D)` embeddings, float64, float32, bfloat16 or float16.

    Returns:
        `(..., D)` in the dtype of `table`; a row used several times collects the sum of its gradients.

    Raises:
        ValueError: a token lies outside `0..V-1`. A negative id does not count from the end.

    Source: Bengio et al. (2003), A Neural Probabilistic Language Model, JMLR 3:1137-1155, section 2 (the matrix C).
    """
    _check_ids(tokens, table.shape[0], "token")
    return table[tokens]  # (..., D)


def unembed(hidden: Tensor, table: Tensor) -> Tensor:
    """Score every token of the vocabulary against each hidden state: logits with tied weights and no bias.

    Args:
        hidden: `(..., D)` final states. Leading axes may be absent or empty.
        table: `(V, D)` the embedding table, same dtype as `hidden`.

    Returns:
        `(..., V)` logits in the dtype of `hidden`; entry v is the dot product of the state and row v.

    Source: Press, Wolf (2017), Using the Output Embedding to Improve Language Models, arXiv:1608.05859, section 3.
    """
    return hidden @ table.T  # (..., V)


def softmax(logits: Tensor, dim: int = -1) -> Tensor:
    """Turn logits into probabilities along one axis: `exp(x_i) / sum_j exp(x_j)`, in the shifted, stable form.

    Args:
        logits: one axis or more, float64, float32, bfloat16 or float16; entries may be `-inf` (impossible).
        dim: the axis that becomes a distribution, negative or not.

    Returns:
        The shape and dtype of `logits`. Each slice along `dim` sums to 1, an entry of `-inf` gets exactly 0, and a
        slice of nothing but `-inf` is all 0. Gradients are finite in all these cases.

    Source: Bridle (1990), softmax; shifted form: Blanchard, Higham, Higham (2021), doi:10.1093/imanum/draa038, eq. 1.2.
    """
    wide = _at_least_float32(logits)  # (..., V, ...)
    exponentials = (wide - _finite_peak(wide, dim)).exp()  # (..., V, ...), each in [0, 1]
    total = exponentials.sum(dim, keepdim=True)  # (..., 1, ...); at least 1, or 0 where a slice is all -inf
    return (exponentials / total.masked_fill(total == 0, 1.0)).to(logits.dtype)  # (..., V, ...)


def shift_targets(tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Split each row into what the model reads and what it must predict: the same row, one step later.

    Args:
        tokens: `(B, T)` ids; B may be 0.

    Returns:
        `(inputs, targets)`, each `(B, T-1)`, with `targets[b, t] = tokens[b, t+1]`: T-1 training signals a row. Both
        may share memory with `tokens`.

    Raises:
        ValueError: T < 2, so there is no next token.

    Source: Radford et al. (2018), Improving Language Understanding by Generative Pre-Training, eq. 1.
    """
    if tokens.shape[-1] < 2:
        raise ValueError(f"a row needs at least 2 tokens to have a next one, got {tokens.shape[-1]}")
    return tokens[:, :-1], tokens[:, 1:]  # (B, T-1), (B, T-1)


def cross_entropy(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """Mean surprise at the targets: the mean of `-log softmax(logits)[target]` over the targets that count, in nats.

    Args:
        logits: `(..., V)` raw scores, float64, float32, bfloat16 or float16; entries may be `-inf`.
        targets: `(...)` int64 ids in `0..V-1`, or `ignore_index`.
        ignore_index: positions with this target do not count, whatever their logits; it may be an id of the vocabulary.

    Returns:
        A scalar in the dtype of `logits`. A target of probability 0 makes it `+inf`, not NaN, if any token of its row
        is possible.

    Raises:
        ValueError: no target counts (an empty batch included), or a target that counts lies outside `0..V-1`.

    Source: Goodfellow, Bengio, Courville (2016), Deep Learning, eq. 6.30 (log softmax), averaged over tokens.
    """
    counted = targets != ignore_index  # (...)
    # Ignored rows leave here, before any arithmetic: 0 * inf in a later mask would be NaN.
    rows = _at_least_float32(logits[counted])  # (N, V)
    answers = targets[counted]  # (N,)
    if answers.numel() == 0:
        raise ValueError(f"no target counts: all {targets.numel()} are ignored (ignore_index {ignore_index})")
    _check_ids(answers, logits.shape[-1], "target")

    # The peak leaves both terms, not the logarithm alone, so a large common offset costs no digits.
    shifted = rows - _finite_peak(rows, -1)  # (N, V)
    log_total = shifted.exp().sum(-1).log()  # (N,)
    of_answer = shifted.gather(-1, answers[:, None]).squeeze(-1)  # (N,)
    surprise = torch.where(of_answer == -math.inf, math.inf, log_total - of_answer)  # (N,)
    return surprise.mean().to(logits.dtype)  # ()


def perplexity(loss: Tensor) -> Tensor:
    """The number of equally likely tokens that would be as hard to guess: `exp(loss)`.

    Args:
        loss: scalar, mean loss in nats per counted token.

    Returns:
        A scalar in the dtype of `loss`: 1 for a model that is always sure and right, V for a uniform one.

    Raises:
        ValueError: `loss` is NaN.

    Source: Jelinek, Mercer, Bahl, Baker (1977), Perplexity: a measure of the difficulty of speech recognition tasks.
    """
    if torch.isnan(loss).any():
        raise ValueError("the loss is NaN: a perplexity of it would hide the fault, look at the step that made it")
    return _at_least_float32(loss).exp().to(loss.dtype)  # ()


def entropy_bits(probabilities: Tensor, dim: int = -1) -> Tensor:
    """Shannon entropy along one axis: `-sum_i p_i log2 p_i`, in bits, with `0 log 0 = 0`.

    Args:
        probabilities: entries >= 0 that sum to 1 along `dim`; float64, float32, bfloat16 or float16.
        dim: the axis that holds a distribution, negative or not.

    Returns:
        The shape of `probabilities` without `dim`, same dtype: 0 for a sure outcome, `log2 V` for a uniform one. The
        gradient at an entry of 0 is finite (0 here; any finite number is accepted; the true derivative diverges).

    Source: Shannon (1948), A Mathematical Theory of Communication, section 6, theorem 2.
    """
    wide = _at_least_float32(probabilities)  # (..., V, ...)
    # The zero is replaced before the logarithm: to replace the product afterwards repairs the value, not the gradient.
    safe = wide.masked_fill(wide == 0, 1.0)  # (..., V, ...)
    negative_bits = (wide * safe.log2()).sum(dim)  # (..., ...)
    # 0 - x rather than -x: a sure outcome has 0 bits, not -0.
    return (0.0 - negative_bits).to(probabilities.dtype)  # (..., ...)


def _at_least_float32(x: Tensor) -> Tensor:
    """The same numbers in float32 if `x` has 16 bits, too few for sums of exponentials; otherwise `x` itself."""
    return x.to(torch.promote_types(x.dtype, torch.float32))  # (...)


def _finite_peak(x: Tensor, dim: int) -> Tensor:
    """The largest entry of each slice, 0 where all are `-inf` (`-inf - -inf` is NaN), as a constant to autograd."""
    peak = x.detach().amax(dim, keepdim=True)  # (..., 1, ...)
    return peak.masked_fill(peak == -math.inf, 0.0)  # (..., 1, ...)


def _check_ids(ids: Tensor, vocabulary: int, what: str) -> None:
    """Raise ValueError if any id lies outside `0..vocabulary-1`, and name the first one."""
    outside = ids[(ids < 0) | (ids >= vocabulary)]  # (number outside,)
    if outside.numel() > 0:
        raise ValueError(f"{what} {int(outside[0])} lies outside the vocabulary 0..{vocabulary - 1}")
