"""Progress depends on what happened, not on how often or in which order it is read."""

import itertools
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.course.model import Course, Exercise, Lesson, Limits, Minutes
from grader.records.event import Event, new_event
from grader.records.fold import ExerciseProgress, Progress, Standing, fold

START = datetime(2026, 3, 1, 12, tzinfo=UTC)


def exercise(lesson: str, name: str) -> Exercise:
    return Exercise(lesson, name, 10, "section", ("concept",), "Do it.", (), ("One?", "Two."))


def lesson(slug: str, *names: str) -> Lesson:
    exercises = tuple(exercise(slug, name) for name in names)
    return Lesson(slug, slug, "", Minutes(1, 1, 1), (), (), Limits(), exercises, Path())


COURSE = Course("Made", (lesson("first", "a", "b"), lesson("second", "c")), Path())


def grading(hours: float, **statuses: str | tuple[str, int] | dict[str, Any]) -> Event:
    exercises = {}
    for key, status in statuses.items():
        if isinstance(status, str):
            status = (status, 10 if status in ("passed", "inherited") else 0)
        if isinstance(status, tuple):
            status = {"status": status[0], "earned": status[1], "possible": 10, "misconception": None}
        exercises[key.replace("_", ".", 1)] = status
    payload = {"seed": 1, "exercises": exercises}
    return new_event("grading", payload, START + timedelta(hours=hours), "machine")


def hint(hours: float, number: int, of: str = "first.a") -> Event:
    return new_event("hint", {"exercise": of, "number": number}, START + timedelta(hours=hours), "machine")


def test_nothing_is_no_progress() -> None:
    progress = fold([], COURSE)
    assert progress == Progress({}, {})
    assert progress.exercise("first.a") == ExerciseProgress()
    assert progress.exercise("first.a").latest.status == "not_started"


def test_latest_and_best_differ() -> None:
    events = [grading(0, first_a=("partial", 6)), grading(1, first_a="passed"), grading(2, first_a=("partial", 4))]
    progress = fold(events, COURSE).exercise("first.a")
    assert progress.latest == Standing("partial", 4, 10)
    assert progress.best == Standing("passed", 10, 10)
    assert progress.attempts == 3


def test_a_pass_is_best_even_if_points_were_worth_more_before() -> None:
    old = {"status": "partial", "earned": 90, "possible": 100, "misconception": None}
    assert fold([grading(0, first_a=old), grading(1, first_a="inherited")], COURSE).exercise("first.a").best.done


def test_of_two_equal_results_the_first_stays_best() -> None:
    events = [grading(0, first_a=("failed", 0)), grading(1, first_a=("timeout", 0))]
    assert fold(events, COURSE).exercise("first.a").best.status == "failed"


def test_a_stub_is_no_attempt() -> None:
    assert fold([grading(0, first_a="not_started")], COURSE).exercise("first.a").attempts == 0


def test_our_own_fault_changes_nothing() -> None:
    events = [grading(0, first_a="passed"), grading(1, first_a="grader_fault")]
    progress = fold(events, COURSE).exercise("first.a")
    assert progress.latest.done
    assert progress.attempts == 1


def test_misconceptions_are_listed_once_in_order() -> None:
    def named(hours: float, name: str) -> Event:
        return grading(hours, first_a={"status": "failed", "earned": 0, "possible": 10, "misconception": name})

    events = [named(0, "first.a.y"), named(1, "first.a.x"), named(2, "first.a.y")]
    assert fold(events, COURSE).exercise("first.a").misconceptions == ("first.a.y", "first.a.x")


def test_the_furthest_hint_counts() -> None:
    assert fold([hint(0, 2), hint(1, 1)], COURSE).exercise("first.a").hints == 2


def test_a_lesson_is_complete_when_all_its_exercises_pass_in_one_grading() -> None:
    assert fold([grading(0, first_a="passed", first_b="inherited")], COURSE).completed == {"first": date(2026, 3, 1)}


def test_a_lesson_is_complete_when_the_last_exercise_passes_later() -> None:
    events = [grading(0, first_a="passed"), grading(24, first_b="passed")]
    assert fold(events, COURSE).completed == {"first": date(2026, 3, 2)}


def test_a_pass_that_was_lost_before_the_others_does_not_complete() -> None:
    events = [grading(0, first_a="passed"), grading(1, first_a="failed"), grading(2, first_b="passed")]
    assert fold(events, COURSE).completed == {}


def test_completing_again_or_failing_later_moves_nothing() -> None:
    events = [
        grading(0, second_c="passed"),
        grading(48, second_c="failed"),
        grading(72, second_c="passed"),
        grading(96, first_a="passed"),
    ]
    assert fold(events, COURSE).completed == {"second": date(2026, 3, 1)}


