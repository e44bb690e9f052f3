"""The grammar of the stories, compiled: draw a document, give the exact probability of any next word, count entropy.

The rules of `grader.capstone.rules` are a probabilistic context-free grammar without recursion in which the next word
decides every choice. A reader who goes from left to right is therefore a stack: no search, no sum over parses, and
the probability of the next word after any prefix is exact. So is the entropy, which is a sum over the rules.
"""

import bisect
import math
import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from grader.capstone.notation import Symbol, alternatives
from grader.capstone.rules import START

DOCUMENT_START = "<s>"
DOCUMENT_END = "</s>"


class NotInGrammar(ValueError):
    """A word that the grammar cannot say at this place. `position` counts from 0."""

    def __init__(self, position: int, word: str, possible: Iterable[str]) -> None:
        self.position, self.word, self.possible = position, word, tuple(sorted(possible))
        super().__init__(f"word {position + 1}, {word!r}, cannot stand here; possible: {', '.join(self.possible)}")


@dataclass(frozen=True)
class Entropy:
    """The exact entropy of the grammar.

    A document counts all its words, `<s>` and `</s>` included: in a long row of documents each of them is a target
    once, though these two can always be foretold. `nats_per_word` is the least mean loss that a model can reach there.
    """

    nats_per_document: float
    words_per_document: float

    @property
    def nats_per_word(self) -> float:
        """Nats for each word of an endless row of documents."""
        return self.nats_per_document / self.words_per_document


@dataclass(frozen=True)
class _Node:
    """A rule with its arguments filled in."""

    bodies: tuple[tuple[Symbol | str, ...], ...]
    log_probabilities: tuple[float, ...]
    cumulative: tuple[float, ...]
    by_first_word: dict[str, int]


@dataclass(frozen=True)
class Profile:
    """What a symbol contributes: the distribution of its length in words, and its expected nats at each place."""

    lengths: NDArray[np.float64]  # (longest + 1,)
    nats: NDArray[np.float64]  # (longest,)


@cache
def _node(symbol: Symbol) -> _Node:
    """Compile one rule on first use. Raises ValueError when two alternatives begin with the same word."""
    options = list(alternatives(symbol))
    total = sum(weight for weight, _ in options)
    by_first_word: dict[str, int] = {}
    for number, (_, body) in enumerate(options):
        for word in _first_words(body[0]):
            if word in by_first_word:
                raise ValueError(f"{symbol}: two alternatives begin with {word!r}")
            by_first_word[word] = number
    probabilities = [weight / total for weight, _ in options]
    return _Node(
        tuple(body for _, body in options),
        tuple(math.log(probability) for probability in probabilities),
        tuple(accumulate(probabilities)),
        by_first_word,
    )


def _first_words(symbol: Symbol | str) -> tuple[str, ...]:
    return (symbol,) if isinstance(symbol, str) else tuple(_node(symbol).by_first_word)


def sample_document(rng: random.Random) -> list[str]:
    """Draw one document, from `<s>` to `</s>`. The words depend on the state of `rng` only."""
    words: list[str] = []
    stack: list[Symbol | str] = [START]
    while stack:
        symbol = stack.pop()
        if isinstance(symbol, str):
            words.append(symbol)
            continue
        node = _node(symbol)
        last = len(node.bodies) - 1
        number = min(bisect.bisect_right(node.cumulative, rng.random()), last) if last else 0
        stack.extend(reversed(node.bodies[number]))
    return words


def _states(words: Sequence[str]) -> Iterator[tuple[float, list[Symbol | str]]]:
    """For each word its log-probability and, until the next step, the stack of what must follow it."""
    stack: list[Symbol | str] = [START]
    for position, word in enumerate(words):
        nats = 0.0
        if not stack:
            raise NotInGrammar(position, word, ())
        expected = _first_words(stack[-1])
        if word not in expected:
            raise NotInGrammar(position, word, expected)
        while True:
            symbol = stack.pop()
            if isinstance(symbol, str):
                break
            node = _node(symbol)
            number = node.by_first_word[word]
            nats += node.log_probabilities[number]
            stack.extend(reversed(node.bodies[number]))
        yield nats, stack


