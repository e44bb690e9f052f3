"""Panel: the course's model writes a story token by token, the whole text anew at each step or with a cache."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import torch
from torch import Tensor

from grader.capstone.corpus import STOP_TOKEN
from grader.run.functions import Functions
from grader.run.generation import CachedDecoder, as_tokens
from grader.run.stages import projections, stream
from grader.site.panels.model import Cell, Data, Guess, Number, Panel, Part, Player, Table, Toggle
from grader.site.panels.storyteller import config, decoder, story, vocabulary
from grader.site.panels.values import real
from reference.model import llama
from reference.objective import entropy_bits, softmax
from reference.positions import apply_rope_half

PROMPT = "the cat"
STEPS = 50
"""The reference's story ends at the last of them."""
MOST = 8
"""So many of the most probable tokens are shown; all others are one number."""
BYTES_PER_VALUE = 4
GAP_DIGITS = 9
"""Both ways round differently in the sixteenth digit: that is no difference, and it is not the same everywhere."""
START, CACHED = 1, False


def prompt() -> Tensor:
    """The prompt with the mark that begins a story, `(1, 3)`."""
    return story(PROMPT)


def lengths() -> list[int]:
    """How many tokens there are before each step."""
    return [prompt().shape[1] + step for step in range(STEPS)]


class CacheOnly:
    """The cached attention of someone, on the reference's model: all other calls go to the reference."""

    def __init__(self, functions: Functions, reference: Functions) -> None:
        self._functions, self._reference = functions, reference

    def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
        """What the function of whoever is responsible returns."""
        whose = self._functions if exercise == "decoding.attend_cached" else self._reference
        return whose.call(exercise, *args, **kwargs)


def written(last_logits: Callable[[Tensor], Tensor]) -> dict[str, list[Any]]:
    """Step by step, what is chosen from the logits `(V,)` after tokens `(1, T)`; nothing after the story's end."""
    tokens = prompt()
    found: dict[str, list[Any]] = {"chosen": [], "top": [], "probability": [], "others": [], "entropy": []}
    for _ in range(STEPS):
        logits = last_logits(tokens)
        probabilities = softmax(logits)
        ordered, order = probabilities.sort(descending=True, stable=True)
        chosen = int(logits.argmax())
        tokens = torch.cat([tokens, torch.tensor([[chosen]])], dim=1)
        found["chosen"].append(chosen)
        found["top"].append(order[:MOST].tolist())
        found["probability"].append(ordered[:MOST].tolist())
        found["others"].append(float(ordered[MOST:].sum()))
        found["entropy"].append(float(entropy_bits(probabilities)))
        if chosen == STOP_TOKEN:
            break
    left = STEPS - len(found["chosen"])
    for name, values in found.items():
        values += [[None] * MOST if name in ("top", "probability") else None] * left
    return found


def _plain(functions: Functions, _: Functions) -> Any:
    return written(lambda tokens: _last_logits(functions, tokens))


def _cached(functions: Functions, reference: Functions) -> Any:
    cached = CachedDecoder(CacheOnly(functions, reference), decoder())
    gaps: list[float | None] = []

    def last_logits(tokens: Tensor) -> Tensor:
        logits = cached.logits(tokens[:, cached.seen :])[0, -1]
        gaps.append(round(float((logits - _last_logits(reference, tokens)).abs().max()), GAP_DIGITS))
        return logits

    found = written(last_logits)
    return found | {"gap": gaps + [None] * (STEPS - len(gaps))}


def _last_logits(functions: Functions, tokens: Tensor) -> Tensor:
    """`(1, T)` -> `(V,)`, the whole text through the model."""
    return torch.as_tensor(_logits(functions, tokens))[0, -1]


def _logits(functions: Functions, tokens: Tensor) -> Any:
    model = decoder()
    return functions.call(
        "model.llama", tokens, model.weights, model.n_heads, model.n_kv_heads, base=model.base, eps=model.eps
    )


def _loop(functions: Functions, reference: Functions) -> Any:
    """The tokens of someone's loop around the reference's model."""
    most = int(config()["max_positions"])

    def model(given: Tensor) -> Any:
        if not isinstance(given, Tensor) or given.dim() != 2 or given.numel() > most:  # it runs outside the sandbox
            raise ValueError(f"the model reads tokens of shape (1, T), where T is {most} at most")
        return _logits(reference, given)

    tokens = as_tokens(functions.call("decoding.generate", model, prompt(), STEPS, most, stop_token=STOP_TOKEN))
    first = prompt().shape[1]
    if tokens.shape[1] < first:
        raise ValueError("no row of token ids that begins with the prompt")
    new = tokens[0, first:].tolist()[:STEPS]
    return {"chosen": new + [None] * (STEPS - len(new))}


def _flops(functions: Functions, _: Functions) -> Any:
    """In a pass each position costs the same, since all pairs count: one of T positions is a T-th of the pass."""
    passes = [functions.call("lab.forward_flops", config(), length) for length in lengths()]
    cached = [passes[0], *(each / length for each, length in zip(passes[1:], lengths()[1:], strict=True))]
    return {
        "plain": passes,
        "cached": cached,
        "plain_sum": [sum(passes[: step + 1]) for step in range(STEPS)],
        "cached_sum": [sum(cached[: step + 1]) for step in range(STEPS)],
        "ratio": [whole / one for whole, one in zip(passes, cached, strict=True)],
    }


