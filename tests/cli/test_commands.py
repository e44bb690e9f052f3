"""What each command says and does, with the made course of tests/conftest.py."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import Result

from grader.records.log import Log

Anatomy = Callable[..., Result]

LIST = """\
A made course
2 lessons, 4 exercises, 25 points, about 1 h 17 min.

Lesson and exercise  Points    Time

1. First                 14  17 min
   first.double          10
   first.shared           4

2. Second                11     1 h
   second.halve           6
   second.shared          5

Grade a lesson with `anatomy grade first`, one exercise with `anatomy grade first.double`.
"""

STARTED = """\
Wrote 6 files in {root}:
  student/__init__.py
  student/first.py
  student/second.py
  lessons/first/lesson.md
  lessons/second/lesson.md
  README.md

Read:      lessons/first/lesson.md
Write:     double in student/first.py
Grade it:  anatomy grade first.double
Or both in the browser, graded as you save:  anatomy serve
"""

FRESH_STATUS = """\
0 of 4 exercises passed.

Lesson and exercise  Status         Points  Attempts  Hints

1. First             0 of 2 passed    0/14
   first.double      not started      0/10         0    0/2
   first.shared      not started       0/4         0    0/2

2. Second            0 of 2 passed    0/11
   second.halve      not started       0/6         0    0/3
   second.shared     not started       0/5         0    0/2

