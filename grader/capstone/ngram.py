"""The baseline: an interpolated n-gram model, which sees the last few words and nothing before them."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from grader.capstone.corpus import START_TOKEN, VOCABULARY

_BASE = len(VOCABULARY) + 1
_BEFORE = len(VOCABULARY)  # stands for every word before the `<s>` of a document
HIGHEST_ORDER = 8  # an n-gram is one int64, and 151 ** 8 is the last power that fits

Ids = NDArray[np.int64]


def losses_by_order(training: Tensor, held_out: Tensor, highest: int = HIGHEST_ORDER) -> list[float]:
    """Fit n-gram models of the orders 1 to `highest` and measure each on held-out windows.

    The probability of a word is a mixture of its frequency after the last n - 1 words and the model of the next lower
    order; a context weighs less the more different words have followed it. Below the unigrams all words are alike.

    Args:
        training: `(B, T)` windows to count.
        held_out: `(B', T')` windows to measure.
        highest: the highest order, 1 to `HIGHEST_ORDER`.

    Returns:
        The mean loss of each order in nats over the B'(T' - 1) targets.

    Raises:
        ValueError: the order is out of range.

    Source: Witten, Bell (1991), The zero-frequency problem, IEEE Transactions on Information Theory 37(4), method C,
        interpolated as in Chen, Goodman (1999), An empirical study of smoothing techniques, section 2.6.
    """
    if not 1 <= highest <= HIGHEST_ORDER:
        raise ValueError(f"an n-gram of order {highest} was asked for; orders go from 1 to {HIGHEST_ORDER}")
    targets = held_out[:, 1:].numpy().ravel()
    probability = np.full(targets.shape, 1.0 / len(VOCABULARY))
    losses = []
    for counted, asked in zip(_contexts(training, highest), _contexts(held_out, highest), strict=True):
        probability = _interpolated(counted, training[:, 1:].numpy().ravel(), asked, targets, probability)
        losses.append(float(-np.log(probability).mean()))
    return losses


def _interpolated(
    counted: Ids, words: Ids, asked: Ids, targets: Ids, lower: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Mix the frequencies after one length of context with the probabilities of the next lower order."""
    grams, of_gram = np.unique(counted * _BASE + words, return_counts=True)
    contexts, first, followers = np.unique(grams // _BASE, return_index=True, return_counts=True)
    of_context = np.add.reduceat(of_gram, first)
    gram_count = _looked_up(asked * _BASE + targets, grams, of_gram)
    context_count = _looked_up(asked, contexts, of_context)
    different = _looked_up(asked, contexts, followers)
    seen = np.maximum(context_count + different, 1)
    return np.where(context_count > 0, (gram_count + different * lower) / seen, lower)


def _looked_up(asked: Ids, keys: Ids, values: Ids) -> Ids:
    """The value of each key asked for, 0 where there is none. `keys` are sorted."""
    place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
    return np.where(keys[place] == asked, values[place], 0)


def _contexts(windows: Tensor, highest: int) -> Iterator[Ids]:
    """The context of every target as one number, for orders 1, 2, ...; it stops at the `<s>` of its document."""
    tokens = windows.numpy()  # (B, T)
    inside = np.ones_like(tokens, dtype=bool)
    code = np.zeros_like(tokens[:, 1:])  # (B, T-1)
    yield code.ravel()
    shifted = tokens
    for lag in range(highest - 1):
        word = np.where(inside, shifted, _BEFORE)
        code = code + word[:, :-1] * _BASE**lag
        yield code.ravel()
        inside = inside & (shifted != START_TOKEN)
        shifted = np.roll(shifted, 1, axis=1)  # what comes in from the end stands before the `<s>` of the row
