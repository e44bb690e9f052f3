"""The page that a student gets back."""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

import click
import pytest
from made_pages import NOON, RMS, a_test, failed, standing_of, taken

from grader.batch.handed_in import Student
from grader.course.load import load_course
from grader.gradebook.standing import Lateness, Override, Standing
from grader.render import html, junit, text
from grader.render.feedback import feedback
from grader.render.ledger import ledger, length, moment
from grader.report import ExerciseResult, Report, TestResult

COURSE = load_course()
ADA = Student("s1", "Ada Lovelace")
BROKEN = failed("You add `eps` after the root.\nThe root comes last.", output="loading\n")
FINE = ExerciseResult("normalization.layer_norm", "passed", 6, 6)
HEIR = ExerciseResult("attention.attention", "inherited", 4, 4, inherits=RMS, message="This function is right.")
REPORT = Report("s1", 7, ("process-split",), (FINE, BROKEN), level="strong")


def text_of(standing: Standing, **more) -> str:
    """What is read on the page, with single spaces."""
    return " ".join(taken(feedback(standing, COURSE, **more)).text.split())


def standing(report: Report = REPORT, final: str = "8", **more) -> Standing:
    return Standing(ADA, report, Decimal(final), **more)


def overriding(points: str, exercise: str | None = None, hours: int = 0) -> Override:
    return Override(exercise, Decimal(points), "It was shown in class.", "Grace", NOON + timedelta(hours=hours))


def test_it_names_the_student_the_points_and_what_they_mean():
    read = text_of(standing(), title="Week 2")
    for part in ("Feedback: Week 2", "Ada Lovelace", "s1", "8 of 10 points", "1 of 2 exercises passes and 1 is partly"):
        assert part in read
    assert "<title>Ada Lovelace: 8 of 10 points</title>" in feedback(standing(), COURSE)


def test_someone_without_a_name_is_called_by_the_id():
    assert '<h1 class="short"><bdi>s9</bdi></h1>' in feedback(replace(standing(), student=Student("s9")), COURSE)


def test_an_exercise_has_its_verdict_the_mistake_where_to_read_and_the_failing_tests():
    read = text_of(standing())
    for part in (
        "partly right 2 of 4", "You add eps after the root.", "The root comes last.", "It printed loading",
        "Read: lessons/normalization/lesson.md#rms-norm", "Failing tests of rms_norm: 1 of 2", "small_rows",
    ):  # fmt: skip
        assert part in read


def test_yours_stands_beside_expected():
    shown = "with\n  x = [1,\n       2]\nyours: [[1,\n        2]]\nexpected (part 2): [3]\nfirst difference at [0]"
    page = feedback(standing(replace(REPORT, exercises=(replace(BROKEN, evidence=shown),))), COURSE)
    parts = re.findall(r'<span class="label">(.*?)</span><pre tabindex="0">(.*?)</pre>', page, re.DOTALL)
    assert parts[:3] == [
        ("Input", "x = [1,\n     2]"),
        ("Yours", "[[1,\n 2]]"),
        ("Expected (part 2)", "[3]"),
    ]
    assert "First difference at [0]" in page


def test_what_comes_first_is_what_others_inherit_from():
    first = failed("One.", id="normalization.layer_norm")
    read = text_of(standing(Report("s1", 1, (), (first, failed("Two."), HEIR))))
    assert read.index(f"{RMS} (2 points are missing, and 1 function that is right inherits its fault) Two.") < (
        read.index("normalization.layer_norm (2 points are missing) One.")
    )


UNPAID = "Tests of shape, dtype, refusals and laws pay once the first value test passes: 2 passed, unpaid (3 points)."


def held_back(**more) -> ExerciseResult:
    """2 of 6 points: one test paid, one failed (1 point), two passed and are not paid (3 points)."""
    tests = (
        TestResult("first", "failed", 0, 1, "No.", 0.1), TestResult("other", "passed", 2, 2, "", 0.1),
        TestResult("shape", "passed", 0, 1, "Right, but.", 0.1), TestResult("law", "passed", 0, 2, "Right, but.", 0.1),
    )  # fmt: skip
    return failed(tests=tests, possible=6, **more)


