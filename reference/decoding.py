"""Decoding: from a distribution to a token, from tokens to a text, and keys and values that are computed only once.

Symbols: B batch, T sequence length, Tq new positions, V vocabulary, H query heads, Hkv key-value heads, K head width,
`...` any number of leading axes, also none.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from .attention import attention, causal_mask
from .heads import repeat_kv
from .objective import softmax


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
    if not temperature >= 0:
        raise ValueError(f"a temperature of {temperature} has no meaning: it must be at least 0")
    if temperature == 0:
        greedy = torch.full_like(logits, -math.inf)  # (..., V)
        return greedy.scatter(-1, logits.argmax(-1, keepdim=True), 0.0)  # (..., V)
    return logits / temperature  # (..., V)


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
    if k < 1:
        raise ValueError(f"at least 1 token must be kept, not {k}")
    smallest_kept = logits.topk(min(k, logits.shape[-1]), dim=-1).values[..., -1:]  # (..., 1)
    return logits.masked_fill(logits < smallest_kept, -math.inf)  # (..., V)


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
    if not 0 < p <= 1:
        raise ValueError(f"a mass of {p} cannot be kept: p must lie in (0, 1]")
    if p == 1:
        return logits  # (..., V); a cumulative sum that rounds to 1 too early would drop tokens
    wide = logits.to(torch.promote_types(logits.dtype, torch.float32))  # (..., V)
    descending, order = wide.sort(dim=-1, descending=True, stable=True)  # (..., V), (..., V)
    probabilities = softmax(descending)  # (..., V)
    mass_before = probabilities.cumsum(-1) - probabilities  # (..., V); 0 for the most probable token
    keep = torch.empty_like(order, dtype=torch.bool).scatter(-1, order, mass_before < p)  # (..., V)
    return logits.masked_fill(~keep, -math.inf)  # (..., V)


def sample(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """Turn one uniform number a row into one token a row, by the inverse of the cumulative distribution.

    Args:
        probabilities: `(B, V)`, at least 0, some positive in each row; masses are scaled by their total. B may be 0.
        uniform: `(B,)` in [0, 1), same dtype.

    Returns:
        int64 `(B,)`: the smallest index whose cumulative mass exceeds `uniform`. Its probability is never 0.

    Source: Devroye (1986), Non-Uniform Random Variate Generation, chapter III.2 (the inversion method).
    """
    cumulative = probabilities.double().cumsum(-1)  # (B, V)
    reached = uniform.double()[:, None] * cumulative[:, -1:]  # (B, 1); below the total, because uniform is below 1
    # Where the mass first exceeds the mark it has just grown, so the token found has a mass of its own.
    return (cumulative > reached).long().argmax(-1)  # (B,)


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
    if prompt.shape[-1] == 0:
        raise ValueError("an empty prompt says nothing about the next token: give at least one token")
    tokens = prompt  # (1, T)
    for _ in range(max_new_tokens):
        logits = next_logits(tokens[:, -context_length:])  # (1, t, V)
        newest = logits[:, -1].argmax(-1, keepdim=True)  # (1, 1)
        tokens = torch.cat([tokens, newest], dim=-1)  # (1, T + 1, + 2, ...)
        if stop_token is not None and newest.item() == stop_token:
            break
    return tokens


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
    if k.shape != v.shape:
        raise ValueError(f"keys {tuple(k.shape)} and values {tuple(v.shape)} of new positions must have one shape")
    if cache is None:
        return k, v  # (B, Hkv, Tq, K), (B, Hkv, Tq, K)
    keys, values = cache  # (B, Hkv, T, K), (B, Hkv, T, K)
    for kept in (keys, values):
        if (*kept.shape[:2], kept.shape[3]) != (*k.shape[:2], k.shape[3]):
            raise ValueError(
                f"new keys and values {tuple(k.shape)} do not fit a cache of {tuple(kept.shape)}: "
                "batch, heads and width must be the same"
            )
    return torch.cat([keys, k], dim=2), torch.cat([values, v], dim=2)  # (B, Hkv, T + Tq, K), (B, Hkv, T + Tq, K)


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
    cache = append_cache(cache, k_new, v_new)  # 2 x (B, Hkv, T + Tq, K)
    group = q.shape[1] // k_new.shape[1]
    keys, values = (repeat_kv(kept, group) for kept in cache)  # (B, H, T + Tq, K), (B, H, T + Tq, K)
    output = attention(q, keys, values, causal_mask(q.shape[2], keys.shape[2]))  # (B, H, Tq, K)
    return output, cache


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
    if not penalty > 0:
        raise ValueError(f"a penalty of {penalty} would turn logits around: it must be above 0")
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, tokens, True)  # (..., V)
    penalised = torch.where(logits > 0, logits / penalty, logits * penalty)  # (..., V)
    return torch.where(seen, penalised, logits)  # (..., V)
