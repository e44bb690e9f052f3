"""A run: what is not known yet is graded, and kept as it ends. One student's disaster touches nobody else."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cached_property

from grader.batch.desk import NoDesk, grade_parcel
from grader.batch.entry import Entry, Key
from grader.batch.fingerprint import Fingerprint
from grader.batch.handed_in import UNREADABLE, Contents, HandedIn, Student
from grader.batch.hands import Hands
from grader.batch.journal import Journal, digest
from grader.batch.parcel import Graded, Parcel, graded, without_verdict
from grader.course.model import Course
from grader.errors import UserError
from grader.options import Options
from grader.records import clock
from grader.report import Status

PATIENCE = 1800.0
"""Seconds in which at least one submission must end. The slowest lesson's tests time out long before."""
_AHEAD = 2
"""Submissions that wait for each that is graded, so that nobody waits for the reading of the next."""


@dataclass(frozen=True)
class Manner:
    """How a run grades: what is asked, and of which version of the course. lessons: whose suites are needed."""

    exercises: tuple[str, ...]
    lessons: tuple[str, ...]
    options: Options
    fingerprint: Fingerprint
    allow_weak: bool = False

    def key(self, student: Student, contents: Contents) -> Key:
        """What decides the verdict on this student's submission."""
        return Key(student.id, contents.digest, self.suite, self._seed, self._asked)

    @cached_property
    def suite(self) -> str:
        return self.fingerprint.digest

    @cached_property
    def _seed(self) -> str:
        return hashlib.sha256(f"seed {self.options.seed}".encode()).hexdigest()

    @cached_property
    def _asked(self) -> str:
        shown = f"{self.options.hide_expected} {self.options.held_out}"
        return hashlib.sha256("\n".join((shown, *self.exercises)).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Moved:
    """A student's report that took the place of another one: their hashes."""

    file: str
    before: str
    after: str


@dataclass
class Ran:
    """What a run came to. standing: the key of each student's entry; done: how many submissions are through; lessons:
    those of which anybody has handed in anything; out_of_reach: whose earlier verdict counts, since what lies there now
    cannot be read on this machine."""

    total: int
    done: int = 0
    graded: int = 0
    standing: dict[str, Key] = field(default_factory=dict)
    moved: list[Moved] = field(default_factory=list)
    unreadable: list[tuple[Student, str]] = field(default_factory=list)
    out_of_reach: list[tuple[Student, str]] = field(default_factory=list)
    lessons: set[str] = field(default_factory=set)
    ignored: list[tuple[str, str]] = field(default_factory=list)


@dataclass(frozen=True)
class _Job:
    """A submission in flight, and those of its students who lack a report."""

    handed: HandedIn
    contents: Contents
    students: tuple[Student, ...]
    parcel: Parcel


class Run:
    """files: the name of each student's files; open_hands: called when there is something to grade; tell: is told of
    progress; keep_logs: is given the records that came along with a student's submission."""

    def __init__(
        self,
        course: Course,
        manner: Manner,
        journal: Journal,
        files: Mapping[str, str],
        open_hands: Callable[[], Hands],
        *,
        tell: Callable[[Ran], None] = lambda _: None,
        keep_logs: Callable[[str, tuple[bytes, ...]], None] = lambda *_: None,
        again: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        self._course = course
        self._manner = manner
        self._journal = journal
        self._files = files
        self._open_hands = open_hands
        self._tell = tell
        self._keep_logs = keep_logs
        self._again = again
        self._patience = patience

    def __call__(self, submissions: Iterable[HandedIn], total: int) -> Ran:
        """Grade what is not known. Raises UserError when it cannot go on: what was graded until then is kept."""
        self._ran = Ran(total)
        jobs = self._jobs(submissions)
        first = next(jobs, None)
        if first is not None:
            with ExitStack() as stack:
                hands = self._open_hands()
                stack.callback(hands.close)
                self._work_off(first, jobs, hands)
        return self._ran

    def _jobs(self, submissions: Iterable[HandedIn]) -> Iterator[_Job]:
        """What is to be sent to be graded. Everything else is settled on the way."""
        for handed in submissions:
            contents = handed.read()
            for student in handed.students:
                self._keep_logs(self._files[student.id], contents.logs)
            self._ran.ignored += [(handed.origin, reason) for reason in contents.ignored]
            self._ran.lessons |= contents.modules.keys()
            keys = {student: self._manner.key(student, contents) for student in self._concerned(handed, contents)}
            for student, key in keys.items():
                self._ran.standing[student.id] = key
                if contents.problem:
                    self._ran.unreadable.append((student, contents.problem))
            missing = tuple(student for student, key in keys.items() if not self._is_known(student, key))
            manner = self._manner
            names = tuple(student.id for student in missing)
            parcel = Parcel(
                names, contents.modules, manner.exercises, manner.lessons, manner.options, manner.suite,
                manner.allow_weak,
            )  # fmt: skip
            job = _Job(handed, contents, missing, parcel)
            if not missing:
                self._through()
            elif contents.problem:
                says = f"The {UNREADABLE}: {contents.problem}"
                status: Status = "grader_fault" if contents.out_of_reach else "error"
                report = without_verdict(self._course, manner.exercises, manner.options, status, says)
                self._keep(job, graded(report, names))
            else:
                yield job

    def _concerned(self, handed: HandedIn, contents: Contents) -> list[Student]:
        """Its students, but those whose earlier verdict goes on counting because this machine cannot read what lies
        there now."""
        concerned = []
        for student in handed.students:
            before = self._journal.standing(student.id, self._files[student.id]) if contents.out_of_reach else None
            if before is None:
                concerned.append(student)
            else:
                self._ran.standing[student.id] = before
                self._ran.out_of_reach.append((student, contents.problem))
        return concerned

    def _is_known(self, student: Student, key: Key) -> bool:
        if self._again:
            return False
        file = self._files[student.id]
        before = self._journal.current(file)
        if not self._journal.bring_back(key, file):
            return False
        after = self._journal.known[key].report
        if before is not None and before != after:
            self._ran.moved.append(Moved(file, before, after))
        return True

    def _work_off(self, first: _Job, rest: Iterator[_Job], hands: Hands) -> None:
        """Keep the hands busy, with a bounded number in flight."""
        in_flight: dict[Future[Graded], _Job] = {}
        suspects: deque[_Job] = deque()
        waiting: _Job | None = first
        try:
            while waiting or in_flight:
                while waiting and len(in_flight) < _AHEAD * hands.size + 1:
                    try:
                        in_flight[hands.executor().submit(grade_parcel, waiting.parcel)] = waiting
                    except BrokenExecutor:
                        break  # those in flight tell
                    waiting = next(rest, None)
                done, _ = wait(in_flight, timeout=self._patience, return_when=FIRST_COMPLETED)
                broken = not done
                for future in done:
                    broken |= not self._settled(in_flight.pop(future), future, suspects)
                if broken:
                    suspects.extend(in_flight.values())
                    in_flight.clear()
                    hands.renew()
                    self._one_by_one(suspects, hands)
            self._one_by_one(suspects, hands)
        except BaseException:
            for future in in_flight:
                future.cancel()
            raise

    def _settled(self, job: _Job, future: Future[Graded], suspects: deque[_Job]) -> bool:
        """Keep what came of a job, or note it down to be tried once more. False if the executor is broken."""
        try:
            self._keep(job, future.result())
        except (NoDesk, UserError):
            raise
        except (BrokenExecutor, CancelledError):
            suspects.append(job)
            return False
        except Exception:  # this one's own trouble, or a cluster's way to say that its worker died; it is tried again
            suspects.append(job)
        return True

    def _one_by_one(self, suspects: deque[_Job], hands: Hands) -> None:
        """Try those that were in flight when something died, each alone, so that one of them is known by its death."""
        while suspects:
            job = suspects.popleft()
            says = "The process that graded it died, twice"
            try:
                self._keep(job, hands.executor().submit(grade_parcel, job.parcel).result(timeout=self._patience))
                continue
            except (NoDesk, UserError):
                raise
            except TimeoutError:
                says = f"Grading it did not end within {self._patience:.0f} seconds"
            except (BrokenExecutor, CancelledError):
                pass
            except Exception as error:  # whatever it is, it is this submission's, and it is named
                says = f"{type(error).__name__}: {error}".rstrip(".")
            hands.renew()
            says = f"{says}. No points are lost by that; please report it."
            report = without_verdict(
                self._course, self._manner.exercises, self._manner.options, "grader_fault", says
            )  # fmt: skip
            self._keep(job, graded(report, job.parcel.names))

    def _keep(self, job: _Job, result: Graded) -> None:
        for student, report in zip(job.students, result.reports, strict=True):
            file, fresh = self._files[student.id], digest(report)
            before = self._journal.current(file)
            entry = Entry(
                key=self._manner.key(student, job.contents),
                student=student,
                file=file,
                origin=job.handed.origin,
                at=clock.now(),
                submitted=job.handed.submitted,
                late=job.handed.late,
                report=fresh,
                exercises=result.exercises,
                parts=self._manner.fingerprint.parts,
            )
            self._journal.add(entry, report)
            if before is not None and before != fresh:
                self._ran.moved.append(Moved(file, before, fresh))
        self._ran.graded += 1
        self._through()

    def _through(self) -> None:
        self._ran.done += 1
        self._tell(self._ran)