def test_the_points_of_tests_that_passed_unpaid_are_told_so_that_all_adds_up():
    report = Report("s1", 1, (), (held_back(),))
    assert UNPAID in text_of(standing(report, "2"))
    assert UNPAID in " ".join(taken(html.render(report, COURSE)).text.split())
    assert UNPAID in " ".join(text.render(report, COURSE).split())
    assert junit.render(report).count('<property name="unpaid" value="Right, but." />') == 2
    assert "unpaid" not in text_of(standing())
    assert "unpaid" not in text.render(REPORT, COURSE)
    assert "unpaid" not in junit.render(REPORT)


def test_points_set_by_hand_are_not_missing():
    report = Report("s1", 1, (), (failed("One."), ExerciseResult("heads.merge_heads", "not_started", 0, 4)))
    read = text_of(standing(report, "4", overrides=(overriding("4", RMS),)))
    assert "missing" not in read
    assert f"What to mend first {RMS} One." in read
    assert "heads.merge_heads (not written yet, 4 points)" in read
    read = text_of(standing(report, "8", overrides=(overriding("8"),)))
    assert "missing" not in read
    assert "heads.merge_heads (not written yet)" in read
    assert "2 points are missing" in text_of(standing(report, "2"))


def test_times_are_those_of_the_assignment_and_the_due_time_is_told():
    read = text_of(standing(submitted=NOON), zone="Europe/Berlin", due=NOON + timedelta(hours=1))
    assert "Handed in 2026-03-02 13:00 +01:00. Due 2026-03-02 14:00 +01:00 (Europe/Berlin)." in read
    read = text_of(standing(submitted=NOON), zone="Mars/Olympus", due=NOON)
    assert "Handed in 2026-03-02 12:00 UTC. Due 2026-03-02 12:00 UTC" in read
    assert "Due" not in text_of(standing(submitted=NOON))


def test_right_on_top_of_what_was_not_handed_in_is_right():
    alone = ExerciseResult("attention.attention", "inherited", 4, 4, message="This function is right. (No more.)")
    report = Report("s1", 1, (), (alone,))
    for word, each in (("right", report), ("right (inherits a fault)", replace(report, exercises=(HEIR,)))):
        assert f"attention {word} 4 of 4" in text_of(standing(each, "4"))
        assert click.unstyle(text.render(each, COURSE)).split("4/4")[1].splitlines()[0].strip() == word
        assert f'<property name="verdict" value="{word}" />' in junit.render(each)


def test_sides_that_read_the_same_are_left_out():
    same = "with (call by call)\n  x = [1]\n{}first difference at [0, 3]: yours 2, expected 3"
    for sides in ("", "yours: float16 of shape (1, 64)\nexpected: float16 of shape (1, 64)\n"):
        page = text_of(standing(replace(REPORT, exercises=(replace(BROKEN, evidence=same.format(sides)),))))
        assert "Input (call by call) x = [1] First difference at [0, 3]: yours 2, expected 3" in page


def test_a_fault_of_a_file_is_told_once():
    problem = "normalization.py, line 3: expected ':'\n    def f(x)\n            ^"
    broken = tuple(
        ExerciseResult(f"normalization.{name}", "error", 0, 4, message=problem) for name in ("layer_norm", "rms_norm")
    )
    page = feedback(standing(Report("s1", 1, (), broken, (problem,))), COURSE)
    assert page.count("expected &#39;:&#39;") == 1
    assert '<pre tabindex="0">    def f(x)\n            ^</pre>' in page
    assert page.count("could not be run") == 2


@pytest.mark.parametrize(
    ("report", "says"),
    [
        (Report("s", 1, (), (FINE,)), "Everything passes."),
        (Report("s", 1, (), (ExerciseResult(RMS, "not_started", 0, 4),)), "Nothing is written yet."),
        (Report("s", 1, (), (FINE, failed(status="grader_fault"))), "1 could not be judged, by a fault of the grader"),
        (Report("s", 1, ()), "Nothing was asked."),
    ],
)
def test_the_whole_is_said_in_a_sentence(report, says):
    assert says in text_of(standing(report))


