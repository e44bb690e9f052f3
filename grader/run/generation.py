"""A continuation of a prompt, the whole sequence anew for each token or with a key-value cache.

Both ways are put together here from the course's functions, so that a learner's and the reference's can be compared
call by call. Numbers are float64: rounding then never decides between two tokens.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.run.decoder import Decoder
from grader.run.functions import Functions

Cache = Any
"""What `attend_cached` returned, to be handed back."""


@dataclass(frozen=True)
class Sampling:
    """How a token is chosen from its logits. temperature 0: the first maximum. seed: of the uniform numbers."""

    temperature: float = 0.0
    top_k: int | None = None
    top_p: float | None = None
    seed: int = 0

    @property
    def greedy(self) -> bool:
        """Whether nothing is drawn."""
        return self.temperature == 0


@dataclass(frozen=True)
class Wish:
    """What to generate: `prompt` `(1, T)` int64, at most `most` new tokens, ending with `stop`."""

    prompt: Tensor
    most: int
    stop: int
    context_length: int
    sampling: Sampling = Sampling()


def without_cache(functions: Functions, model: Decoder, wish: Wish) -> Tensor:
    """Prompt and new tokens `(1, T')`: `generate` for the first maximum, else drawn from `llama`'s logits."""

    def next_logits(tokens: Tensor) -> Any:
        return functions.call(
            "model.llama", tokens, model.weights, model.n_heads, model.n_kv_heads, base=model.base, eps=model.eps
        )

    if wish.sampling.greedy:
        call = functions.call
        return as_tokens(
            call("decoding.generate", next_logits, wish.prompt, wish.most, wish.context_length, stop_token=wish.stop)
        )
    return _extend(functions, wish, lambda tokens: next_logits(tokens[:, -wish.context_length :])[0, -1])


def with_cache(functions: Functions, model: Decoder, wish: Wish) -> Tensor:
    """The same, each step given the newest tokens only. A sequence never outgrows the context here: that is `most`."""
    decoder = CachedDecoder(functions, model)
    return _extend(functions, wish, lambda tokens: decoder.logits(tokens[:, decoder.seen :])[0, -1])


def as_tokens(value: Any) -> Tensor:
    """What `generate` returned, if it can be read as token ids `(1, T)`; an empty row otherwise."""
    if isinstance(value, Tensor) and value.dim() == 2 and value.shape[0] == 1 and not value.is_floating_point():
        return value.long()
    return torch.empty(1, 0, dtype=torch.long)


class CachedDecoder:
    """The model with a key-value cache in every block. seen: how many tokens it has been given."""

    def __init__(self, functions: Functions, model: Decoder) -> None:
        self._functions = functions
        self._model = model
        self._caches: list[Cache] = [None] * model.n_blocks
        self.seen = 0

    def logits(self, tokens: Tensor) -> Tensor:
        """`(1, t)` further tokens -> their logits `(1, t, V)`."""
        call, model = self._functions.call, self._model
        h = call("objective.embed", tokens, model.weights["wte"])  # (1, t, D)
        positions = torch.arange(self.seen, self.seen + tokens.shape[1])  # (t,)
        self.seen += tokens.shape[1]
        angles = call("positions.rope_angles", positions, model.head_width, base=model.base)  # (t, K/2)
        for index in range(model.n_blocks):
            h = self._block(h, index, angles)  # (1, t, D)
        h = call("normalization.rms_norm", h, model.weights["norm_f.weight"], eps=model.eps)  # (1, t, D)
        return torch.as_tensor(call("objective.unembed", h, model.weights["wte"]))

    def _block(self, h: Tensor, index: int, angles: Tensor) -> Any:
        call, weights, eps = self._functions.call, self._model.block(index), self._model.eps
        mlp = {name.removeprefix("mlp."): w for name, w in weights.items() if name.startswith("mlp.")}
        h = call(
            "block.pre_norm",
            h,
            lambda x: call("normalization.rms_norm", x, weights["norm1.weight"], eps=eps),
            lambda x: self._attention(x, weights, index, angles),
        )
        return call(
            "block.pre_norm",
            h,
            lambda x: call("normalization.rms_norm", x, weights["norm2.weight"], eps=eps),
            lambda x: call("feedforward.swiglu", x, mlp),
        )

    def _attention(self, x: Tensor, weights: dict[str, Tensor], index: int, angles: Tensor) -> Tensor:
        call, model = self._functions.call, self._model
        q = call("heads.split_heads", x @ weights["attn.wq"].T, model.n_heads)  # (1, H, t, K)
        k = call("heads.split_heads", x @ weights["attn.wk"].T, model.n_kv_heads)  # (1, Hkv, t, K)
        v = call("heads.split_heads", x @ weights["attn.wv"].T, model.n_kv_heads)  # (1, Hkv, t, K)
        q = call("positions.apply_rope_half", q, angles)
        k = call("positions.apply_rope_half", k, angles)
        context, self._caches[index] = call("decoding.attend_cached", q, k, v, self._caches[index])
        return torch.as_tensor(call("heads.merge_heads", context)) @ weights["attn.wo"].T  # (1, t, D)


def _extend(functions: Functions, wish: Wish, last_logits: Any) -> Tensor:
    """Token after token, chosen from the logits of the last place."""
    random = torch.Generator().manual_seed(wish.sampling.seed)
    tokens = wish.prompt
    for _ in range(wish.most):
        uniform = torch.rand(1, generator=random, dtype=torch.float64)
        chosen = _choose(functions, last_logits(tokens), uniform, wish.sampling)
        tokens = torch.cat([tokens, chosen.view(1, 1)], dim=1)
        if int(chosen) == wish.stop:
            break
    return tokens


def _choose(functions: Functions, logits: Tensor, uniform: Tensor, sampling: Sampling) -> Tensor:
    """One token id, `logits` `(V,)`."""
    if sampling.greedy:
        return logits.argmax()
    call = functions.call
    logits = call("decoding.apply_temperature", logits[None], sampling.temperature)  # (1, V)
    if sampling.top_k is not None:
        logits = call("decoding.top_k", logits, sampling.top_k)
    if sampling.top_p is not None:
        logits = call("decoding.top_p", logits, sampling.top_p)
    return torch.as_tensor(call("decoding.sample", call("objective.softmax", logits), uniform))
