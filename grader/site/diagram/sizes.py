"""What each stage makes, learns and costs, written in symbols: the one source of every number of the diagram.

The page shows these terms as formulas and its script puts numbers into them; the tests put in the same numbers and
compare with the reference.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

Monomial: TypeAlias = tuple[int, tuple[str, ...]]
"""A whole number times symbols: `(2, ("T", "D", "D"))` is 2 T D^2."""
Polynomial: TypeAlias = tuple[Monomial, ...]
"""A sum of monomials; the empty sum is 0."""

ORDER = ("N", "b", "B", "T", "Tmax", "V", "D", "F", "H", "Hkv", "K")
"""In which order the symbols of a product are written."""
IN_TEX = {"Hkv": "H_{kv}", "Tmax": "T_{max}"}


def polynomial(text: str) -> Polynomial:
    """Read `8 T D D + 4 T T D`."""
    terms: Counter[tuple[str, ...]] = Counter()
    for term in filter(None, text.split(" + ")):
        first, *rest = term.split()
        factor, names = (int(first), rest) if first.isdigit() else (1, [first, *rest])
        terms[tuple(sorted(names, key=ORDER.index))] += factor
    return tuple((factor, names) for names, factor in terms.items())


def evaluate(polynomial: Polynomial, symbols: Mapping[str, int]) -> int:
    """The value of a polynomial, exactly."""
    return sum(factor * math.prod(symbols[name] for name in names) for factor, names in polynomial)


def tex(polynomial: Polynomial) -> str:
    """The polynomial as TeX: `2 T D^2`; nothing costs 0."""
    return " + ".join(_term(*monomial) for monomial in polynomial) or "0"


def _term(factor: int, names: tuple[str, ...]) -> str:
    powers = [(IN_TEX.get(name, name), power) for name, power in Counter(names).items()]
    written = [name if power == 1 else f"{name}^{power}" for name, power in powers]
    return r" \, ".join(written if factor == 1 and written else [str(factor), *written])


@dataclass(frozen=True, slots=True)
class Shape:
    """A tensor by name: `axes` are separated by spaces, a product of symbols is one axis: `Hkv*K D`."""

    name: str
    axes: str

    @property
    def factors(self) -> tuple[tuple[str, ...], ...]:
        """The symbols of each axis, to be multiplied."""
        return tuple(tuple(axis.split("*")) for axis in self.axes.split())

    def sizes(self, symbols: Mapping[str, int]) -> tuple[int, ...]:
        """The shape in numbers."""
        return tuple(math.prod(symbols[name] for name in axis) for axis in self.factors)

    @property
    def tex(self) -> str:
        """The shape in symbols, as TeX."""
        axes = [r" \, ".join(IN_TEX.get(name, name) for name in axis) for axis in self.factors]
        return "(" + ", ".join(axes) + ("," if len(axes) == 1 else "") + ")"


@dataclass(frozen=True)
class Sizes:
    """One stage, once: a stage of a block stands N times in the model.

    tensors: what it makes, in order; weights: what it has learned; flops: of its matrix products in one pass over T
    tokens; cache: bytes it keeps of T tokens.
    """

    tensors: tuple[Shape, ...]
    weights: tuple[Shape, ...] = ()
    flops: Polynomial = ()
    cache: Polynomial = ()

    @property
    def parameters(self) -> Polynomial:
        """How many numbers its weights hold."""
        return polynomial(" + ".join(weight.axes.replace("*", " ") for weight in self.weights))


_STREAM = "B T D"


def _shapes(listed: str) -> tuple[Shape, ...]:
    """Read `wq: D D; bq: D`."""
    return tuple(Shape(*each.split(": ")) for each in listed.split("; "))


def _unembedding(weight: str) -> Sizes:
    return Sizes(_shapes("logits: B T V"), _shapes(weight) if weight else (), polynomial("2 T V D"))


def _around(final_weights: str, tied: bool) -> dict[str, Sizes]:
    """The stages that both families share, but for the final norm's weights."""
    return {
        "tokens": Sizes(_shapes("tokens: B T")),
        "attention-add": Sizes((Shape("residual1", _STREAM),)),
        "feed-forward-add": Sizes((Shape("residual2", _STREAM),)),
        "final-norm": Sizes((Shape("final", _STREAM),), _shapes(final_weights)),
        "unembedding": _unembedding("" if tied else "lm_head: V D"),
        "softmax": Sizes(_shapes("probabilities: B T V")),
    }


def _gpt2(tied: bool) -> dict[str, Sizes]:
    return _around("ln_f.gamma: D; ln_f.beta: D", tied) | {
        "embedding": Sizes((Shape("input", _STREAM),), _shapes("wte: V D; wpe: Tmax D")),
        "attention-norm": Sizes((Shape("norm1", _STREAM),), _shapes("ln1.gamma: D; ln1.beta: D")),
        "attention": Sizes(
            _shapes(
                "q: B H T K; k: B H T K; v: B H T K; scores: B H T T; weights: B H T T; context: B H T K; "
                "attn_out: B T D"
            ),
            _shapes("; ".join(f"attn.w{letter}: D D; attn.b{letter}: D" for letter in "qkvo")),
            polynomial("8 T D D + 4 T T D"),
            polynomial("2 b T H K"),
        ),
        "feed-forward-norm": Sizes((Shape("norm2", _STREAM),), _shapes("ln2.gamma: D; ln2.beta: D")),
        "feed-forward": Sizes(
            _shapes("widened: B T F; hidden: B T F; mlp_out: B T D"),
            _shapes("mlp.w_in: F D; mlp.b_in: F; mlp.w_out: D F; mlp.b_out: D"),
            polynomial("4 T D F"),
        ),
    }


def _llama(tied: bool) -> dict[str, Sizes]:
    return _around("norm_f.weight: D", tied) | {
        "embedding": Sizes(_shapes("angles: T K/2; input: B T D"), _shapes("wte: V D")),
        "attention-norm": Sizes((Shape("norm1", _STREAM),), _shapes("norm1.weight: D")),
        "attention": Sizes(
            _shapes(
                "q: B H T K; k: B Hkv T K; v: B Hkv T K; scores: B H T T; weights: B H T T; context: B H T K; "
                "attn_out: B T D"
            ),
            _shapes("attn.wq: D D; attn.wk: Hkv*K D; attn.wv: Hkv*K D; attn.wo: D D"),
            polynomial("4 T D D + 4 T D Hkv K + 4 T T D"),
            polynomial("2 b T Hkv K"),
        ),
        "feed-forward-norm": Sizes((Shape("norm2", _STREAM),), _shapes("norm2.weight: D")),
        "feed-forward": Sizes(
            _shapes("gate: B T F; up: B T F; hidden: B T F; mlp_out: B T D"),
            _shapes("mlp.w_gate: F D; mlp.w_up: F D; mlp.w_down: D F"),
            polynomial("6 T D F"),
        ),
    }


@cache
def sizes(family: str, tied: bool) -> Mapping[str, Sizes]:
    """The sizes of every stage, by its id."""
    return {"gpt2": _gpt2, "llama": _llama}[family](tied)