def test_a_held_out_seed_is_not_on_the_page():
    page = feedback(standing_of("words"), COURSE)
    assert "987654" not in page
    assert "Seed held out." in page
    assert "Seed 7." in feedback(standing(), COURSE)


def test_points_that_nobody_touched_need_no_account():
    assert "Where the points come from" not in text_of(standing())


def test_lateness_and_points_by_hand_lead_from_what_was_earned_to_what_counts():
    late = Lateness(90000, Decimal("0.1"), "Handed in 1 day 1 hour late: 10 % is taken.")
    read = text_of(standing(final="8.1", submitted=NOON, late=late, overrides=(overriding("3", RMS),)))
    assert "Earned in the tests 8 " in read
    assert f"{RMS} set to 3 by hand, by Grace on 2026-03-02 12:00 UTC +1 " in read
    assert "10 % is taken. \N{MINUS SIGN}0.9 " in read
    assert "What counts 8.1 of 10" in read
    assert "Handed in 2026-03-02 12:00 UTC, 1 day 1 hour late." in read
    assert "3 of 4 The tests gave 2. 3 set by hand by Grace." in read
    assert "shown in class" not in read  # why is for those who keep the gradebook


def test_points_by_hand_for_all_stand_in_place_of_all_above():
    late = Lateness(60, Decimal("0.5"), "Half is taken.")
    made = ledger(standing(final="9.5", late=late, overrides=(overriding("9.5"),)))
    assert [(line.becomes, line.says) for line in made.changes] == [(Decimal("9.5"), "")]
    assert "Half is taken" not in text_of(standing(final="9.5", late=late, overrides=(overriding("9.5"),)))


def test_of_two_that_a_person_gave_the_later_counts():
    made = ledger(standing(final="9", overrides=(overriding("3", RMS, hours=2), overriding("1", RMS))))
    assert made.given[RMS].points == 3
    assert sum((line.points for line in made.changes), Decimal(made.earned)) == made.final


@pytest.mark.parametrize(
    ("seconds", "says"),
    [(1, "1 second"), (61, "1 minute 1 second"), (3600, "1 hour"), (97200, "1 day 3 hours"), (86460, "1 day")],
)
def test_a_length_has_its_two_largest_units(seconds, says):
    assert length(seconds) == says


def test_a_moment_has_its_offset():
    assert moment(datetime(2026, 3, 2, 23, 59, 30, tzinfo=UTC)) == "2026-03-02 23:59 UTC"
    assert moment(datetime.fromisoformat("2026-03-02T23:59:30-05:30")) == "2026-03-02 23:59 -05:30"


def test_every_status_has_a_word_and_a_mark_of_its_own_form():
    marks = {}
    for status in ("passed", "partial", "failed", "not_started", "grader_fault"):
        page = feedback(standing(Report("s", 1, (), (failed(status=status),))), COURSE)
        word, drawn = re.search(r'<path fill-rule="evenodd" d="([^"]+)"/></svg>([^<]+)</span>', page).groups()
        marks[word] = drawn
    assert len(marks) == len(set(marks.values())) == 5


def test_a_long_print_is_cut_to_its_end():
    printed = "\n".join(f"line {number}" for number in range(1000))
    read = text_of(standing(replace(REPORT, exercises=(replace(BROKEN, output=printed),))))
    assert "It printed, at the end line 960" in read
    assert "line 999" in read
    assert "line 959" not in read


def test_a_test_that_passed_is_not_among_those_that_fail():
    every = replace(BROKEN, tests=(a_test("passed"),))
    assert "Failing tests" not in text_of(standing(replace(REPORT, exercises=(every,))))


def test_a_report_of_another_version_of_the_course_is_shown_whole():
    assert "old_lesson" in text_of(standing(Report("s", 1, (), (failed(id="old_lesson.gone"),))))