def test_the_earliest_study_day_counts_when_the_learner_travels_west() -> None:
    at_home = new_event("grading", grading(0, second_c="passed").payload, datetime(2026, 3, 2, 5, tzinfo=UTC), "a")
    west = datetime.fromisoformat("2026-03-01T23:30:00-08:00")
    abroad = new_event("grading", grading(0, second_c="passed").payload, west, "a")
    assert at_home.at < abroad.at
    assert fold([at_home, abroad], COURSE).completed == {"second": date(2026, 3, 1)}


def test_a_grading_of_another_lesson_does_not_complete_again() -> None:
    at_home = new_event("grading", grading(0, second_c="passed").payload, datetime(2026, 3, 2, 5, tzinfo=UTC), "a")
    west = datetime.fromisoformat("2026-03-01T23:30:00-08:00")
    abroad = new_event("grading", grading(0, first_a="passed").payload, west, "a")
    assert fold([at_home, abroad], COURSE).completed == {"second": date(2026, 3, 2)}


def test_the_next_exercise_is_the_first_that_is_not_done() -> None:
    assert fold([], COURSE).next_exercise(COURSE) == exercise("first", "a")
    assert fold([grading(0, first_a="passed")], COURSE).next_exercise(COURSE) == exercise("first", "b")
    done = [grading(0, first_a="passed", first_b="passed", second_c="passed")]
    assert fold(done, COURSE).next_exercise(COURSE) is None


@pytest.mark.parametrize(
    "payload",
    [
        {},
        {"exercises": []},
        {"exercises": {"first.a": "passed"}},
        {"exercises": {"first.a": {"earned": 1}}},
        {"exercises": {"first.a": {"status": "passed", "earned": "ten"}}},
        {"exercise": "first.a", "number": "two"},
        {"exercise": ["first.a"], "number": 1},
    ],
)
@pytest.mark.parametrize("kind", ["grading", "hint", "void", "from the future"])
def test_records_of_another_shape_are_ignored(kind: str, payload: dict[str, Any]) -> None:
    assert fold([new_event(kind, payload, START, "machine")], COURSE) == Progress({}, {})


def test_exercises_that_the_course_no_longer_has_do_no_harm() -> None:
    assert fold([grading(0, third_z="passed")], COURSE).exercise("third.z").latest.done


statuses = st.sampled_from(["passed", "inherited", "partial", "failed", "not_started", "grader_fault", "timeout"])
results = st.fixed_dictionaries(
    {
        "status": statuses,
        "earned": st.integers(0, 10),
        "possible": st.just(10),
        "misconception": st.none() | st.sampled_from(["x", "y"]),
    }
)
gradings = st.builds(
    lambda hours, exercises: new_event(
        "grading", {"seed": 1, "exercises": exercises}, START + timedelta(hours=hours), "machine"
    ),
    st.integers(-48, 48),
    st.dictionaries(st.sampled_from(["first.a", "first.b", "second.c", "gone.d"]), results),
)
hints = st.builds(hint, st.integers(-48, 48), st.integers(1, 3), st.sampled_from(["first.a", "second.c"]))
histories = st.lists(gradings | hints, max_size=12)


@given(histories, st.randoms(use_true_random=False))
def test_no_order_changes_the_progress(events: list[Event], random: Any) -> None:
    shuffled = list(events)
    random.shuffle(shuffled)
    assert fold(shuffled, COURSE) == fold(events, COURSE)


@given(histories)
def test_events_that_come_twice_count_once(events: list[Event]) -> None:
    assert fold(itertools.chain(events, events), COURSE) == fold(events, COURSE)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(histories, histories)
def test_more_history_takes_nothing_away(events: list[Event], more: list[Event]) -> None:
    later = [
        new_event(event.type, event.payload, START + timedelta(days=9 + number), "machine")
        for number, event in enumerate(more)
    ]
    before, after = fold(events, COURSE), fold(events + later, COURSE)
    for id_, progress in before.exercises.items():
        now = after.exercise(id_)
        assert now.attempts >= progress.attempts
        assert now.hints >= progress.hints
        assert now.best.done >= progress.best.done
        assert now.misconceptions[: len(progress.misconceptions)] == progress.misconceptions
    assert before.completed.items() <= after.completed.items()


def test_points_beyond_all_measure_are_no_record(made_course):
    vast = new_event("grading", {"exercises": {"first.double": {"status": "passed", "earned": 10**400, "possible": 1}}},
                     datetime(2026, 3, 1, tzinfo=UTC), "laptop")  # fmt: skip
    assert fold([vast], made_course).exercises == {}
