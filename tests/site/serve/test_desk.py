"""The desk grades what is saved, records it as `anatomy grade` does, and goes on whatever happens."""

from __future__ import annotations

import queue
import threading
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from grader.errors import GraderFault, UserError
from grader.records.fold import ExerciseProgress, Progress, Standing
from grader.report import ExerciseResult, Report
from grader.sandbox import ZygoteDied
from grader.site.serve.desk import Desk
from grader.site.serve.live import Live
from grader.site.serve.modules import Modules

SECONDS = 20


class MadeGrader:
    """Says what it is told to; each grading waits until it is let go."""

    def __init__(self):
        self.zygote = SimpleNamespace(alive=True)
        self.restarts = 0
        self.begun: queue.Queue[str] = queue.Queue()
        self.endings: queue.Queue[object] = queue.Queue()

    def grade(self, submission, exercises):
        self.begun.put(exercises[0].lesson)
        ending = self.endings.get(timeout=SECONDS)
        if isinstance(ending, Exception):
            raise ending
        results = ending or tuple(ExerciseResult(each.id, "passed", each.points, each.points) for each in exercises)
        return Report("student", 1, (), results)

    def restart_zygote(self):
        self.restarts += 1
        self.zygote.alive = True


class Heard(Live):
    """Tells each lesson that was graded or given up."""

    def __init__(self):
        super().__init__()
        self.done: queue.Queue[str] = queue.Queue()

    def finish(self, slug, *args, **kwargs):
        super().finish(slug, *args, **kwargs)
        self.done.put(slug)

    def fault(self, source, says):
        super().fault(source, says)
        if says:
            self.done.put(says)


class Room:
    """A desk at work in a thread of its own."""

    def __init__(self, course, folder, known=None, openings=()):
        self.grader, self.live, self.recorded, self.complaints = MadeGrader(), Heard(), [], []
        self.openings = list(openings)
        self.record_says = []
        progress = Progress(known or {}, {})
        self.desk = Desk(
            course, Modules(folder, course), self.live,
            record=self._record, progress=lambda: progress, complete=lambda report: report,
            accept=lambda _: None, complain=self.complaints.append, opened=self._opened,
        )  # fmt: skip

    def _record(self, report):
        self.recorded.append([result.id for result in report.exercises])
        return self.record_says

    def _opened(self, course, submission, exercises, options, body, accept):
        if self.openings:
            raise self.openings.pop(0)
        return body(self.grader)

    def graded(self, *ending):
        """The lesson that is being graded now; it ends as given."""
        slug = self.grader.begun.get(timeout=SECONDS)
        self.grader.endings.put(ending[0] if ending else None)
        return slug

    def done(self):
        return self.live.done.get(timeout=SECONDS)


@pytest.fixture
def room(made_course, tmp_path):
    @contextmanager
    def opened(**kwargs):
        made = Room(made_course, tmp_path, **kwargs)
        thread = threading.Thread(target=made.desk.run)
        thread.start()
        try:
            yield made
        finally:
            made.desk.close()
            thread.join(SECONDS)
            assert not thread.is_alive()

    return opened


@contextmanager
def after_the_first_round(room, **kwargs):
    with room(**kwargs) as made:
        assert [made.graded(), made.graded()] == ["first", "second"]
        assert [made.done(), made.done()] == ["first", "second"]
        made.recorded.clear()
        yield made


def test_every_lesson_is_graded_once_and_then_what_is_saved(room):
    with after_the_first_round(room) as made:
        made.desk.saved(["second"])
        assert made.live.state()["grading"] == ["second"]
        assert (made.graded(), made.done()) == ("second", "second")
        assert made.live.state()["grading"] == []
        assert made.live.lesson("second").report.earned == 11


def test_what_is_saved_comes_before_the_rest_of_the_first_round(room):
    with room() as made:
        assert made.grader.begun.get(timeout=SECONDS) == "first"
        made.desk.saved(["first"])
        made.grader.endings.put(None)
        assert [made.graded(), made.graded()] == ["first", "second"]


def test_of_several_saves_the_newest_comes_first_and_each_lesson_once(room):
    with after_the_first_round(room) as made:
        made.desk.saved(["first"])
        assert made.grader.begun.get(timeout=SECONDS) == "first"
        for slug in ("first", "second", "first", "second", "first"):
            made.desk.saved([slug])
        made.grader.endings.put(None)
        assert made.done() == "first"
        assert made.live.is_under_way("first"), "it was saved meanwhile"
        assert [made.graded(), made.graded()] == ["first", "second"]
        assert [made.done(), made.done()] == ["first", "second"]
        assert made.live.state()["grading"] == []


