"""Questions born from a learner's own failed gradings: the mistake that was named comes back, with new numbers.

`mistake/normalization.rms_norm.eps-outside-root` is the item of that mistake. It is asked until two rungs
after the last grading that named it were passed at the first try.
"""

from __future__ import annotations

import random

from grader.course.headings import headings
from grader.course.model import Course, Exercise
from grader.grading import flawed_function
from grader.judge.misconception import Misconception
from grader.review.born.broken import law_choice, trials_of
from grader.review.born.contrast import Contrast, contrast
from grader.review.born.named import PREFIX, VERSION, NoQuestion
from grader.review.questions.model import Option, Question


def question(item: str, seed: str, course: Course) -> Question:
    """The question of an item and a seed: the right result among those of mistakes, or the law that is broken.

    Raises NoQuestion for a mistake that the course does not know (any longer).
    """
    exercise, mistake = find(item.removeprefix(PREFIX), course)
    chance = random.Random(f"{seed} {item}")
    trials = trials_of(exercise, seed)
    head = f"Your `{exercise.name}` was once graded like this:\n\n> {mistake.says}\n\n"
    if found := contrast(trials.bench, mistake, chance):
        says, options = _of_numbers(exercise, found)
    elif laws := law_choice(trials, mistake, chance):
        says, options = laws
    else:
        raise NoQuestion(f"nothing sets {mistake.id} apart")
    return asked(item, course, exercise, mistake, head + says, options)


def find(misconception: str, course: Course) -> tuple[Exercise, Misconception]:
    """The exercise and the mistake of an id. Raises NoQuestion."""
    exercise_id, _, name = misconception.rpartition(".")
    if not course.has(exercise_id):
        raise NoQuestion(f"the course has no exercise {exercise_id}")
    exercise = course.exercise(exercise_id)
    flawed = flawed_function(exercise)
    if flawed is None or name not in {known.name for known in flawed.misconceptions}:
        raise NoQuestion(f"the course knows no mistake {misconception}")
    return exercise, flawed.named(name)


def asked(
    item: str, course: Course, exercise: Exercise, mistake: Misconception, prompt: str, options: tuple[Option, ...]
) -> Question:
    """A choice, with the mistake and where the lesson explains it as the explanation."""
    lesson = course.lesson(exercise.lesson)
    titles = {heading.anchor: heading.text for heading in headings(lesson.page.read_text(encoding="utf-8"))}
    told = mistake.says in prompt or any(mistake.says in option.text for option in options if option.right)
    says = "" if told else f"{mistake.says}\n\n"
    where = f"[{titles.get(mistake.section, lesson.title)}](lessons/{lesson.slug}/lesson.md#{mistake.section})"
    return Question(
        id=item,
        lesson=exercise.lesson,
        version=VERSION,
        kind="choice",
        concepts=exercise.concepts,
        prompt=prompt,
        explanation=f'{says}The lesson explains it under "{where}".',
        answer=tuple(option.id for option in options if option.right),
        options=options,
    )


def _of_numbers(exercise: Exercise, found: Contrast) -> tuple[str, tuple[Option, ...]]:
    name, view = exercise.name, found.view.name
    shown = [found.right, found.wrong, *(seen for _, seen in found.others)]
    exact = all(seen.is_exact(found.digits) for seen in shown)
    to = "" if exact else f" Numbers are rounded to {found.digits} digits."
    says = f"Take\n\n```python\n{found.given}\n```\n\nWhat is `{view}` when `{name}` is right?{to}"
    options = [
        Option("right", f"`{found.right.text(found.digits)}`", True, "That is it."),
        Option("mistake", f"`{found.wrong.text(found.digits)}`", False, "That is the old mistake again."),
        *(
            Option(f"other-{place}", f"`{seen.text(found.digits)}`", False, f"Another mistake gives that. {other.says}")
            for place, (other, seen) in enumerate(found.others, 1)
        ),
    ]
    return says, tuple(options)
