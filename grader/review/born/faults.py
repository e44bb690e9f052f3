"""Find the fault: an answer with one catalogued mistake, shown as code or by its numbers. What is wrong with it?

`fault/normalization.rms_norm.no-root` is the item of that mistake. It is for learners who have passed the exercise: the
code around the fault is right.
"""

from __future__ import annotations

import difflib
import random
from collections.abc import Iterable, Iterator
from functools import cache

from grader.course.model import Course, Exercise
from grader.grading import flawed_function
from grader.judge.agreement import agree, alternative, only_kind
from grader.judge.misconception import Flawed, Misconception
from grader.judge.observation import Observation
from grader.review.born.bench import Bench, NoCatalogue, seen_as
from grader.review.born.broken import Trials, law_choice, told_by_laws, trials_of
from grader.review.born.code.known import Unsuitable
from grader.review.born.code.specialise import Code, specialised
from grader.review.born.contrast import contrast
from grader.review.born.mistakes import asked, find
from grader.review.born.named import NoQuestion
from grader.review.questions.model import Option, Question

PREFIX = "fault/"
MOST_LINES, WIDEST = 25, 120
"""Code that is read in a terminal."""
MOST_CHANGED = 12
"""Lines, taken away and added, in which the faulty code differs from the right one: a fault is no rewriting."""
WRONG_OPTIONS, FEWEST_WRONG = 3, 2
BY_LAWS = 0.4
"""How often the options are laws, where both are possible."""


def candidates(exercises: Iterable[Exercise]) -> list[str]:
    """The items of these exercises: those that the learner has passed. Some of them may have no question."""
    found = []
    for exercise in exercises:
        flawed = flawed_function(exercise)
        found += [PREFIX + mistake.id for mistake in (flawed.misconceptions if flawed else ())]
    return found


def askable(items: Iterable[str], seed: str, course: Course) -> Iterator[Question]:
    """The questions of these items in the order of the seed, without those that have none."""
    order = list(items)
    random.Random(f"{seed} faults").shuffle(order)
    for item in order:
        try:
            yield question(item, seed, course)
        except NoQuestion:
            continue


def question(item: str, seed: str, course: Course) -> Question:
    """The question of an item and a seed. Raises NoQuestion for a mistake that cannot be shown, or is not known."""
    exercise, mistake = find(item.removeprefix(PREFIX), course)
    chance = random.Random(f"{seed} {item}")
    try:
        trials = trials_of(exercise, seed)
    except NoCatalogue as error:
        raise NoQuestion(str(error)) from None
    shown = shown_code(trials.bench.flawed, mistake)
    made = _of_code(trials, mistake, shown, chance) if shown else None
    made = made or _of_numbers(trials.bench, mistake, chance) or _of_laws(trials, mistake, chance)
    if made is None:
        raise NoQuestion(f"nothing sets {mistake.id} apart")
    return asked(item, course, exercise, mistake, *made)


def shown_code(flawed: Flawed, mistake: Misconception) -> str | None:
    """The faulty code as it is shown: all of it if it is short, or else the functions with the fault; None if that
    cannot be written down, is too long to read or is a whole other way of doing it."""
    right, wrong = code_of(flawed, ()), code_of(flawed, (mistake.name,))
    if right is None or wrong is None:
        return None
    text = wrong.text if _is_readable(wrong.text) else wrong.apart_from(right)
    lines = list(difflib.ndiff(right.text.splitlines(), wrong.text.splitlines()))
    changed = sum(line.startswith(("+ ", "- ")) for line in lines)
    return text if _is_readable(text) and 0 < changed <= MOST_CHANGED else None


@cache
def code_of(flawed: Flawed, names: tuple[str, ...]) -> Code | None:
    """The exercise's code with these mistakes made, None if it cannot be written down."""
    try:
        return specialised(flawed, frozenset(names))
    except Unsuitable:
        return None


def _is_readable(text: str) -> bool:
    lines = text.splitlines()
    return 0 < len(lines) <= MOST_LINES and max(map(len, lines)) <= WIDEST


