"""One pytest session for the hidden suites: collected once, run again for every submission.

pytest keeps control of the process while a session is open, so the work to be done is passed in: `with_suites(lessons,
body)` calls `body(suites)` from inside. No code under test is in this process; the items only ask it questions.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from _pytest.runner import runtestprotocol

from grader.errors import GraderFault
from grader.judge.check import Check, Examination, Failed
from grader.judge.draw import Draw, seed_for
from grader.judge.observation import Observation
from grader.report import Status

Kind = Literal["value", "shape", "dtype", "raises", "law"]
SUITES = Path(__file__).parent / "suites"


@dataclass(frozen=True)
class SuiteTest:
    """One collected test. description: the first line of its docstring, for people."""

    name: str
    exercise: str
    kind: Kind
    weight: int
    description: str
    item: pytest.Function


@dataclass(frozen=True)
class TestRecord:
    """What happened when a test ran. Written here, for a test that ran to its end."""

    __test__ = False
    test: SuiteTest
    status: Status
    sentence: str
    seconds: float
    observation: Observation | None = None


class Suites:
    """The collected suites of some lessons. It is a pytest plugin too: it gives the tests their fixtures."""

    def __init__(self) -> None:
        self._current: tuple[Examination, int] | None = None
        self._endings: list[tuple[Status, str, Observation | None]] = []
        self._tests: dict[str, list[SuiteTest]] = {}

    def collect(self, items: Iterable[pytest.Item]) -> None:
        """Take over what pytest collected. Raises GraderFault for a test without marks."""
        for item in items:
            test = _read_marks(item)
            self._tests.setdefault(test.exercise, []).append(test)

    def tests(self, exercise: str) -> Sequence[SuiteTest]:
        """The tests of an exercise id, in the order of the file."""
        return self._tests.get(exercise, [])

    def run(self, test: SuiteTest, examination: Examination, seed: int) -> TestRecord:
        """Run one test. An error that is neither the learner's nor a broken law is `grader_fault`."""
        self._current = (examination, seed)
        self._endings.clear()
        started = time.perf_counter()
        reports = runtestprotocol(test.item, log=False, nextitem=None)
        seconds = time.perf_counter() - started
        self._current = None
        if self._endings:
            status, sentence, observation = self._endings[0]
        elif all(report.passed for report in reports) and len(reports) == 3:
            status, sentence, observation = "passed", "", None
        else:
            trouble = next((str(r.longrepr) for r in reports if not r.passed), "the test did not run")
            status, sentence, observation = _unforeseen(test, examination, trouble)
        return TestRecord(test, status, sentence, seconds, observation)

    @pytest.fixture
    def check(self, request: pytest.FixtureRequest) -> Check:
        """Asks the function under test; see grader.judge.check."""
        examination, seed = self._here()
        return Check(examination, request.node.name, seed_for(seed, _stable_id(request.node)) % 2**31)

    @pytest.fixture
    def draw(self, request: pytest.FixtureRequest) -> Draw:
        """Seeded inputs; see grader.judge.draw."""
        return Draw(seed_for(self._here()[1], _stable_id(request.node)))

    def _here(self) -> tuple[Examination, int]:
        if self._current is None:
            raise GraderFault("a suite asked for a submission outside of a grading")
        return self._current

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport | None:
        """Keep what ended the test. pytest's own report would spend 8 ms on a traceback that nobody reads."""
        if call.excinfo is None or call.when != "call":
            return None
        error = call.excinfo.value
        if isinstance(error, Failed):
            self._endings.append((error.status, error.sentence, error.observation))
        elif isinstance(error, AssertionError):
            self._endings.append(("failed", str(error) or _describe(item), None))
        else:
            return None
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", None, "call")


def _unforeseen(test: SuiteTest, examination: Examination, trouble: str) -> tuple[Status, str, Observation | None]:
    """What an error in a test means that is no verdict: if a result was not what the test works with (another type,
    shape or dtype), it is the learner's; else the grader's own."""
    for observation in examination.observations:
        difference = observation.comparison.difference
        if observation.test == test.item.name and difference and difference.kind in ("type", "shape", "dtype"):
            return "failed", difference.sentence, observation
    return "grader_fault", trouble, None


def with_suites(lessons: Sequence[str], body: Callable[[Suites], int], suites: Path = SUITES) -> int:
    """Collect the suites of these lessons and call `body` with them. Returns what body returns.

    Once per process (pytest's own limit). Raises GraderFault if a suite is missing or cannot be collected; whatever
    body raises comes out as it is.
    """
    files = [suites / f"test_{lesson}.py" for lesson in lessons]
    if missing := [file.name for file in files if not file.is_file()]:
        raise GraderFault(f"the suite {', '.join(missing)} is missing from {suites}")
    torch.set_num_threads(1)  # at these sizes a second thread costs more than it brings, under load sixty times more
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    collected = Suites()
    host = _Host(collected, body)
    options = ["-s", "--assert=plain", "--import-mode=importlib", "-c", os.devnull, f"--rootdir={suites}"]
    options += [f"--confcutdir={suites}", *(f"-p no:{name}" for name in _NOT_NEEDED), *map(str, files)]
    pytest.main(options, plugins=[host, collected])
    if host.error is not None:
        raise host.error
    if host.problems:
        raise GraderFault("a suite could not be collected:\n" + "\n".join(host.problems))
    if host.result is None:
        raise GraderFault("the session of the suites ended before it began")
    return host.result


_NOT_NEEDED = (
    "terminal", "cacheprovider", "faulthandler", "warnings", "junitxml", "pastebin", "stepwise", "doctest", "unittest",
    "logging", "debugging", "threadexception", "unraisableexception", "setuponly", "setupplan", "tmpdir", "monkeypatch",
    "recwarn",
)  # fmt: skip


class _Host:
    """The plugin that takes the place of pytest's loop over the tests."""

    def __init__(self, suites: Suites, body: Callable[[Suites], int]) -> None:
        self.suites = suites
        self.body = body
        self.result: int | None = None
        self.error: BaseException | None = None
        self.problems: list[str] = []

    def pytest_configure(self, config: pytest.Config) -> None:
        config.addinivalue_line("markers", "exercise(name): the exercise that a class tests")
        config.addinivalue_line("markers", "points(kind, weight): what a test is worth")

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.problems.append(str(report.longrepr))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if not self.problems:
            try:
                self.suites.collect(session.items)
                self.result = self.body(self.suites)
            except BaseException as error:  # pytest would turn it into an exit code; it belongs to the caller
                self.error = error
        return True


def _read_marks(item: pytest.Item) -> SuiteTest:
    exercise = item.get_closest_marker("exercise")
    points = item.get_closest_marker("points")
    if exercise is None or points is None or not isinstance(item, pytest.Function):
        raise GraderFault(f"the suite test {item.nodeid} lacks @exercise on its class or a mark such as @value(1)")
    lesson = item.path.stem.removeprefix("test_")
    kind, weight = points.args
    name = item.name.removeprefix("test_")
    return SuiteTest(name, f"{lesson}.{exercise.args[0]}", kind, weight, _describe(item), item)


def _describe(item: pytest.Item) -> str:
    text: Any = getattr(item, "function", None)
    return (text.__doc__ or item.name).strip().splitlines()[0] if text is not None else item.name


def _stable_id(node: Any) -> str:
    """A name of the test that does not depend on where the project lies."""
    return f"{node.path.stem}::{node.cls.__name__ if node.cls else ''}::{node.name}"
