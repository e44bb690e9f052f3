"""What is due, what has stayed, and what is written for other programs."""

import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import icalendar
import pytest
from click.testing import CliRunner, Result

from grader.cli import main
from grader.records.log import Log

Anatomy = Callable[..., Result]

NOON = datetime.fromisoformat("2026-03-01T12:00:00+01:00")  # ANATOMY_NOW of the tests
ITEMS = ("first-one", "first-two", "first-three", "first-four", "first-five")


def complete(home: Path, days_ago: int, lesson: str = "first") -> None:
    Log(home).append("complete", {"lesson": lesson}, NOON - timedelta(days=days_ago))


def review(home: Path, days_ago: int, missed: tuple[str, ...] = ()) -> None:
    """A whole session on the first lesson."""
    at = NOON - timedelta(days=days_ago)
    items = [{"item": item, "version": 1, "seed": "5eed", "why": "rotation"} for item in ITEMS]
    session = Log(home).append("session", {"lesson": "first", "practice": False, "items": items}, at)
    for item in ITEMS:
        marked = {"version": 1, "try": 1, "score": float(item not in missed), "missed": item in missed}
        Log(home).append("answer", {"session": session.id, "lesson": "first", "item": item} | marked, at)


def write_quiz(lessons: Path) -> None:
    """A quiz of the first lesson, of five questions on one concept."""
    questions = "".join(
        f"""\
  - id: {item}
    version: 1
    kind: short
    concepts: [scale]
    prompt: Twice ${number}$?
    answer: ["{2 * number}"]
    explanation: Add it to itself.
"""
        for number, item in enumerate(ITEMS)
    )
    (lessons / "first" / "quiz.yaml").write_text(f"questions:\n{questions}", "utf-8")


def test_due_names_the_lessons_that_want_a_review_today(anatomy: Anatomy, home: Path) -> None:
    complete(home, 5)
    complete(home, 1, "second")
    assert anatomy("due").output == (
        "first   rung 2 of 5, due since Fri 2026-02-27\n"
        "second  rung 1 of 5, due today\n"
        "\n"
        "Begin: anatomy review\n"
    )  # fmt: skip


def test_due_says_what_comes_next_when_nothing_is_due(anatomy: Anatomy, home: Path) -> None:
    complete(home, 0)
    done = anatomy("due")
    assert done.exit_code == 0
    assert done.output.startswith("Nothing is due today. Next: first, rung 1 of 5, tomorrow.")


@pytest.mark.parametrize(("days_ago", "code", "count"), [(0, 1, "0\n"), (1, 0, "1\n")])
def test_a_shell_prompt_gets_an_exit_code_or_a_number(
    anatomy: Anatomy, home: Path, days_ago: int, code: int, count: str
) -> None:
    complete(home, days_ago)
    quiet = anatomy("due", "--quiet")
    assert (quiet.output, quiet.exit_code) == ("", code)
    counted = anatomy("due", "--count")
    assert (counted.output, counted.exit_code) == (count, 0)


def test_a_shell_prompt_is_spared_notes_on_the_log_and_the_plain_command_is_not(anatomy: Anatomy, home: Path) -> None:
    complete(home, 1)
    log = next((home / "log").iterdir())
    log.write_bytes(b"{}\n" + log.read_bytes())
    for options in (["--quiet"], ["--count"]):
        done = anatomy("due", *options)
        assert (done.exit_code, done.stderr) == (0, "")
    for _ in range(2):
        done = anatomy("due")
        assert "line 1 is damaged and left out" in done.stderr
        assert done.stdout.startswith("first  rung 1 of 5, due today\n")


def test_due_as_json(anatomy: Anatomy, home: Path) -> None:
    complete(home, 5)
    complete(home, 0, "second")
    record = json.loads(anatomy("due", "--format", "json").output)
    assert (record["version"], record["today"]) == (1, "2026-03-01")
    assert [(each["lesson"], each["rung"], each["due"]) for each in record["lessons"]] == [("first", 2, "2026-02-27")]


