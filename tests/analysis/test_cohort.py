"""Statistics of a class, against straightforward computations over everything at once."""

import tracemalloc
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_pages import RMS, a_test, failed

from grader.analysis.cohort import BESIDE, EITHER, MOST_NAMED, MOST_SLOW, Cohort
from grader.analysis.discrimination import FEWEST, ItemRest
from grader.analysis.distribution import MOST_BINS, distribution
from grader.batch.handed_in import UNREADABLE, Student
from grader.judge.diagnosis import Diagnosis
from grader.report import ExerciseResult, Report

IDS = ("normalization.a", "normalization.b", "heads.c")
STATUSES = ("passed", "inherited", "partial", "failed", "not_started", "crashed", "grader_fault")


def result(id_: str, status: str, earned: int = 0) -> ExerciseResult:
    full = status in ("passed", "inherited")
    return ExerciseResult(id_, status, 10 if full else earned, 10)


def report(*results: ExerciseResult, problems: tuple[str, ...] = ()) -> Report:
    return Report("s", 1, (), results, problems)


def summed(*reports: Report):
    cohort = Cohort()
    for number, each in enumerate(reports):
        cohort.add(f"s{number:03}", each, Decimal(each.earned))
    return cohort.summary()


submissions = st.lists(
    st.tuples(*[st.tuples(st.sampled_from(STATUSES[:6]), st.integers(0, 9)) for _ in IDS]), min_size=1, max_size=60
)


@settings(max_examples=60, deadline=None)
@given(submissions)
def test_exercises_are_counted_as_by_hand(students):
    reports = [report(*(result(id_, *each) for id_, each in zip(IDS, student, strict=True))) for student in students]
    for place, exercise in enumerate(summed(*reports).exercises):
        results = [each.exercises[place] for each in reports]
        tried = [each for each in results if each.status != "not_started"]
        assert exercise.tried == len(tried)
        assert exercise.passed == sum(each.fine for each in results)
        assert exercise.success == (pytest.approx(np.mean([each.fine for each in tried])) if tried else None)
        assert exercise.mean_share == pytest.approx(np.mean([each.earned / 10 for each in results]))
        assert sum(exercise.outcomes.values()) == len(students)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.integers(0, 20).map(lambda n: n / 20)), min_size=FEWEST, max_size=90))
def test_a_discrimination_is_the_correlation_of_all_at_once(pairs):
    item = ItemRest()
    for right, rest in pairs:
        item.add(right, rest)
    found = item.result()
    rights, rests = np.array(pairs, dtype=float).T
    if rights.std() == 0 or rests.std() < 1e-9:
        assert found.value is None
        assert found.why
    else:
        assert found.value == pytest.approx(np.corrcoef(rights, rests)[0, 1], abs=1e-9)


def test_a_discrimination_leaves_the_exercise_itself_out_of_the_rest():
    rng = np.random.default_rng(5)
    rows = rng.random((80, 3)) < rng.random((80, 1))
    reports = [
        report(*(result(i, "passed" if right else "failed") for i, right in zip(IDS, row, strict=True))) for row in rows
    ]
    for place, exercise in enumerate(summed(*reports).exercises):
        rest = np.delete(rows, place, axis=1).sum(axis=1)
        assert exercise.discrimination.value == pytest.approx(np.corrcoef(rows[:, place], rest)[0, 1])
        assert exercise.discrimination.learners == 80


def test_a_discrimination_rests_on_those_who_tried():
    rng = np.random.default_rng(6)
    states = rng.choice(["passed", "failed", "not_started"], size=(90, 3))
    reports = [report(*(result(i, each) for i, each in zip(IDS, row, strict=True))) for row in states]
    tried = states[:, 0] != "not_started"
    right, rest = states[tried, 0] == "passed", (states[tried, 1:] == "passed").sum(axis=1)
    found = summed(*reports).exercises[0].discrimination
    assert (found.value, found.learners) == (pytest.approx(np.corrcoef(right, rest)[0, 1]), tried.sum())


@pytest.mark.parametrize(
    ("reports", "why"),
    [
        ([report(result("a.b", "passed"), result("a.c", "failed"))] * 29, "29 of the 30 needed"),
        ([report(result("a.b", "passed"), result("a.c", "failed"))] * 30, "all have it right"),
        ([report(result("a.b", "failed"), result("a.c", "failed"))] * 30, "all have it wrong"),
        (
            [report(result("a.b", each), result("a.c", "partial", 3)) for each in ("passed", "failed")] * 20,
            "all do equally",
        ),
        ([report(result("a.b", "passed"))] * 40, "0 of the 30 needed"),
    ],
)
def test_a_discrimination_that_says_nothing_is_refused_with_a_reason(reports, why):
    found = summed(*reports).exercises[0].discrimination
    assert found.value is None
    assert why in found.why


@settings(max_examples=80, deadline=None)
@given(st.lists(st.integers(-40, 2000).map(lambda n: n / 4), min_size=1, max_size=80), st.integers(0, 300))
def test_the_distribution_is_what_numpy_finds(points, possible):
    found = distribution(points, possible)
    quartiles = np.quantile(points, [0, 0.25, 0.5, 0.75, 1])
    five = (found.lowest, found.lower_quartile, found.median, found.upper_quartile, found.highest)
    assert five == pytest.approx(tuple(quartiles))
    assert found.mean == pytest.approx(np.mean(points))
    edges = [each.low for each in found.bins] + [found.bins[-1].high]
    assert edges == sorted(edges)
    assert len(found.bins) <= MOST_BINS
    assert edges[0] <= min(0, *points)
    assert edges[-1] >= max(possible, *points)
    assert [each.count for each in found.bins] == np.histogram(points, edges)[0].tolist()


