"""Decoding: Turn logits into text by filters, exact sampling and a greedy loop, with keys and values computed only
once.

Read lessons/decoding/lesson.md, then fill in the functions from top to bottom.

Your functions of earlier lessons may be used here: `from .objective import ...` and `from .attention import ...` and
`from .heads import ...`.

    anatomy grade decoding                    grade the whole lesson
    anatomy grade decoding.apply_temperature  grade one function
    anatomy hint decoding.apply_temperature   when you are stuck
"""

from collections.abc import Callable

import torch
from torch import Tensor


def apply_temperature(logits: Tensor, temperature: float) -> Tensor:
    """Sharpen or flatten a distribution before it is sampled: divide the logits by a temperature.

    Below 1 the probable tokens gain, above 1 they lose; 0 is the limit in which only the most probable one is left.

    Args:
        logits: `(..., V)`, float64, float32, bfloat16 or float16; entries may be `-inf`, and stay so.
        temperature: finite, at least 0.

    Returns:
        `(..., V)` in the dtype of `logits`. At temperature 0: 0 for the first maximum of each row, `-inf` elsewhere.

    Raises:
        ValueError: `temperature` is negative or NaN.

    Source: Hinton, Vinyals, Dean (2015), Distilling the Knowledge in a Neural Network, arXiv:1503.02531, eq. 1.
    """
    # TODO: Divide the logits by the temperature; at 0 give 0 to the first maximum and -inf to the others.
    raise NotImplementedError


def top_k(logits: Tensor, k: int) -> Tensor:
    """Keep the k largest logits of each row and make all others impossible.

    Args:
        logits: `(..., V)`, float64, float32, bfloat16 or float16; entries may be `-inf`.
        k: how many tokens to keep, at least 1; V or more keeps all.

    Returns:
        `(..., V)` in the dtype of `logits`: `-inf` where dropped, unchanged elsewhere. All that tie with the k-th
        largest are kept.

    Raises:
        ValueError: `k` is below 1.

    Source: Fan, Lewis, Dauphin (2018), Hierarchical Neural Story Generation, arXiv:1805.04833.
    """
    # TODO: Set every logit below the k-th largest of its row to -inf.
    raise NotImplementedError


def top_p(logits: Tensor, p: float) -> Tensor:
    """Keep the smallest set of tokens, from the most probable down, whose mass reaches p: the nucleus.

    The token that makes the mass reach p belongs to the set, so at least one token always stays. Among equally
    probable tokens the one with the lower index comes first.

    Args:
        logits: `(..., V)`, float64, float32, bfloat16 or float16; entries may be `-inf`.
        p: the mass to reach, in (0, 1]; 1 keeps all.

    Returns:
        `(..., V)` in the dtype of `logits`: `-inf` where dropped, unchanged elsewhere.

    Raises:
        ValueError: `p` lies outside (0, 1].

    Source: Holtzman et al. (2020), The Curious Case of Neural Text Degeneration, arXiv:1904.09751, section 3.
    """
    # TODO: Keep the most probable tokens until their mass has reached p; set the others to -inf.
    raise NotImplementedError


