"""The code of a fault is that fault: run beside the catalogue's own variant it cannot be told from it."""

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nightly import share

from grader.course.load import load_course
from grader.course.model import Course
from grader.grading import flawed_function, reference_function
from grader.judge.agreement import agree, alternative
from grader.judge.misconception import Flawed
from grader.judge.probe import run_here
from grader.review.born.bench import Bench, seen_as
from grader.review.born.code.known import Unsuitable
from grader.review.born.code.specialise import Code, specialised
from grader.review.born.faults import MOST_LINES, WIDEST, code_of, shown_code

LESSONS = [lesson.slug for lesson in load_course().lessons]
LARGEST = 2000
"""Numbers of an input; the few larger ones say nothing more about a piece of code."""
HEAD = "import math\n\nimport torch\nimport torch.nn.functional as F\nfrom torch import Tensor\n\n\n"


def run(code: Code, folder: Path, name: str) -> Callable[..., Any]:
    """The function of a source text, imported from a file."""
    path = folder / f"{name}_{len(list(folder.glob('*.py')))}.py"  # a file each: bytecode is kept by file and second
    path.write_text(HEAD + code.text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[..., Any] = getattr(module, name)
    return found


@pytest.mark.parametrize("lesson", LESSONS)
def test_shown_code_does_what_the_variant_does(course: Course, lesson: str, tmp_path: Path) -> None:
    shown = 0
    for exercise in course.lesson(lesson).exercises:
        flawed, bench = flawed_function(exercise), Bench(exercise, "c0de")
        assert flawed is not None
        for mistake in (None, *share(flawed.misconceptions, of=8)):
            if mistake is not None and shown_code(flawed, mistake) is None:
                continue
            names = frozenset({mistake.name} if mistake else ())
            code = code_of(flawed, tuple(names))
            if code is None:
                continue
            function = run(code, tmp_path, exercise.name)
            shown += 1
            for question in bench.everything:
                if question.probe.size > LARGEST:
                    continue
                seen = seen_as(question, run_here(function, question.probe, question.answer.cotangent))
                other = alternative(flawed, names, question.probe, question.answer)
                assert agree(seen, other) is not None, f"{exercise.id} {names} {question.test}"
    assert shown > 2


def flawed_of(course: Course, exercise: str) -> Flawed:
    found = flawed_function(course.exercise(exercise))
    assert found is not None
    return found


def test_switches_are_gone_and_dead_branches_with_them(course: Course) -> None:
    text = specialised(flawed_of(course, "normalization.rms_norm"), frozenset({"no-root"})).text
    assert "wrong" not in text
    assert "no-root" not in text
    assert "if " not in text.replace(" if eps is None else ", "")
    assert "sqrt" not in text


def test_right_code_is_right_by_another_road(course: Course, tmp_path: Path) -> None:
    exercise = course.exercise("objective.softmax")
    function = run(specialised(flawed_of(course, exercise.id), frozenset()), tmp_path, exercise.name)
    question = Bench(exercise, "1").everything[0]
    mine, right = function(*question.probe.args), reference_function(exercise)(*question.probe.args)
    assert math.isclose(float(mine.sum()), float(right.sum()))


def test_helpers_that_cannot_be_put_in_are_shown_before(course: Course) -> None:
    code = specialised(flawed_of(course, "attention.attention_weights"), frozenset({"inverted"}))
    assert list(code.functions)[-1] == "attention_weights"
    assert code.text.index("def visible_keys") < code.text.index("def attention_weights")


def test_of_long_code_only_the_faulty_function_is_shown(course: Course) -> None:
    flawed = flawed_of(course, "model.gpt2")
    texts = [text for mistake in flawed.misconceptions if (text := shown_code(flawed, mistake))]
    assert texts
    assert all(len(text.splitlines()) <= MOST_LINES for text in texts)
    assert all(len(line) <= WIDEST for text in texts for line in text.splitlines())


def test_what_cannot_be_followed_is_not_shown(course: Course) -> None:
    flawed = flawed_of(course, "training.adamw_step")  # a class that holds the switch
    with pytest.raises(Unsuitable):
        specialised(flawed, frozenset())
    assert shown_code(flawed, flawed.misconceptions[0]) is None
