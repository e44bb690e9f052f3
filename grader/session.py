"""One pytest session for the hidden suites: collected once, run again for every submission.

pytest keeps control of the process while a session is open, so the work to be done is passed in: `with_suites(lessons,
body)` calls `body(suites)` from inside. No code under test is in this process; the items only ask it questions.
"""

from __future__ import annotations

import os
import time
import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest
import torch
from _pytest.outcomes import OutcomeException
from _pytest.runner import runtestprotocol

from grader.errors import GraderFault
from grader.judge.check import Check, Examination, Failed
from grader.judge.draw import Draw, seed_for
from grader.judge.observation import Observation
from grader.report import Status

Kind = Literal["value", "shape", "dtype", "raises", "law"]
Ending = tuple[Status, str, Observation | None]
SUITES = Path(__file__).parent / "suites"
OUR_FIXTURES = {"check", "draw"}


@dataclass(frozen=True)
class SuiteTest:
    """One collected test. description: the first line of its docstring, for people; is_plain: it needs no more than our
    fixtures and its parameters, and no set-up."""

    name: str
    exercise: str
    kind: Kind
    weight: int
    description: str
    item: pytest.Function
    is_plain: bool

    @property
    def arguments(self) -> tuple[str, ...]:
        """The names of what the test is called with."""
        return tuple(self.item._fixtureinfo.argnames)

    @property
    def parameters(self) -> Mapping[str, Any]:
        """What `parametrize` gives it."""
        return parameters_of(self.item)


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
        self._endings: list[Ending] = []
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
        started = time.perf_counter()
        ending = self._directly(test, examination, seed) if test.is_plain else self.by_protocol(test, examination, seed)
        status, sentence, observation = ending
        return TestRecord(test, status, sentence, time.perf_counter() - started, observation)

    def _directly(self, test: SuiteTest, examination: Examination, seed: int) -> Ending:
        """Call the test with its fixtures. pytest's own way costs a millisecond a test, more than the test."""
        method = getattr(test.item.cls(), test.item.function.__name__)
        item_seed = seed_for(seed, _stable_id(test.item))
        made = {"check": Check(examination, test.item.name, item_seed % 2**31), "draw": Draw(item_seed)}
        arguments = {name: made.get(name, test.parameters.get(name)) for name in test.arguments}
        try:
            method(**arguments)
        except (Exception, OutcomeException) as error:
            return _ending(error, test.description) or _unforeseen(
                test, examination, "".join(traceback.format_exception(error))
            )
        return "passed", "", None

    def by_protocol(self, test: SuiteTest, examination: Examination, seed: int) -> Ending:
        """Have pytest run the test, with whatever fixtures and set-up it has."""
        self._current = (examination, seed)
        self._endings.clear()
        reports = runtestprotocol(test.item, log=False, nextitem=None)
        self._current = None
        if self._endings:
            return self._endings[0]
        if all(report.passed for report in reports) and len(reports) == 3:
            return "passed", "", None
        trouble = next((str(r.longrepr) for r in reports if not r.passed), "the test did not run")
        return _unforeseen(test, examination, trouble)

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
        ending = _ending(call.excinfo.value, _describe(item))
        if ending is None:
            return None
        self._endings.append(ending)
        return pytest.TestReport(item.nodeid, item.location, {}, "failed", None, "call")


def _ending(error: BaseException, otherwise: str) -> Ending | None:
    """The verdict that an exception is: a failed check, or a broken law (`otherwise` if it says nothing)."""
    if isinstance(error, Failed):
        return error.status, error.sentence, error.observation
    if isinstance(error, AssertionError):
        return "failed", str(error) or otherwise, None
    return None


def _unforeseen(test: SuiteTest, examination: Examination, trouble: str) -> Ending:
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
        config.addinivalue_line("markers", "public: the test is in the student's bundle too")

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
    return SuiteTest(name, f"{lesson}.{exercise.args[0]}", kind, weight, _describe(item), item, _is_plain(item))


def parameters_of(item: pytest.Function) -> Mapping[str, Any]:
    """What `parametrize` gives a test."""
    return item.callspec.params if hasattr(item, "callspec") else {}


def _is_plain(item: pytest.Function) -> bool:
    known = OUR_FIXTURES | parameters_of(item).keys()
    has_setup = any(hasattr(holder, name) for holder in (item.cls, item.module) for name in _SET_UP)
    asked, needed = set(item._fixtureinfo.argnames), set(item.fixturenames)
    # Our own fixtures ask for `request`; a test that asks for it itself is pytest's to run.
    return item.cls is not None and asked <= known and needed <= known | {"request"} and not has_setup


_SET_UP = (
    "setup_method", "teardown_method", "setup_class", "teardown_class", "setup_module", "teardown_module",
    "setup_function", "teardown_function",
)  # fmt: skip


def _describe(item: pytest.Item) -> str:
    text: Any = getattr(item, "function", None)
    return (text.__doc__ or item.name).strip().splitlines()[0] if text is not None else item.name


def _stable_id(node: Any) -> str:
    """A name of the test that does not depend on where the project lies."""
    return f"{node.path.stem}::{node.cls.__name__ if node.cls else ''}::{node.name}"