def sample(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """Turn one uniform number a row into one token a row, by the inverse of the cumulative distribution.

    Args:
        probabilities: `(B, V)`, at least 0, some positive in each row; masses are scaled by their total. B may be 0.
        uniform: `(B,)` in [0, 1), same dtype.

    Returns:
        int64 `(B,)`: the smallest index whose cumulative mass exceeds `uniform`. Its probability is never 0.

    Source: Devroye (1986), Non-Uniform Random Variate Generation, chapter III.2 (the inversion method).
    """
    # TODO: Return for each row the first token whose cumulative mass exceeds the uniform, in shares of the total.
    raise NotImplementedError


def generate(
    next_logits: Callable[[Tensor], Tensor],
    prompt: Tensor,
    max_new_tokens: int,
    context_length: int,
    stop_token: int | None = None,
) -> Tensor:
    """Write on from a prompt, one token at a time, always taking the most probable one.

    Args:
        next_logits: maps tokens `(1, t)` to logits `(1, t, V)`; called once for each new token.
        prompt: int64 `(1, T)`.
        max_new_tokens: how many tokens to add at most; 0 returns the prompt.
        context_length: how many of the last tokens `next_logits` is given at most, at least 1.
        stop_token: the token after which nothing more is written. In the prompt it stops nothing.

    Returns:
        int64 `(1, T + n)`: the prompt and the new tokens, the stop token included when it was met. Of several equal
        maxima the first is taken.

    Raises:
        ValueError: the prompt is empty.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section 2 (eq. 1, one factor at
        a time).
    """
    # TODO: Add the most probable token, max_new_tokens times or until stop_token, showing the model the last tokens.
    raise NotImplementedError


def append_cache(cache: tuple[Tensor, Tensor] | None, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
    """Put the keys and values of new positions behind those that are there.

    Args:
        cache: None, or the pair `(keys, values)` of the positions so far, each `(B, Hkv, T, K)`.
        k: `(B, Hkv, Tq, K)` new keys; B may be 0.
        v: `(B, Hkv, Tq, K)` new values.

    Returns:
        The pair `(keys, values)`, each `(B, Hkv, T + Tq, K)`. The old pair is left as it was.

    Raises:
        ValueError: the shapes of `k` and `v` differ, or batch, heads or width are not those of the cache.

    Source: Shazeer (2019), Fast Transformer Decoding, arXiv:1911.02150, section 2.4 (`prev_K`, `prev_V`).
    """
    # TODO: Return a new pair with the new keys and values behind the old ones along time.
    raise NotImplementedError


def attend_cached(
    q: Tensor, k_new: Tensor, v_new: Tensor, cache: tuple[Tensor, Tensor] | None
) -> tuple[Tensor, tuple[Tensor, Tensor]]:
    """Causal attention of new positions over everything so far, without computing old keys and values again.

    The last query sits at the last key. Whatever the lengths of the chunks, the outputs are the rows of full causal
    attention.

    Args:
        q: `(B, H, Tq, K)` queries of the new positions, one or several; H is a multiple of Hkv. B may be 0.
        k_new: `(B, Hkv, Tq, K)` their keys, in the dtype of `q`.
        v_new: `(B, Hkv, Tq, K)` their values.
        cache: None at first, then the pair that the last call returned.

    Returns:
        `(output, new cache)`: `(B, H, Tq, K)` in the dtype of `q`, and the pair `(keys, values)`, each
        `(B, Hkv, T + Tq, K)`. Query head h reads key-value head `h // (H / Hkv)`.

    Raises:
        ValueError: the shapes of keys, values and cache do not fit together.

    Source: Shazeer (2019), Fast Transformer Decoding, arXiv:1911.02150, section 2.4.
    """
    # TODO: Append the new keys and values, then attend causally with the new queries over all of them.
    raise NotImplementedError


def repetition_penalty(logits: Tensor, tokens: Tensor, penalty: float) -> Tensor:
    """Make tokens that were seen before less likely: positive logits are divided, negative ones multiplied.

    A token is penalised once, however often it was seen. A penalty below 1 makes repetition likelier.

    Args:
        logits: `(..., V)`, float64, float32, bfloat16 or float16; entries may be `-inf`, and stay so.
        tokens: int64 `(..., T)`, same leading axes: the tokens seen by each row.
        penalty: above 0; 1 changes nothing.

    Returns:
        `(..., V)` in the dtype of `logits`.

    Raises:
        ValueError: `penalty` is 0 or below.

    Source: Keskar et al. (2019), CTRL, arXiv:1909.05858, section 4.1, in the form that keeps the sign.
    """
    # TODO: Divide positive and multiply negative logits of the seen tokens by the penalty, each once.
    raise NotImplementedError