def test_a_save_is_recorded_whole(room):
    with after_the_first_round(room) as made:
        made.desk.saved(["first"])
        made.graded()
        made.done()
        assert made.recorded == [["first.double", "first.shared"]]


def test_the_first_round_records_only_what_the_log_does_not_say(room):
    passed = ExerciseProgress(Standing("passed", 10, 10))
    with room(known={"first.double": passed}) as made:
        made.graded()
        faulty = ExerciseResult("second.shared", "grader_fault", 0, 5)
        made.graded((ExerciseResult("second.halve", "not_started", 0, 6), faulty))
        assert [made.done(), made.done()] == ["first", "second"]
        assert made.recorded == [["first.shared"]]


def test_what_is_said_of_a_grading_is_shown_beside_it(room):
    with after_the_first_round(room) as made:
        made.record_says = ["This could not be recorded."]
        made.desk.saved(["first"])
        made.graded()
        made.done()
        assert made.live.lesson("first").remarks == ("This could not be recorded.",)


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (GraderFault("the suite is missing"), "Grader fault, not yours: the suite is missing."),
        (ZygoteDied("it ended"), "Your functions could not be run: it ended. Save again, or try `anatomy doctor`"),
        (OSError(28, "No space left on device"), "No space left on device. Save again"),
        (UserError("Free some space."), "Free some space."),
        (ZeroDivisionError("x\ny"), "Grader fault, not yours: ZeroDivisionError: x y in test_desk.py, line"),
    ],
    ids=lambda each: type(each).__name__,
)
def test_a_fault_is_told_and_the_next_save_is_graded(room, error, says):
    with after_the_first_round(room) as made:
        made.desk.saved(["first"])
        made.graded(error)
        assert says in made.done()
        assert "Traceback" not in made.live.state()["fault"]
        assert made.live.lesson("first") is not None, "the last verdict stands"
        made.desk.saved(["first"])
        assert (made.graded(), made.done()) == ("first", "first")
        assert made.live.state()["fault"] is None
        assert len(made.complaints) == isinstance(error, ZeroDivisionError)


def test_a_dead_zygote_is_replaced_before_the_next_grading(room):
    with after_the_first_round(room) as made:
        made.grader.zygote.alive = False
        made.desk.saved(["first"])
        assert (made.graded(), made.done()) == ("first", "first")
        assert made.grader.restarts == 1


def test_where_nothing_can_be_opened_a_save_tries_again(room):
    with room(openings=[GraderFault("no torch"), OSError(28, "No space left")]) as made:
        assert "no torch" in made.done()
        made.desk.saved(["second"])
        assert "No space left" in made.done()
        made.desk.saved(["second"])
        assert [made.graded(), made.graded()] == ["second", "first"]
        assert [made.done(), made.done()] == ["second", "first"]
        assert made.live.state()["fault"] is None


def test_it_can_be_closed_where_nothing_can_be_opened(room):
    with room(openings=[GraderFault("no torch")]) as made:
        made.done()


def test_lessons_that_inherited_a_fault_are_looked_at_again_when_it_is_mended(room):
    with room() as made:
        made.graded()
        made.graded((ExerciseResult("second.halve", "inherited", 6, 6, inherits="first.double"),))
        assert [made.done(), made.done()] == ["first", "second"]
        made.desk.saved(["first"])
        assert [made.graded(), made.graded()] == ["first", "second"]
        assert [made.done(), made.done()] == ["first", "second"]


def test_a_folder_that_is_away_is_no_verdict_and_all_is_graded_when_it_is_back(room, tmp_path):
    with after_the_first_round(room) as made:
        away = tmp_path.rename(tmp_path.with_name("away"))
        made.desk.saved(["first"])
        assert f"first could not be graded: the folder {tmp_path} was not there." in made.done()
        assert not made.recorded
        away.rename(tmp_path)
        made.desk.look_again()
        assert [made.graded(), made.graded()] == ["first", "second"]
        assert [made.done(), made.done()] == ["first", "second"]
        assert made.live.state()["fault"] is None