def _bytes(functions: Functions, _: Functions) -> Any:
    model = decoder()
    return [
        functions.call(
            "lab.kv_cache_bytes", model.n_blocks, model.n_kv_heads, model.head_width, length, 1, BYTES_PER_VALUE
        )
        for length in lengths()
    ]


def _kept(functions: Functions, _: Functions) -> Any:
    """How many numbers are in the cache after each step, as it grows by the reference's keys and values."""
    keys, values = reference_keys_and_values()  # (N, Hkv, T, K) each
    pair, kept, seen = None, [], 0
    for length in lengths():
        pair = functions.call("decoding.append_cache", pair, keys[:, :, seen:length], values[:, :, seen:length])
        kept.append(pair[0].numel() + pair[1].numel())
        seen = length
    return kept


@cache
def reference_story() -> Tensor:
    """The prompt and all that the reference adds to it, but for the last token: nothing follows that, `(1, 52)`."""
    model, tokens = decoder(), prompt()
    for _ in range(STEPS - 1):
        logits = llama(tokens, model.weights, model.n_heads, model.n_kv_heads, model.base, model.eps)
        tokens = torch.cat([tokens, logits[:, -1].argmax(-1, keepdim=True)], dim=1)
    return tokens


@cache
def reference_keys_and_values() -> tuple[Tensor, Tensor]:
    """Of the whole story, the blocks in the place of the batch: `(N, Hkv, T, K)` each, keys turned."""
    model, tokens = decoder(), reference_story()
    states, keys, values = stream(model, tokens), [], []
    for block in range(model.n_blocks):
        _, k, v, angles = projections(model, block, states[block])
        keys.append(apply_rope_half(k, angles))
        values.append(v)
    return torch.cat(keys), torch.cat(values)


def _given() -> Mapping[str, Any]:
    first = prompt().shape[1]
    return {
        "vocabulary": vocabulary(),
        "prompt": prompt()[0],
        "positions": {"plain": lengths(), "cached": [first] + [1] * (STEPS - 1)},
    }


def _table(data: Data) -> Table:
    at, words = START - 1, data["given"]["vocabulary"]
    plain, cached = data["plain"], data["cached"]

    def both(name: str, one: Any, other: Any, digits: int) -> tuple[Cell, ...]:
        return (name, Number(one[at], digits), Number(other[at], digits))

    rows: list[tuple[Cell, ...]] = [
        (f"{rank}. {words[token]}", Number(plain["probability"][at][rank - 1], 4), Number(p, 4))
        for rank, (token, p) in enumerate(zip(plain["top"][at], cached["probability"][at], strict=True), start=1)
    ]
    positions, flops = data["given"]["positions"], data["flops"]
    rows += [
        both("all others", plain["others"], cached["others"], 4),
        both("entropy, bits", plain["entropy"], cached["entropy"], 3),
        both("positions computed", positions["plain"], positions["cached"], 0),
        both("operations", flops["plain"], flops["cached"], 0),
        both("operations so far", flops["plain_sum"], flops["cached_sum"], 0),
        ("numbers kept", "none", Number(data["kept"][at], 0)),
        ("bytes kept, float32", "none", Number(data["bytes"][at], 0)),
        ("largest difference of a logit", "", Number(cached["gap"][at], GAP_DIGITS)),
    ]
    return Table(f"Step {START}", ("", "without a cache", "with a cache"), tuple(rows))


def _said(data: Data) -> str:
    at, plain = START - 1, data["plain"]
    words, flops = data["given"]["vocabulary"], data["flops"]
    count = data["given"]["positions"]["plain"][at]
    return (
        f"Step {START}, without the cache: \u201c{words[plain['chosen'][at]]}\u201d is chosen, probability "
        f"{real(plain['probability'][at][0]):.2f}; entropy {real(plain['entropy'][at]):.2f} bits. "
        f"{count} positions computed, {real(flops['plain'][at]) / 1e6:.2f} million operations."
    )


PANEL = Panel(
    name="stepping",
    title="One token at a time",
    lesson="decoding",
    after="what-it-costs",
    intro=(
        "The course's model goes on from \u201cthe cat\u201d, always with the most probable token, until it ends its "
        "story. Operations are those of the matrix products, as forward_flops counts them."
    ),
    notice=(
        "Once the prompt is read, only the newest token is computed if there is a cache: the same distribution, the "
        "same token, and the operations of a whole pass divided by its tokens. The price is a cache that grows with "
        "every token."
    ),
    controls=(
        Player("step", "Step", 1, STEPS, START),
        Toggle("cache", "With a key-value cache", CACHED),
    ),
    parts=(
        Part("plain", ("model.llama",), _plain),
        Part("cached", ("decoding.attend_cached",), _cached),
        Part("loop", ("decoding.generate",), _loop),
        Part("kept", ("decoding.append_cache",), _kept),
        Part("bytes", ("lab.kv_cache_bytes",), _bytes),
        Part("flops", ("lab.forward_flops",), _flops),
    ),
    table=_table,
    said=_said,
    guess=Guess(
        f"At step {STEPS} the text has {STEPS + 2} tokens. "
        "How many times as many operations does it take without the cache?",
        {"step": STEPS, "cache": False},
        0,
    ),
    given=_given,
)
