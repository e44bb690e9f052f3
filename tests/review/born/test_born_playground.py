"""The learner's own code and snippets run apart, and whatever happens there costs nothing."""

import time
from pathlib import Path

import pytest

from grader.course.load import load_course
from grader.course.model import Course
from grader.places import reference_folder
from grader.review.born.own import Own, verdict
from grader.review.born.playground import Playground
from grader.review.questions.draw import draw
from grader.review.questions.load import load_quiz
from grader.review.questions.marking import key
from grader.review.questions.model import Call, Drawn, Question, TensorLiteral, Tolerance
from grader.review.questions.oracle import Oracle
from grader.sandbox import NoTorch, Zygote

RMS = """
import time

import torch


def rms_norm(x, weight, eps=1e-6):
    {body}
"""
TWICE_TOO_LARGE = RMS.format(body="return 2 * x / (x.square().mean(-1, keepdim=True) + eps).sqrt() * weight")


def asked(kind: str = "numeric", at: tuple[int, ...] = (1,)) -> Drawn:
    """`rms_norm([3, 4], [1, 1])`: the second feature, which is 1.1314."""
    args = {"x": TensorLiteral([3.0, 4.0], "float64"), "weight": TensorLiteral([1.0, 1.0], "float64"), "eps": 0.0}
    question = Question(
        id="normalization-own", lesson="normalization", version=1, kind=kind, concepts=(), prompt="", explanation="",
        answer=Call("reference.normalization:rms_norm", args, at), tolerance=Tolerance("atol", 0.01),
    )  # fmt: skip
    return draw(question, "1")


def playground(zygote: Zygote, folder: Path, source: str) -> Playground:
    (folder / "normalization.py").write_text(source, encoding="utf-8")
    return Playground(load_course(), folder, lambda: zygote)


def told(zygote: Zygote, folder: Path, body: str) -> Own:
    own = playground(zygote, folder, RMS.format(body=body)).own_value(asked())
    assert own is not None
    return own


def test_the_learners_number(zygote: Zygote, tmp_path: Path) -> None:
    own = playground(zygote, tmp_path, TWICE_TOO_LARGE).own_value(asked())
    assert own == Own("normalization.rms_norm", pytest.approx(2.2627, abs=1e-4))


@pytest.mark.parametrize(
    ("given", "agrees", "says"),
    [
        ("1.131", "reference", "Your answer is the right one, but your own `rms_norm` gives 2.26274"),
        (
            "2.263",
            "own",
            "You have read your code well: your own `rms_norm` gives 2.26274. The right one gives 1.13137",
        ),
        ("5", "neither", "It is neither: your own `rms_norm` gives 2.26274, and the right one 1.13137."),
        ("no idea", "unknown", "Your own `rms_norm` gives 2.26274."),
    ],
)
def test_three_verdicts(given: str, agrees: str, says: str) -> None:
    found = verdict(asked(), given, 1.1313708, Own("normalization.rms_norm", 2.2627417))
    assert found.agrees == agrees
    assert found.says.startswith(says)


def test_a_right_function_agrees_with_both() -> None:
    found = verdict(asked(), "1.13", 1.1313708, Own("normalization.rms_norm", 1.1313708))
    assert found.agrees == "both"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise NotImplementedError", "Your own `rms_norm` is not written yet"),
        ("return x / 0 + missing", "Your own `rms_norm` raised NameError"),
        ("raise ValueError('\\x1b[2J' + 900 * 'x')", "Your own `rms_norm` raised ValueError: \\x1b[2J"),
        ("return 'text'", "Your own `rms_norm` returned something else"),
        ("return None", "Your own `rms_norm` returned something else"),
        ("return x.mean()", "Your own `rms_norm` returned something else"),
        ("return lambda: x", "Your own `rms_norm` returned"),
        ("time.sleep(60)", "Your own `rms_norm` did not answer. It did not finish within"),
        ("__import__('os')._exit(3)", "Your own `rms_norm` did not answer."),
    ],
)
def test_a_function_that_gives_no_number_is_told_in_a_sentence(
    zygote: Zygote, tmp_path: Path, body: str, says: str
) -> None:
    own = told(zygote, tmp_path, body)
    assert own.value is None
    assert own.says.startswith(says)
    assert len(own.says) < 300
    assert "\x1b" not in own.says


