"""Tokens in, a distribution out: Write both ends of a language model, and a loss, a perplexity and an entropy that stay
right when the logits, the targets or the batch are awkward.

Read lessons/objective/lesson.md, then fill in the functions from top to bottom.

    anatomy grade objective        grade the whole lesson
    anatomy grade objective.embed  grade one function
    anatomy hint objective.embed   when you are stuck
"""

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
    # TODO: Refuse ids outside the vocabulary, then take one row of the table for each token.
    raise NotImplementedError


def unembed(hidden: Tensor, table: Tensor) -> Tensor:
    """Score every token of the vocabulary against each hidden state: logits with tied weights and no bias.

    Args:
        hidden: `(..., D)` final states. Leading axes may be absent or empty.
        table: `(V, D)` the embedding table, same dtype as `hidden`.

    Returns:
        `(..., V)` logits in the dtype of `hidden`; entry v is the dot product of the state and row v.

    Source: Press, Wolf (2017), Using the Output Embedding to Improve Language Models, arXiv:1608.05859, section 3.
    """
    # TODO: Give every token of the vocabulary its dot product with each hidden state.
    raise NotImplementedError


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
    # TODO: Subtract each slice's largest logit, exponentiate, divide by the slice's sum; mind slices that are all -inf.
    raise NotImplementedError


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
    # TODO: Refuse rows of fewer than two tokens, then return what the model reads and what it must predict.
    raise NotImplementedError


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
    # TODO: Keep the rows that count, check their targets, then average -log softmax(logits)[target] in a stable form.
    raise NotImplementedError


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
    # TODO: Refuse NaN, then undo the logarithm of the mean loss.
    raise NotImplementedError


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
    # TODO: Sum -p log2 p along dim, with 0 log 0 = 0 and a gradient that stays finite at 0.
    raise NotImplementedError