def test_due_answers_in_one_way_at_a_time(anatomy: Anatomy) -> None:
    done = anatomy("due", "--quiet", "--count")
    assert done.exit_code == 2
    assert "choose one" in done.stderr


def test_a_clock_behind_the_log_is_named(anatomy: Anatomy, home: Path) -> None:
    complete(home, -40)
    done = anatomy("due")
    assert done.exit_code == 0
    assert done.stderr.startswith("Note: The clock says 2026-03-01, but your log has already reached 2026-04-10")


def test_what_is_kept_of_the_log_never_hides_what_happened_since(anatomy: Anatomy, home: Path) -> None:
    complete(home, 1)
    for _ in range(2):
        assert anatomy("due", "--count").output == "1\n"
        for path in (home / "cache").iterdir():
            os.utime(path, ns=(0, path.stat().st_mtime_ns + 60_000_000_000))
    review(home, 0)
    assert anatomy("due", "--count").output == "0\n"
    assert "completed 2026-02-28" in anatomy("status").output


def test_records_that_cannot_be_kept_are_read_each_time(anatomy: Anatomy, home: Path) -> None:
    complete(home, 1)
    (home / "cache").write_text("a file in place of the folder")
    assert anatomy("due", "--count").output == "1\n"
    assert "completed 2026-02-28" in anatomy("status").output


def test_due_opens_no_quiz_and_no_yaml_and_imports_no_torch(tmp_path: Path, home: Path) -> None:
    for command in (["due", "--quiet"], ["due"], ["status"]):
        code = (
            "import sys\n"
            "opened = []\n"
            "sys.addaudithook(lambda name, args: name == 'open' and opened.append(str(args[0])))\n"
            "from grader.cli import main\n"
            f"main({command!r}, standalone_mode=False)\n"
            "assert not [path for path in opened if path.endswith('quiz.yaml')], opened\n"
            "heavy = {'torch', 'numpy', 'rich', 'icalendar', 'markdown_it'} & set(sys.modules)\n"
            "assert not heavy, heavy\n"
        )
        done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")


def test_stats_of_a_beginner_are_short(anatomy: Anatomy) -> None:
    assert anatomy("stats").output == (
        "No review has counted yet.\n\nThe next 30 days\n\nNo review falls into these days.\n"
    )


def test_stats_show_what_has_stayed_what_is_weak_and_what_comes(anatomy: Anatomy, home: Path, lessons: Path) -> None:
    write_quiz(lessons)
    complete(home, 7)
    review(home, 6, missed=ITEMS[:2])
    review(home, 4, missed=ITEMS[:1])
    review(home, 0, missed=ITEMS[:1])
    assert (
        anatomy("stats").output
        == """\
What has stayed

Rung        Taken  Passed  Share  Mean score  Missed
1 (day 1)       1       0     0%         60%       0
2 (day 3)       1       1   100%         80%       0
3 (day 7)       1       1   100%         80%       0
4 (day 14)      0       0      -           -       0
5 (day 30)      0       0      -           -       0

Weakest concepts

Concept  Asked  Right at first  Share
scale       15              11    73%

Missed again and again; read these once more

first, one: missed in 3 reviews
  lessons/first/lesson.md, section #doubling

The next 30 days

Sun 2026-03-08            first (rung 4 of 5)
Tue 2026-03-24            first (rung 5 of 5)
"""
    )


def test_stats_as_json(anatomy: Anatomy, home: Path, lessons: Path) -> None:
    write_quiz(lessons)
    complete(home, 1)
    review(home, 0, missed=ITEMS[:2])
    record = json.loads(anatomy("stats", "--format", "json").output)
    assert record["version"] == 1
    assert record["retention"][0] == {
        "rung": 1,
        "extension": False,
        "days": 1,
        "taken": 1,
        "passed": 0,
        "share": 0.0,
        "score": 0.6,
        "missed": 0,
    }
    assert record["weakest"] == [{"concept": "scale", "asked": 5, "right": 3, "share": 0.6}]
    assert record["flagged"] == []
    assert [each["date"] for each in record["days"]] == ["2026-03-03", "2026-03-07", "2026-03-14", "2026-03-30"]