def test_not_a_number_is_no_agreement(zygote: Zygote, tmp_path: Path) -> None:
    own = told(zygote, tmp_path, "return x * float('nan')")
    assert verdict(asked(), "1.13", 1.1313708, own).agrees == "unknown"


def test_a_file_that_cannot_be_read_is_told(zygote: Zygote, tmp_path: Path) -> None:
    own = playground(zygote, tmp_path, "def rms_norm(:").own_value(asked())
    assert own is not None
    assert "cannot be run" in own.says


def test_other_questions_ask_no_function(zygote: Zygote, tmp_path: Path) -> None:
    assert playground(zygote, tmp_path, TWICE_TOO_LARGE).own_value(asked(kind="shape")) is None
    assert Playground(load_course(), None, lambda: zygote).own_value(asked()) is None


def test_asking_begins_before_the_answer_is_there(zygote: Zygote, tmp_path: Path) -> None:
    place = playground(zygote, tmp_path, RMS.format(body="time.sleep(0.8) or None\n    return x"))
    began = time.monotonic()
    place.expect(asked())
    assert time.monotonic() - began < 0.5
    own = place.own_value(asked())
    assert own is not None
    assert own.value == 4.0


def test_without_a_sandbox_nothing_is_lost(tmp_path: Path) -> None:
    def none() -> Zygote:
        raise NoTorch("torch is not installed in this Python")

    with Playground(load_course(), tmp_path, none) as place:
        place.warm_up()
        own = place.own_value(asked())
        assert own is not None
        assert own.says == "Your own function could not be asked: torch is not installed in this Python"
        assert place.run("print(1)").error == "It could not be run: torch is not installed in this Python"


def test_a_dead_zygote_is_an_absence(tmp_path: Path) -> None:
    with Zygote() as dead:
        dead.close()
        own = playground(dead, tmp_path, TWICE_TOO_LARGE).own_value(asked())
    assert own is not None
    assert own.value is None


def test_snippets_print_what_they_print(zygote: Zygote) -> None:
    place = Playground(load_course(), None, lambda: zygote)
    ran = place.run("import torch\nprint(torch.arange(3).tolist())\nprint('\\x1b[31mred')")
    assert ran.printed == "[0, 1, 2]\n\\x1b[31mred"
    assert ran.error == ""


def test_a_snippet_that_raises_shows_its_last_line(zygote: Zygote) -> None:
    ran = Playground(load_course(), None, lambda: zygote).run("print('before')\n1 / 0")
    assert ran.printed == "before"
    assert ran.error == "ZeroDivisionError: division by zero"


def test_a_snippet_that_never_ends_is_ended(zygote: Zygote) -> None:
    ran = Playground(load_course(), None, lambda: zygote).run("while True: pass")
    assert "did not finish" in ran.error


def test_long_output_is_cut(zygote: Zygote) -> None:
    printed = Playground(load_course(), None, lambda: zygote).run("for i in range(100): print(i)").printed
    assert printed.splitlines()[-1] == "... and 60 lines more"


def test_every_numeric_question_agrees_with_the_reference_as_a_learner(course: Course, zygote: Zygote) -> None:
    place, oracle, seen = Playground(course, reference_folder(), lambda: zygote), Oracle(), 0
    for lesson in course.lessons[:3]:
        for question in load_quiz(lesson):
            drawn = draw(question, "ab")
            own = place.own_value(drawn)
            if own is not None:
                right = key(drawn, oracle)
                assert isinstance(right.value, float | int)
                assert verdict(drawn, right.shown, right.value, own).agrees == "both", question.id
                seen += 1
    assert seen > 10