def _of_code(
    trials: Trials, mistake: Misconception, shown: str, chance: random.Random
) -> tuple[str, tuple[Option, ...]] | None:
    name = trials.bench.exercise.name
    whole = f"def {name}(" in shown
    head = f"This `{name}` has one fault." if whole else f"A `{name}` has one fault, in this part of it."
    head += f"\n\n```python\n{shown}\n```\n\n"
    by_laws = chance.random() < BY_LAWS
    if by_laws and (laws := law_choice(trials, mistake, chance)):
        return head + laws[0], laws[1]
    wrong = _others(trials.bench, mistake, chance)
    if len(wrong) >= FEWEST_WRONG:
        return head + "What is wrong with it?", _says(mistake, wrong, "The code does not do that.")
    laws = law_choice(trials, mistake, chance)
    return None if laws is None else (head + laws[0], laws[1])


def _of_numbers(bench: Bench, mistake: Misconception, chance: random.Random) -> tuple[str, tuple[Option, ...]] | None:
    """By what it returns: none of the other mistakes gives that."""
    found = contrast(bench, mistake, chance, WRONG_OPTIONS)
    if found is None or len(found.others) < FEWEST_WRONG:
        return None
    view, digits = found.view.name, found.digits
    exact = found.right.is_exact(digits) and found.wrong.is_exact(digits)
    prompt = (
        f"A `{bench.exercise.name}` has one fault. Take\n\n```python\n{found.given}\n```\n\n"
        f"It gives `{found.wrong.text(digits)}` for `{view}`, where `{found.right.text(digits)}` is right"
        f"{'' if exact else f' (rounded to {digits} digits)'}. What is wrong with it?"
    )
    options = [
        Option(mistake.name, mistake.says, True, "That is it."),
        *(
            Option(other.name, other.says, False, f"That would give `{seen.text(digits)}`.")
            for other, seen in found.others
            if other.says != mistake.says
        ),
    ]
    return prompt, tuple(options)


def _of_laws(trials: Trials, mistake: Misconception, chance: random.Random) -> tuple[str, tuple[Option, ...]] | None:
    """By which laws it breaks and which it keeps: the other mistakes do otherwise."""
    found = told_by_laws(trials, mistake, _shuffled(trials.bench, mistake, chance))
    if found is None:
        return None
    told, wrong = found
    options = (Option(other.name, other.says, False, against) for other, against in wrong)
    prompt = f"A `{trials.bench.exercise.name}` has one fault. Of its tests it\n\n{told}\n\nWhat is wrong with it?"
    return prompt, (Option(mistake.name, mistake.says, True, "That is it."), *options)


def _says(mistake: Misconception, wrong: Iterable[Misconception], feedback: str) -> tuple[Option, ...]:
    others = (Option(other.name, other.says, False, feedback) for other in wrong)
    return Option(mistake.name, mistake.says, True, "That is it."), *others


def _others(bench: Bench, mistake: Misconception, chance: random.Random) -> list[Misconception]:
    """Mistakes that the code with this one clearly does not make, two of the same section first."""
    found: list[Misconception] = []
    for other in _shuffled(bench, mistake, chance):
        told = {mistake.says, *(each.says for each in found)}
        if other.says not in told and _is_not_made(bench, mistake, other):
            found.append(other)
        if len(found) == WRONG_OPTIONS:
            break
    return found


def _shuffled(bench: Bench, mistake: Misconception, chance: random.Random) -> list[Misconception]:
    """The other mistakes by chance, but two of the same section first: they are the near misses."""
    rest = [other for other in bench.flawed.misconceptions if other.name != mistake.name]
    chance.shuffle(rest)
    near = [other for other in rest if other.section == mistake.section][:2]
    return [*near, *(other for other in rest if other not in near)]


def _is_not_made(bench: Bench, mistake: Misconception, other: Misconception) -> bool:
    """Whether a function with one mistake shows that it does not have the other: it differs from that one wherever both
    are wrong, and making the other as well would change it (or it is made already, or has nothing to be made in)."""
    if other.name in mistake.same_as or mistake.name in other.same_as:
        return False
    one, two = frozenset({mistake.name}), frozenset({other.name})
    if any(_alike(bench.flawed, one, two, question) for question in bench.everything):
        return False
    if mistake.alone or other.alone:
        return True
    return any(bench.differ(one, one | two, question) for question in bench.everything)


def _alike(flawed: Flawed, one: frozenset[str], two: frozenset[str], question: Observation) -> bool:
    """Whether both give one and the same wrong answer."""
    mine = alternative(flawed, one, question.probe, question.answer)
    other = alternative(flawed, two, question.probe, question.answer)
    if not (mine.departs and other.departs):
        return False
    seen = seen_as(question, mine.outcome)
    return agree(seen, other) is not None and not only_kind(seen, other)
