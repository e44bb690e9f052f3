"""Does a model carry far what it must? The owner's name to a story's end, and number across a relative clause."""

import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from grader.capstone import grammar
from grader.capstone.corpus import VOCABULARY
from grader.capstone.rules import CLASSES, HE, PLURALS, SHE
from grader.capstone.training import logits

_NAMES = frozenset(SHE + HE)
_ANIMALS = frozenset(CLASSES["animal"]) | {PLURALS[animal] for animal in CLASSES["animal"]}
_LEAVING = {"hides", "runs", "climbs", "walks", "sleeps"}
_SINGLE, _MANY = frozenset(_LEAVING), frozenset(PLURALS[verb] for verb in _LEAVING)


@dataclass(frozen=True)
class Share:
    """In how many places of how many a right word was more probable than every wrong one."""

    right: int
    places: int

    def __str__(self) -> str:
        return f"{self.right} of {self.places}" + (f" ({self.right / self.places:.1%})" if self.places else "")


@dataclass(frozen=True)
class Carried:
    """What was measured on fresh documents.

    name: the last name of a story, which is the owner's, against the other seven names.
    far: those of the `name` places where the owner was not named since the first sentence.
    number: the verb after a relative clause, in the hero's number against the other number.
    against: those of the `number` places where the noun nearest before the verb has the other number.
    impossible: the mean probability that the model gives to words which the grammar forbids at that place.
    """

    name: Share
    far: Share
    number: Share
    against: Share
    impossible: float


@dataclass(frozen=True)
class _Place:
    """A word to foretell: where, what would be right, what would be wrong, and whether nothing near helps."""

    position: int
    right: frozenset[str]
    wrong: frozenset[str]
    hard: bool


def measure(weights: dict[str, Tensor], config: Mapping[str, Any], seed: int, documents: int) -> Carried:
    """Measure a model on documents drawn from a stream of their own.

    Args:
        weights: as `reference.model.llama` takes them.
        config: all nine keys.
        seed: of the documents.
        documents: how many, at least 1.
    """
    rng = random.Random(f"capstone carried {seed}")
    decisions: dict[str, list[bool]] = {"name": [], "far": [], "number": [], "against": []}
    impossible, words = 0.0, 0
    for _ in range(documents):
        document = grammar.sample_document(rng)
        tokens = torch.tensor([_ids(document)])  # (1, T)
        with torch.no_grad():
            foretold = torch.softmax(logits(tokens, weights, config)[0], dim=-1)  # (T, V)
        for place, all_places, hard_places in (
            (name_at_the_end(document), "name", "far"),
            (verb_after_clause(document), "number", "against"),
        ):
            if place is not None:
                decisions[all_places].append(_decided(foretold, place))
                if place.hard:
                    decisions[hard_places].append(decisions[all_places][-1])
        for position in range(1, len(document)):
            possible = grammar.next_words(document[:position])
            impossible += 1.0 - float(foretold[position - 1, _ids(possible)].sum())
        words += len(document) - 1
    shares = {name: Share(sum(made), len(made)) for name, made in decisions.items()}
    return Carried(impossible=impossible / words, **shares)


def name_at_the_end(document: list[str]) -> _Place:
    """The last name of a story: the right one and the seven wrong ones."""
    position = max(place for place, word in enumerate(document) if word in _NAMES)
    owner = document[position]
    return _Place(position, frozenset({owner}), _NAMES - {owner}, hard=document[:position].count(owner) == 1)


def verb_after_clause(document: list[str]) -> _Place | None:
    """The verb of the sentence "one day the cat that ... hides", None when the hero has no clause there."""
    noun = document.index("one") + 3
    if document[noun + 1] != "that":
        return None
    many = document[noun] in PLURALS.values()
    right, wrong = (_MANY, _SINGLE) if many else (_SINGLE, _MANY)
    position = next(place for place in range(noun + 2, len(document)) if document[place] in right)
    nouns = [word for word in document[noun:position] if word in _ANIMALS]
    return _Place(position, right, wrong, hard=(nouns[-1] in PLURALS.values()) != many)


def _ids(words: Iterable[str]) -> list[int]:
    return [VOCABULARY.index(word) for word in words]


def _decided(foretold: Tensor, place: _Place) -> bool:
    """Whether a right word is more probable than every wrong one; `foretold` is `(T, V)`."""
    row = foretold[place.position - 1]  # (V,)
    return bool(row[_ids(place.right)].max() > row[_ids(place.wrong)].max())