def log_probabilities(words: Sequence[str]) -> list[float]:
    """The oracle: the log-probability of each word after those before it, in nats.

    Args:
        words: a document or the beginning of one; the first word is `<s>`, with log-probability 0.

    Raises:
        NotInGrammar: the grammar cannot say this; the error names the first word that is impossible.
    """
    return [nats for nats, _ in _states(words)]


def next_words(prefix: Sequence[str]) -> dict[str, float]:
    """The exact distribution of the next word of a document that begins with `prefix`; empty after `</s>`.

    Raises:
        NotInGrammar: no document begins with `prefix`.
    """
    stack: list[Symbol | str] = [START]
    for _, after in _states(prefix):
        stack = after
    return _distribution(stack[-1]) if stack else {}


def _distribution(symbol: Symbol | str) -> dict[str, float]:
    if isinstance(symbol, str):
        return {symbol: 1.0}
    node = _node(symbol)
    return {
        word: math.exp(nats) * probability
        for body, nats in zip(node.bodies, node.log_probabilities, strict=True)
        for word, probability in _distribution(body[0]).items()
    }


def words_of_the_grammar() -> frozenset[str]:
    """Every word that some document holds, found by following the rules from the start."""
    seen: set[Symbol | str] = {START}
    open_symbols: list[Symbol] = [START]
    while open_symbols:
        for body in _node(open_symbols.pop()).bodies:
            fresh = set(body) - seen
            seen |= fresh
            open_symbols += [symbol for symbol in fresh if not isinstance(symbol, str)]
    return frozenset(symbol for symbol in seen if isinstance(symbol, str))


@cache
def profile(symbol: Symbol | str) -> Profile:
    """Length and nats of a symbol, exactly. A choice's own nats fall on the first word of what is chosen."""
    if isinstance(symbol, str):
        return Profile(np.array([0.0, 1.0]), np.zeros(1))
    node = _node(symbol)
    parts = []
    for body, log_probability in zip(node.bodies, node.log_probabilities, strict=True):
        lengths, nats = np.ones(1), np.zeros(0)
        for inner in map(profile, body):
            nats = _sum(nats, np.convolve(lengths, inner.nats))
            lengths = np.convolve(lengths, inner.lengths)
        nats[0] -= log_probability
        probability = math.exp(log_probability)
        parts.append((probability * lengths, probability * nats))
    total_lengths, total_nats = np.zeros(0), np.zeros(0)
    for lengths, nats in parts:
        total_lengths, total_nats = _sum(total_lengths, lengths), _sum(total_nats, nats)
    return Profile(total_lengths, total_nats)


def _sum(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of two vectors, the shorter one continued by zeros."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    total = longer.copy()
    total[: len(shorter)] += shorter
    return total


def entropy() -> Entropy:
    """The entropy of the grammar, exact up to rounding: expected nats and words of a document.

    Source: the chain rule of entropy over the choices of a derivation, Cover, Thomas (2006), Elements of Information
        Theory, theorem 2.5.1; a derivation and its document determine each other here, so their entropies are equal.
    """
    document = profile(START)
    return Entropy(float(document.nats.sum()), float(document.lengths @ np.arange(len(document.lengths))))


def longest_document() -> int:
    """Words in the longest document, `<s>` and `</s>` included."""
    return len(profile(START).lengths) - 1


def window_entropy(length: int) -> float:
    """The least expected loss on windows, in nats a target.

    A window is `length` words of a row of documents, from the `<s>` of the first; its targets are all words but that.
    It differs a little from `entropy().nats_per_word`: beginnings of documents are more frequent in it than ends.

    Args:
        length: words in a window, at least 2.

    Raises:
        ValueError: `length` is less than 2.

    Source: the renewal equation, Feller (1968), An Introduction to Probability Theory I, chapter XIII.3: `begins[t]`
        is the probability that a document begins at word t.
    """
    if length < 2:
        raise ValueError(f"a window of {length} words has no target; take 2 or more")
    document = profile(START)
    begins = np.zeros(length)
    begins[0] = 1.0
    for t in range(1, length):
        reach = min(t, len(document.lengths) - 1)
        begins[t] = begins[t - reach : t] @ document.lengths[reach:0:-1]
    return float(np.convolve(begins, document.nats)[:length].sum()) / (length - 1)