def test_of_nobody_there_is_no_distribution():
    assert Cohort().summary().distribution is None
    with pytest.raises(ValueError, match="nobody"):
        distribution([], 10)


def test_points_that_are_no_number_are_refused():
    with pytest.raises(ValueError, match="ada: the points that count are NaN"):
        Cohort().add("ada", report(), Decimal("NaN"))


def test_misconceptions_are_counted_and_the_first_names_kept():
    named = [failed("You add eps.\nMore.")] * 20
    summary = summed(
        *(report(each) for each in named), report(failed("Two.", misconception=f"{RMS}.eps-outside-root+other"))
    )
    first, second = summary.misconceptions
    assert (first.misconception, first.count, first.says) == (f"{RMS}.eps-outside-root", 21, "You add eps.")
    assert first.files == tuple(f"s{n:03}" for n in range(MOST_NAMED))
    assert (second.misconception, second.count, second.says) == (f"{RMS}.other", 1, "")


def test_the_same_general_mistake_is_told_apart_by_exercise():
    general = [failed("Axes.", id=id_, misconception="general.fixed-axes") for id_ in IDS]
    assert [each.exercise for each in summed(report(*general)).misconceptions] == sorted(IDS)


def test_a_fault_of_the_graders_own_counts_nowhere_else():
    faulty = report(result(IDS[0], "grader_fault"), result(IDS[1], "passed"))
    summary = summed(faulty, report(result(IDS[0], "passed"), result(IDS[1], "failed")))
    assert [each.asked for each in summary.exercises] == [1, 2]
    assert summary.exercises[0].outcomes == {"grader_fault": 1, "passed": 1}
    assert [each.file for each in summary.faults] == ["s000"]


def test_what_could_not_be_read_has_no_part_in_any_exercise():
    unread = report(result(IDS[0], "error"), problems=(f"The {UNREADABLE}: it is cut off.",))
    quoting = report(result(IDS[0], "error"), problems=(f"line 1: # The {UNREADABLE}: not so",))
    summary = summed(unread, quoting)
    assert [(each.file, each.says) for each in summary.unreadable] == [("s000", "it is cut off.")]
    assert summary.exercises[0].asked == 1
    assert summary.distribution.students == 2


def test_the_slowest_and_those_that_were_cut_short_are_named():
    slow = [report(replace(failed(), tests=(a_test("passed", seconds=float(n)),))) for n in range(20)]
    cut = report(result(IDS[0], "crashed"), result(IDS[1], "memory"), result(IDS[2], "timeout"))
    summary = summed(*slow, cut)
    assert [each.seconds for each in summary.slow] == [19.0 - n for n in range(MOST_SLOW)]
    assert summary.cut_short == 1
    assert dict(summary.cut_short_named[0].exercises) == dict(zip(IDS, ("crashed", "memory", "timeout"), strict=True))


@settings(max_examples=20, deadline=None)
@given(st.permutations(range(6)))
def test_the_order_in_which_they_come_changes_nothing(order):
    reports = [report(*(failed(f"Sentence {n}.", id=id_, status=STATUSES[n]) for id_ in IDS)) for n in range(6)]
    cohort, usual = Cohort(), Cohort()
    for place in order:
        cohort.add(f"s{place}", reports[place], Decimal(place))
    for place in range(6):
        usual.add(f"s{place}", reports[place], Decimal(place))
    assert cohort.summary() == usual.summary()


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0)])
def test_the_cause_is_told_by_its_own_sentence(order):
    says = SimpleNamespace(id=f"{RMS}.eps-outside-root", name="eps-outside-root", says="The root comes last.")
    other = SimpleNamespace(id="x", name="x", says="Another.")
    both = Diagnosis((says, other), either=True).sentence
    mixed = Diagnosis((says,), rest=True).sentence
    assert mixed.endswith(BESIDE)
    assert both.startswith(EITHER)

    def found(*messages: str) -> str:
        [named] = summed(*(report(failed(message)) for message in messages)).misconceptions
        return named.says

    messages = (both, mixed, "The root comes last.")
    assert found(*(messages[place] for place in order)) == "The root comes last."
    assert found(mixed) == "The root comes last."
    assert found("A value.\nThe rows are normalized.", both) == "A value."
    assert found(both) == both


def test_only_those_who_are_named_are_called_by_their_names():
    cohort = Cohort()
    for number in range(MOST_NAMED + 5):
        student = Student(str(number), f"Nobody {number}")
        cohort.add(f"s{number:02}", report(failed(tests=())), Decimal(0), student)
    names = cohort.summary().names
    assert len(names) == MOST_NAMED
    assert names["s03"] == "Nobody 3 (3)"


def test_memory_stays_flat():
    one = report(
        *(failed("x" * 3000, id=f"lesson.e{n}", status=STATUSES[n % 6], output="y" * 10**4) for n in range(12))
    )
    cohort = Cohort()
    tracemalloc.start()
    try:
        for number in range(1000):
            if number == 200:
                before = tracemalloc.get_traced_memory()[0]
            cohort.add(f"student{number}", one, Decimal(number))
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 800 * 100
