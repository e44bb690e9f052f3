"""What has stayed, by rung, and what is weak, by concept. No streaks: a day without a review is no failure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from math import fsum

from grader.review.history import Review, Reviews
from grader.review.ladder import EXTENSION, LAST_RUNG, RUNGS, Taken, place

FEWEST_ANSWERS = 3
"""Of a concept that was asked less often nothing is said."""
MOST_CONCEPTS = 5


@dataclass(frozen=True, slots=True)
class Retention:
    """What became of one rung over all lessons and cycles; `rung` is 1 to 5, or EXTENSION for its repeats.

    `taken` counts the reviews that took it, `passed` those of them that passed; `score` is the mean of their scores,
    None without any. `missed` counts the lessons whose present cycle has passed it by without a review.
    """

    rung: int
    taken: int
    passed: int
    score: float | None
    missed: int

    @property
    def days(self) -> int | None:
        """On which day after completion it is due; None for a repeat, whose day is counted from the failure."""
        return None if self.rung == EXTENSION else RUNGS[self.rung - 1]

    @property
    def share(self) -> float | None:
        """The share that passed, None if it was never taken."""
        return self.passed / self.taken if self.taken else None


@dataclass(frozen=True, slots=True)
class ConceptScore:
    """How often questions on a concept were asked, and how often the first answer was right."""

    concept: str
    asked: int
    right: int

    @property
    def share(self) -> float:
        return self.right / self.asked


@dataclass(frozen=True, slots=True)
class Flagged:
    """An item that was missed in three reviews or more, and how many they were."""

    lesson: str
    item: str
    missed: int


def retention(reviews: Reviews, today: date) -> tuple[Retention, ...]:
    """One row a rung, 1 to 5, and a last one for the repeats of the fifth."""
    taken: dict[int, list[Taken]] = defaultdict(list)
    missed: dict[int, int] = defaultdict(int)
    for history in reviews.lessons.values():
        for review in _counted(history.all_reviews):
            taken[review.rung].append(review)
        if history.anchor is not None:
            for rung in place(history, today).missed:
                missed[rung] += 1
    return tuple(_retention(rung, taken[rung], missed[rung]) for rung in (*range(1, LAST_RUNG + 1), EXTENSION))


def weakest_concepts(
    reviews: Reviews, concepts: Mapping[str, Sequence[str]], most: int = MOST_CONCEPTS
) -> tuple[ConceptScore, ...]:
    """The concepts with the lowest share of right first answers, the weakest first, at most `most` of them.

    `concepts` are those of each item; an item that is not in it is left out. All finished sessions count, practice too.
    A concept asked fewer than FEWEST_ANSWERS times is left out, and so is one that was always right.
    """
    asked: dict[str, int] = defaultdict(int)
    right: dict[str, int] = defaultdict(int)
    for history in reviews.lessons.values():
        for item in (item for review in history.all_reviews for item in review.items):
            for concept in concepts.get(item.item, ()):
                asked[concept] += 1
                right[concept] += not item.missed
    scores = (ConceptScore(concept, asked[concept], right[concept]) for concept in asked)
    weak = [each for each in scores if each.asked >= FEWEST_ANSWERS and each.right < each.asked]
    return tuple(sorted(weak, key=lambda each: (each.share, -each.asked, each.concept))[:most])


def flagged(reviews: Reviews) -> tuple[Flagged, ...]:
    """The items that keep being missed, in the order of the course."""
    return tuple(
        Flagged(lesson, item, _misses(history.all_reviews, item))
        for lesson, history in reviews.lessons.items()
        for item in history.flagged
    )


def _counted(reviews: Sequence[Review]) -> list[Taken]:
    return [Taken(review.rung, review.day, review.score) for review in reviews if review.rung is not None]


def _retention(rung: int, taken: Sequence[Taken], missed: int) -> Retention:
    score = fsum(each.score for each in taken) / len(taken) if taken else None
    return Retention(rung, len(taken), sum(each.passed for each in taken), score, missed)


def _misses(reviews: Sequence[Review], item: str) -> int:
    counted = [review for review in reviews if review.rung is not None]
    return sum(each.missed for review in counted for each in review.items if each.item == item)