Next: write double in student/first.py (see lessons/first/lesson.md, section #doubling), then grade it.
  anatomy grade first.double
"""

LATER_STATUS = """\
2 of 4 exercises passed.

Lesson and exercise  Status                Points  Attempts  Hints

1. First             completed 2026-03-01   14/14
   first.double      passed                 10/10         2    0/2
   first.shared      inherited                4/4         1    0/2

2. Second            0 of 2 passed           3/11
   second.halve      partial                  3/6         1    0/3
   second.shared     not started              0/5         0    0/2

Due for review: first.
  anatomy review

Next: second.halve is not right yet. Grade it again, or take a hint:
  anatomy hint second.halve
"""


def record(home: Path, hours: int, **results: tuple[str, int, int, str | None]) -> None:
    exercises = {
        key.replace("_", ".", 1): {"status": status, "earned": earned, "possible": possible, "misconception": named}
        for key, (status, earned, possible, named) in results.items()
    }
    now = datetime(2026, 3, 1, 10, tzinfo=UTC) + timedelta(hours=hours)
    Log(home).append("grading", {"seed": 1, "exercises": exercises}, now)


@pytest.fixture
def later(home: Path) -> None:
    """A learner who is through with the first lesson and in the middle of the second."""
    record(home, 0, first_double=("partial", 5, 10, "first.double.adds-two"), first_shared=("inherited", 4, 4, None))
    record(home, 1, first_double=("passed", 10, 10, None))
    record(home, 26, second_halve=("partial", 3, 6, None))


def test_list_shows_lessons_exercises_points_and_time(anatomy: Anatomy) -> None:
    assert anatomy("list").output == LIST


def test_list_as_json_has_what_the_course_says(anatomy: Anatomy) -> None:
    course = json.loads(anatomy("list", "--format", "json").output)
    assert (course["version"], course["title"], course["points"]) == (1, "A made course", 25)
    assert [lesson["lesson"] for lesson in course["lessons"]] == ["first", "second"]
    second = course["lessons"][1]
    assert second["minutes"] == {"reading": 20, "lab": 30, "review": 10}
    assert second["needs"] == ["first"]
    assert second["exercises"][0] == {
        "id": "second.halve",
        "points": 6,
        "section": "halving",
        "concepts": ["scale"],
        "hints": 3,
    }


def test_a_course_with_mistakes_is_named_without_a_traceback(anatomy: Anatomy, lessons: Path) -> None:
    (lessons / "course.yaml").write_text("title: A made course\nlesons: [first]\n")
    done = anatomy("list")
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: The course has 4 mistakes:\n")


def test_start_says_what_it_wrote_and_what_to_do(anatomy: Anatomy, workspace: Path) -> None:
    assert anatomy("start").output == STARTED.format(root=workspace)


def test_start_elsewhere_says_where_to_go(anatomy: Anatomy, workspace: Path) -> None:
    done = anatomy("start", "learning")
    assert "\nGo there:  cd learning\nRead:      lessons/first/lesson.md\n" in done.output
    assert (workspace / "learning" / "student" / "first.py").is_file()


def test_start_again_changes_nothing(anatomy: Anatomy, workspace: Path) -> None:
    anatomy("start")
    assert anatomy("start").output.startswith(f"Everything is in {workspace} already; nothing was changed.\n")
    (workspace / "README.md").unlink()
    assert "Left 5 files alone that you had before.\n" in anatomy("start").output


def test_status_outside_a_workspace_says_how_to_get_one(anatomy: Anatomy) -> None:
    assert anatomy("status").output.endswith("\nNext: go to your workspace, or make one here.\n  anatomy start\n")


def test_status_of_a_beginner_points_to_the_first_exercise(anatomy: Anatomy) -> None:
    anatomy("start")
    assert anatomy("status").output == FRESH_STATUS


@pytest.mark.usefixtures("later")
def test_status_shows_progress_and_the_next_step(anatomy: Anatomy) -> None:
    anatomy("start")
    assert anatomy("status").output == LATER_STATUS


@pytest.mark.usefixtures("later")
def test_status_as_json(anatomy: Anatomy) -> None:
    anatomy("start")
    status = json.loads(anatomy("status", "--format", "json").output)
    assert (status["version"], status["today"]) == (1, "2026-03-02")  # the log is a day ahead of the clock
    assert status["due"] == ["first"]
    first, second = status["lessons"]
    assert {key: first[key] for key in ("lesson", "completed", "earned", "possible")} == {
        "lesson": "first",
        "completed": "2026-03-01",
        "earned": 14,
        "possible": 14,
    }
    assert second["completed"] is None
    assert first["exercises"][0] == {
        "id": "first.double",
        "status": "passed",
        "earned": 10,
        "possible": 10,
        "best": {"status": "passed", "earned": 10},
        "attempts": 2,
        "hints": 0,
        "misconceptions": ["first.double.adds-two"],
    }
    assert status["next"] == {
        "exercise": "second.halve",
        "command": "anatomy hint second.halve",
        "says": "second.halve is not right yet. Grade it again, or take a hint:",
    }


def test_when_everything_has_passed_nothing_is_next(anatomy: Anatomy, home: Path) -> None:
    anatomy("start")
    done = ("passed", 1, 1, None)
    record(home, 0, first_double=done, first_shared=done, second_halve=done, second_shared=done)
    assert anatomy("status").output.endswith("\nNext: nothing is left; every exercise has passed.\n")


def test_status_names_damage_in_the_log_and_goes_on(anatomy: Anatomy, home: Path) -> None:
    record(home, 0, first_double=("passed", 10, 10, None))
    (path,) = home.glob("log/*.jsonl")
    with path.open("a") as file:
        file.write("rubbish\n")
    done = anatomy("status")
    assert done.exit_code == 0
    assert done.stdout.startswith("1 of 4 exercises passed.\n")
    assert done.stderr == (
        f"Note: {path}, line 2 is damaged and left out (it is not JSON). All other records are read.\n"
    )


def test_a_wrong_time_is_refused(anatomy: Anatomy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANATOMY_NOW", "soon")
    done = anatomy("status")
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: ANATOMY_NOW is 'soon'")


def test_hints_come_one_at_a_time_and_the_last_is_repeated(anatomy: Anatomy, home: Path) -> None:
    first = (
        "Hint 1 of 2 for first.double\n\n  What is added to itself?\n\nOne step further: anatomy hint first.double\n"
    )
    last = (
        "Hint 2 of 2 for first.double\n\n  Add x to x.\n\nThe whole story: lessons/first/lesson.md, section #doubling\n"
    )
    assert anatomy("hint", "double").output == first
    assert anatomy("hint", "first.double").output == last
    assert anatomy("hint", "first.double").output == f"That was the last hint; here it is again.\n\n{last}"
    assert [event.payload["number"] for event in Log(home).read().events] == [1, 2]


def test_a_hint_that_cannot_be_recorded_is_shown_all_the_same(anatomy: Anatomy, home: Path) -> None:
    (home / "device").mkdir(parents=True)  # where the id of this machine should be
    done = anatomy("hint", "double")
    assert done.stdout.startswith("Hint 1 of 2 for first.double\n")
    assert done.stderr.startswith("Error: This could not be recorded: ")
    assert done.exit_code == 2


@pytest.mark.parametrize("command", ["hint", "reset", "solution"])
def test_an_unknown_exercise_gets_the_nearest_one(anatomy: Anatomy, command: str) -> None:
    done = anatomy(command, "duble")
    assert done.exit_code == 2
    assert done.stderr == "Error: There is no lesson or exercise 'duble'. Did you mean double?\n"


@pytest.mark.parametrize("command", ["hint", "reset", "solution"])
def test_no_exercise_at_all_gets_an_example(anatomy: Anatomy, command: str) -> None:
    done = anatomy(command)
    assert done.exit_code == 2
    assert done.stderr == (
        f"Error: Name an exercise, as in `anatomy {command} first.double`. `anatomy list` names them all.\n"
    )


def test_reset_says_what_it_did_and_where_the_old_text_is(anatomy: Anatomy, workspace: Path) -> None:
    anatomy("start")
    module = workspace / "student" / "first.py"
    stubs = module.read_text(encoding="utf-8")
    module.write_text(stubs.replace("    raise NotImplementedError\n", "    return x\n", 1), encoding="utf-8")
    assert anatomy("reset", "double").output == (
        "double in student/first.py is its stub again.\nThe file as it was: student/.kept/first-20260301-120000.py\n"
    )
    assert module.read_text(encoding="utf-8") == stubs


def test_reset_needs_a_workspace(anatomy: Anatomy) -> None:
    done = anatomy("reset", "double")
    assert done.exit_code == 2
    assert "make one here with `anatomy start`" in done.stderr


def test_a_solution_is_kept_until_the_exercise_has_passed(anatomy: Anatomy, home: Path) -> None:
    record(home, 0, first_double=("partial", 9, 10, None))
    done = anatomy("solution", "double")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr == (
        "Error: The answer to first.double is shown once yours has passed. Grade it with `anatomy grade first.double`; "
        "if you are stuck, `anatomy hint first.double` helps.\n"
    )


@pytest.mark.parametrize("status", ["passed", "inherited"])
def test_a_solution_stays_open_once_the_exercise_has_passed(anatomy: Anatomy, home: Path, status: str) -> None:
    record(home, 0, first_double=(status, 10, 10, None))
    record(home, 1, first_double=("failed", 0, 10, None))
    done = anatomy("solution", "double")
    assert done.exit_code == 0
    assert "def double(x: Tensor, apply: Callable[[Tensor], Tensor] | None = None" in done.output
    assert '    """Twice x.\n' in done.output
