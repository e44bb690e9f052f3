"""`complete`, `restart`, `pause`, `undo`, `settings`: what they say, what they change, and that nothing is lost."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import Result

from grader.records.log import Log

Anatomy = Callable[..., Result]
NOON = datetime(2026, 2, 28, 12, tzinfo=UTC)


@pytest.fixture
def on(anatomy: Anatomy, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run a command on a day of March 2026, at noon."""

    def run(day: int, *arguments: str, hour: int = 12) -> Result:
        monkeypatch.setenv("ANATOMY_NOW", f"2026-03-{day:02}T{hour:02}:00:00+01:00")
        return anatomy(*arguments)

    return run


def listed(result: Result) -> str:
    return result.stdout.strip()


def test_a_lesson_that_counts_as_completed_comes_back_the_next_day(on):
    said = on(1, "complete", "first").stdout
    assert said == "first counts as completed on 2026-03-01. Its quiz comes back after 1, 3, 7, 14 and 30 days.\n"
    assert listed(on(1, "review", "--list")) == "first  rung 1 of 5, due tomorrow"
    assert listed(on(2, "due")) == "first  rung 1 of 5, due today\n\nBegin: anatomy review"


def test_completing_again_never_moves_the_date(on, home):
    on(1, "complete", "first")
    again = on(9, "complete", "first")
    assert "was completed on 2026-03-01; that date stays" in again.stdout
    assert len(Log(home).read().events) == 1


def test_a_restart_counts_from_its_own_day(on):
    on(1, "complete", "first")
    said = on(9, "restart", "first").stdout
    assert said == "The reviews of first begin anew on 2026-03-09. The first comes tomorrow.\n"
    assert listed(on(10, "review", "--list")) == "first  rung 1 of 5, due today"


def test_what_was_never_completed_cannot_be_restarted(on, home):
    refused = on(1, "restart", "first")
    assert refused.exit_code == 2
    assert "is not completed yet" in refused.stderr
    assert not home.exists() or not Log(home).read().events


def test_a_paused_lesson_is_not_due_and_no_date_moves(on):
    on(1, "complete", "first")
    on(2, "pause", "first")
    assert on(2, "due", "--quiet").exit_code == 1
    assert "paused" in on(2, "review", "--list").stdout
    assert on(2, "pause", "first").stdout == "first is paused already.\n"
    on(4, "pause", "first", "--end")
    assert listed(on(4, "review", "--list")) == "first  rung 2 of 5, due today"
    assert on(4, "pause", "first", "--end").stdout == "first is not paused.\n"


def test_undo_takes_back_what_was_done_last(on):
    on(1, "complete", "first")
    on(2, "pause", "first")
    assert on(2, "undo").stdout == "Undone: the pause of first (2026-03-02).\n"
    assert on(2, "undo").stdout == "Undone: marking first as completed (2026-03-01).\n"
    assert on(2, "undo").stdout == "There is nothing to undo.\n"
    assert "No lesson is completed yet" in on(2, "review", "--list").stdout


def test_undo_of_an_older_record_leaves_the_later_ones(on):
    on(1, "complete", "first")
    on(2, "pause", "first")
    on(3, "complete", "second")
    shown = on(3, "undo", "--list").stdout.splitlines()
    assert [line.split("  ", 1)[1] for line in shown] == [
        "marking second as completed (2026-03-03)",
        "the pause of first (2026-03-02)",
        "marking first as completed (2026-03-01)",
    ]
    handle = shown[1].split()[0]
    assert on(3, "undo", handle).stdout == "Undone: the pause of first (2026-03-02).\n"
    assert "first   rung 2 of 5, due since yesterday" in on(5, "review", "--list").stdout


@pytest.mark.parametrize("typed", ["abc", "ffffffffffff", ""])
def test_an_id_that_names_nothing_is_one_sentence(on, typed):
    on(1, "complete", "first")
    refused = on(1, "undo", typed)
    assert refused.exit_code == 2
    assert refused.stderr.startswith("Error: No record that can be undone ends with")


def test_what_a_clock_that_ran_ahead_has_left_is_taken_back_together(on, monkeypatch, anatomy):
    on(1, "complete", "first")
    monkeypatch.setenv("ANATOMY_NOW", "2027-01-01T12:00:00+01:00")
    anatomy("complete", "second")
    anatomy("pause", "first")
    warned = on(2, "review", "--list")
    assert "2026-03-02" in warned.stderr
    assert "2027-01-01" in warned.stderr
    assert on(2, "undo", "--after", "2026-03-02").stdout == "Undone: 2 records dated after 2026-03-02.\n"
    healed = on(2, "review", "--list")
    assert healed.stderr == ""
    assert listed(healed) == "first  rung 1 of 5, due today"


def test_the_hour_at_which_a_study_day_begins_is_a_setting(on):
    assert on(1, "settings").stdout == "rollover-hour  4\n"
    on(1, "complete", "first")
    assert on(2, "due", "--quiet", hour=5).exit_code == 0
    assert on(2, "settings", "rollover-hour", "6").stdout == "From now on a study day begins at 6:00.\n"
    assert on(2, "settings", "rollover-hour").stdout == "6\n"


def test_what_was_recorded_keeps_its_day_when_the_setting_changes(on, home):
    on(2, "complete", "first", hour=5)
    on(2, "settings", "rollover-hour", "6")
    assert Log(home).read().events[0].study_day.isoformat() == "2026-03-02"
    assert listed(on(3, "review", "--list", hour=5)) == "first  rung 1 of 5, due tomorrow"
    assert listed(on(3, "review", "--list", hour=7)) == "first  rung 1 of 5, due today"


@pytest.mark.parametrize("value", ["7", "-1", "4.5", "four", "٤"])
def test_another_hour_is_refused(on, value, home):
    refused = on(1, "settings", "rollover-hour", "--", value)
    assert refused.exit_code == 2
    assert "a whole hour from 0 to 6" in refused.stderr


def test_an_unknown_setting_and_an_unknown_lesson_are_one_sentence(on):
    assert "There is no setting 'volume'" in on(1, "settings", "volume", "11").stderr
    for command in ("complete", "restart", "pause", "quiz", "review"):
        refused = on(1, command, "frist")
        assert refused.exit_code == 2
        assert refused.stderr == "Error: There is no lesson 'frist'. Did you mean first?\n"


def test_a_home_that_cannot_be_written_is_one_sentence(on, monkeypatch, tmp_path: Path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    monkeypatch.setenv("ANATOMY_HOME", str(blocked / "home"))
    refused = on(1, "complete", "first")
    assert refused.exit_code == 2
    assert refused.stderr.startswith("Error: ")
    assert refused.stderr.count("\n") == 1


def test_what_somebody_wrote_into_a_log_never_reaches_the_terminal_raw(on, home):
    hostile = "\x1b[31mred\x1b]0;title\x07\u202e\r\n"
    Log(home).append("complete", {"lesson": hostile}, NOON)
    Log(home).append("setting", {"name": hostile, "value": "9" * 10_000}, NOON)
    said = on(1, "undo", "--list").stdout + on(1, "undo").stdout
    assert "marking \\x1b[31mred\\x1b]0;title\\x07\\u202e\\r\\n as completed" in said
    assert all(line.isprintable() and len(line) < 300 for line in said.splitlines())


def test_a_status_that_a_later_version_may_write_is_shown_as_text(on, home):
    result = {"status": "\x1b[2Jdone", "earned": 1, "possible": 2}
    Log(home).append("grading", {"exercises": {"first.double": result}}, NOON)
    assert "\\x1b[2Jdone" in on(1, "status").stdout
