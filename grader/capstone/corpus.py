"""Text and token ids of the capstone: the vocabulary, encoding both ways, and windows of fresh documents to train on.

There is no corpus on disk. Every window is drawn from the grammar by its seed, so a run never sees the same text twice
and the held-out text comes from a stream of its own.
"""

import difflib
import random
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from grader.capstone import grammar
from grader.capstone.notation import all_words
from grader.errors import UserError

VOCABULARY: tuple[str, ...] = (
    grammar.DOCUMENT_START,
    grammar.DOCUMENT_END,
    ".",
    *sorted(all_words() - {grammar.DOCUMENT_START, grammar.DOCUMENT_END, "."}),
)
"""The words in the order of their ids. `<s>` is 0, `</s>` is 1, the full stop is 2; the rest goes by the alphabet."""

_IDS = {word: token for token, word in enumerate(VOCABULARY)}
START_TOKEN = _IDS[grammar.DOCUMENT_START]
STOP_TOKEN = _IDS[grammar.DOCUMENT_END]

_NEAR = 5


def encode(text: str) -> list[int]:
    """The token ids of a text: its words, separated by spaces, in lower case. `<s>` is added by nobody.

    A full stop at the end of a word counts as a word of its own.

    Raises:
        UserError: a word is not in the vocabulary; the message names it and the nearest words that are.
    """
    tokens = []
    for word in text.lower().replace(".", " . ").split():
        if word not in _IDS:
            raise UserError(_unknown(word))
        tokens.append(_IDS[word])
    return tokens


def _unknown(word: str) -> str:
    near = difflib.get_close_matches(word, VOCABULARY, n=_NEAR, cutoff=0.6)
    known = f"Near it: {', '.join(near)}." if near else "It knows, for example: the, cat, dogs, girl, river, sleeps."
    return f"The model does not know the word {word!r}; it has {len(VOCABULARY)} words. {known}"


def decode(tokens: Iterable[int]) -> str:
    """The words of these ids, separated by spaces.

    Raises:
        ValueError: an id lies outside the vocabulary.
    """
    words = []
    for token in tokens:
        if not 0 <= token < len(VOCABULARY):
            raise ValueError(f"token {token} lies outside the vocabulary 0..{len(VOCABULARY) - 1}")
        words.append(VOCABULARY[token])
    return " ".join(words)


def windows(seed: int, batch: int, length: int, *, held_out: bool = False) -> Tensor:
    """Draw windows to train on or to measure with.

    Each row begins at the `<s>` of a document and goes on through further documents until it is full; the last one is
    cut off. Because a row begins at a beginning, a model is never asked for a word whose cause it cannot see, and the
    least expected loss on the `length - 1` targets of a row is `grammar.window_entropy(length)` exactly.

    Args:
        seed: the same seed gives the same windows.
        batch: B, rows.
        length: T, words in a row.
        held_out: draw from another stream of this seed, one that no training run uses.

    Returns:
        `(B, T)` int64 ids.
    """
    rng = random.Random(f"capstone {'held-out' if held_out else 'training'} {seed}")
    rows = []
    for _ in range(batch):
        row: list[int] = []
        while len(row) < length:
            row.extend(_IDS[word] for word in grammar.sample_document(rng))
        rows.append(row[:length])
    return torch.tensor(rows, dtype=torch.int64).reshape(batch, length)  # (B, T)


def oracle_loss(tokens: Tensor) -> float:
    """The mean loss of the grammar itself on these very windows: what a perfect model would score on them, in nats.

    Over many windows it goes to `grammar.window_entropy`; on a few it differs by chance, as the documents drawn are a
    little more or less surprising than the average.

    Args:
        tokens: `(B, T)` as `windows` draws them.

    Raises:
        ValueError: a row is not a row of documents of the grammar.
    """
    total = 0.0
    for row in tokens.tolist():
        for document in _documents([VOCABULARY[token] for token in row]):
            total -= sum(grammar.log_probabilities(document))
    return total / (tokens.shape[0] * (tokens.shape[1] - 1))


def _documents(words: Sequence[str]) -> list[list[str]]:
    """Cut a row before each `<s>`."""
    documents: list[list[str]] = []
    for word in words:
        if word == grammar.DOCUMENT_START or not documents:
            documents.append([])
        documents[-1].append(word)
    return documents
