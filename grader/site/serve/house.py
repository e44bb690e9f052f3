"""Everything that runs while the pages are open, put together: opened at once, closed whatever happens."""

from __future__ import annotations

import socket
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from grader.course.model import Course
from grader.report import Report
from grader.review.companion import Companion
from grader.review.learner import LearnerRecords
from grader.site.quiz.room import QuizRoom
from grader.site.serve.app import create_app
from grader.site.serve.bench import Bench
from grader.site.serve.desk import Desk
from grader.site.serve.guard import Guard
from grader.site.serve.live import Live
from grader.site.serve.modules import Modules
from grader.site.serve.results import Results
from grader.site.serve.served import Served
from grader.site.serve.server import Server
from grader.site.serve.watch import Watch

if TYPE_CHECKING:
    from grader.run.functions import Learner
    from grader.sandbox.proof import Protection


SWITCH = 0.0005
"""Seconds that one thread of Python's computes while others wait for their turn."""


@dataclass(frozen=True)
class Hooks:
    """What the command does for the server. records: the learner's; record, complete, accept and complain: as for the
    desk."""

    records: LearnerRecords
    record: Callable[[Report], Sequence[str]]
    complete: Callable[[Report], Report]
    accept: Callable[[Protection], None]
    complain: Callable[[str], None]


class House:
    """The server for one run. modules: None outside a workspace, and then nothing is graded."""

    def __init__(
        self, course: Course, modules: Modules | None, listening: socket.socket, guard: Guard, hooks: Hooks
    ) -> None:
        self._left = threading.Event()
        self._open = ExitStack()
        live = Live()
        records = hooks.records
        results = Results(course, live, lambda: records.known(course).events)
        bench = Bench(course, modules, _parts, _has_panel, accept=hooks.accept, complain=hooks.complain)
        self._open.callback(bench.close)
        companion = Companion(course, modules.folder if modules else None, bench.zygote, bench.hand)
        self._open.callback(companion.close)
        quiz = QuizRoom(course, records, companion, root="/")
        self._open.callback(quiz.close)
        self._listening = listening
        self._app = create_app(
            course=course,
            site=Served(course, records, results, quiz),
            live=live,
            results=results,
            bench=bench,
            quiz=quiz,
            guard=guard,
            complain=hooks.complain,
        )
        self._desk: Desk | None = None
        if modules is not None:
            self._desk = Desk(
                course,
                modules,
                live,
                record=hooks.record,
                progress=lambda: records.known(course).progress,
                complete=hooks.complete,
                accept=hooks.accept,
                complain=hooks.complain,
            )
            self._watch = Watch(modules, live, saved=self._desk.saved, returned=self._desk.look_again)

    def run(self) -> None:
        """Answer and grade until `leave`, or until Ctrl-C, which comes out as KeyboardInterrupt. In the main thread."""
        # A request gives up its turn a dozen times, and would wait 5 ms each time while a grading computes.
        self._open.callback(sys.setswitchinterval, sys.getswitchinterval())
        sys.setswitchinterval(SWITCH)
        with self._open:
            self._open.callback(Server(self._app, self._listening).close)
            if self._desk is None:
                self._left.wait()
            else:
                self._watch.start()
                self._open.callback(self._watch.close)
                self._desk.run()

    def leave(self) -> None:
        """Let `run` come to its end. Any thread may ask, and so may the handler of a signal."""
        self._left.set()
        if self._desk is not None:
            self._desk.close()


# Panels import torch: the zygotes are to start before that, and import it at the same time.


def _has_panel(name: str) -> bool:
    from grader.site.panels import panel_named

    return panel_named(name) is not None


def _parts(name: str, course: Course, learner: Learner) -> dict[str, object]:
    from grader.site.export import golden
    from grader.site.panels import panel_named
    from grader.site.panels.values import learner_parts

    panel = panel_named(name)
    assert panel is not None, "the bench asks for panels that there are"
    return learner_parts(panel, course, learner, golden(name))