def test_a_calendar_is_written_to_a_file_or_to_the_standard_output(
    anatomy: Anatomy, home: Path, workspace: Path
) -> None:
    complete(home, 0)
    done = anatomy("calendar", "-o", "reviews.ics")
    assert done.output == "Wrote reviews.ics: 5 reviews, the first on 2026-03-02, the last on 2026-03-31.\n"
    content = (workspace / "reviews.ics").read_bytes()
    assert len(list(icalendar.Calendar.from_ical(content).walk("VEVENT"))) == 5
    assert anatomy("calendar", "-o", "-").stdout_bytes == content


def test_a_calendar_without_reviews_is_not_written(anatomy: Anatomy, workspace: Path) -> None:
    done = anatomy("calendar", "-o", "reviews.ics")
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: No review lies ahead, so no calendar was written.")
    assert list(workspace.iterdir()) == []


@pytest.mark.parametrize(
    ("output", "says"),
    [
        (
            "nowhere/reviews.ics",
            "Error: There is no folder nowhere to write reviews.ics to. Make it, or choose another",
        ),
        ("taken", "Error: taken cannot be written: Is a directory. Choose another place.\n"),
        ("file/reviews.ics", "Error: There is no folder file to write reviews.ics to."),
    ],
)
def test_what_cannot_be_written_is_said_in_a_sentence(
    anatomy: Anatomy, home: Path, workspace: Path, output: str, says: str
) -> None:
    complete(home, 0)
    (workspace / "taken").mkdir()
    (workspace / "file").write_text("")
    done = anatomy("calendar", "-o", output)
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(says)
    assert sorted(path.name for path in workspace.iterdir()) == ["file", "taken"]


@pytest.mark.parametrize("command", ["calendar", "anki"])
def test_a_command_that_writes_a_file_asks_which(anatomy: Anatomy, command: str) -> None:
    done = anatomy(command)
    assert done.exit_code == 2
    assert "Missing option '-o' / '--output'" in done.stderr


def test_anki_gets_the_questions_of_all_quizzes_or_of_the_lessons_named(
    anatomy: Anatomy, lessons: Path, workspace: Path
) -> None:
    write_quiz(lessons)
    done = anatomy("anki", "-o", "deck.apkg")
    assert done.output == "Wrote deck.apkg: 5 questions in 1 deck. In Anki: File, Import.\n"
    content = (workspace / "deck.apkg").read_bytes()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.namelist() == ["collection.anki2", "media"]
    assert anatomy("anki", "first", "-o", "-").stdout_bytes == content
    assert anatomy("anki", "frist", "-o", "-").stderr == "Error: There is no lesson 'frist'. Did you mean first?\n"


def test_anki_needs_a_quiz(anatomy: Anatomy, workspace: Path) -> None:
    done = anatomy("anki", "-o", "deck.apkg")
    assert (done.exit_code, done.stderr) == (2, "Error: This course has no quiz, so no deck was written.\n")
    done = anatomy("anki", "second", "-o", "deck.apkg")
    assert done.exit_code == 2
    assert "second/quiz.yaml: the file is missing" in done.stderr
    assert list(workspace.iterdir()) == []


def test_without_genanki_a_sentence_says_what_to_install(
    anatomy: Anatomy, lessons: Path, workspace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_quiz(lessons)
    monkeypatch.setitem(sys.modules, "genanki", None)
    done = anatomy("anki", "-o", "deck.apkg")
    assert done.exit_code == 2
    assert done.stderr.endswith("Install it: pip install 'decoder-anatomy[anki]'\n")
    assert list(workspace.iterdir()) == []


def test_due_explains_its_exit_codes(runner: CliRunner) -> None:
    said = " ".join(runner.invoke(main, ["due", "--help"]).output.split())
    assert "exit code 0 if a lesson is due, 1 if none is" in said
