"""How long it takes to read a log and to fold it.

    python tests/benchmarks/log.py [--events 50000] [--repeat 5]

The log is what a diligent learner leaves behind: reviews mostly, and gradings, hints and a few undone events. Prints
the best of several runs of each step, in processor seconds and as a multiple of `json.loads` of the same lines in the
same run.
"""

from __future__ import annotations

import argparse
import json
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from grader.course.load import load_course
from grader.course.model import Course
from grader.records import kinds
from grader.records.event import new_event, to_line
from grader.records.fold import fold
from grader.records.log import Log
from grader.review.history import fold_reviews

_START = datetime(2026, 1, 1, 9, tzinfo=UTC)
_ITEMS = 8


def main() -> None:
    """Write a log, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=50_000, metavar="N", help="length of the log (default 50000)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each step (default 5)")
    asked = parser.parse_args()
    course = load_course()
    lines = list(made_lines(course, asked.events))
    with tempfile.TemporaryDirectory() as folder:
        log = Log(Path(folder))
        log.folder.mkdir()
        (log.folder / "made.jsonl").write_text("".join(lines), encoding="ascii")
        events = log.read().events
        steps: dict[str, Callable[[], object]] = {
            "json.loads of each line": lambda: [json.loads(line) for line in lines],
            "Log.read": log.read,
            "fold": lambda: fold(events, course),
            "fold_reviews": lambda: fold_reviews(events, course),
            "Log.read and both folds": lambda: _everything(log, course),
        }
        best = {name: min(_seconds(step) for _ in range(asked.repeat)) for name, step in steps.items()}
    size = sum(map(len, lines)) / 1e6
    print(f"{len(events)} events, {size:.1f} MB; best of {asked.repeat}\n")
    print("| step | seconds | times json.loads |\n|---|---:|---:|")
    for name, seconds in best.items():
        print(f"| {name} | {seconds:.3f} | {seconds / best['json.loads of each line']:.2f} |")


def made_lines(course: Course, count: int) -> Iterator[str]:
    """The lines of a log of `count` events, the same each time but for their ids."""
    chance = random.Random(0)
    now = _START
    made = 0
    while made < count:
        lesson = chance.choice(course.lessons)
        now += timedelta(minutes=chance.randint(20, 300))
        for kind, payload in _deed(lesson.slug, [exercise.id for exercise in lesson.exercises], chance):
            now += timedelta(seconds=chance.randint(5, 60))
            event = new_event(kind, payload, now, chance.choice(["0123456789abcdef", "fedcba9876543210"]))
            if kind == kinds.SESSION:
                session = event.id
            elif kind == kinds.ANSWER:
                payload["session"] = session
            elif kind == kinds.VOID:
                payload["event"] = session
            yield to_line(event)
            made += 1
            if made == count:
                return


def _deed(lesson: str, exercises: list[str], chance: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    """A grading of some exercises, or a hint, or a whole review with three tries of what was missed."""
    if not exercises or chance.random() < 0.6:
        items = [f"{lesson}-item-{number}" for number in chance.sample(range(30), _ITEMS)]
        asked = [
            {"item": item, "version": 1, "seed": f"{chance.getrandbits(64):016x}", "why": "rotation"} for item in items
        ]
        yield kinds.SESSION, {"lesson": lesson, "practice": False, "items": asked}
        for record in asked:
            right = chance.random() < 0.8
            for attempt in range(1, 2 if right else 4):
                yield kinds.ANSWER, _answer(lesson, record, attempt, right=right or attempt == 3)
        if chance.random() < 0.05:
            yield kinds.VOID, {}
    elif chance.random() < 0.3:
        yield kinds.HINT, {"exercise": chance.choice(exercises), "number": chance.randint(1, 3)}
    else:
        graded = chance.sample(exercises, chance.randint(1, len(exercises)))
        yield kinds.GRADING, {"seed": 0, "exercises": {id_: _result(id_, chance) for id_ in graded}}


def _answer(lesson: str, record: dict[str, Any], attempt: int, *, right: bool) -> dict[str, Any]:
    return {
        "session": "",
        "lesson": lesson,
        "item": record["item"],
        "version": 1,
        "try": attempt,
        "seed": record["seed"],
        "params": {"d_model": 768, "eps": 1e-5, "x": [0.5, -1.25, 2.0]},
        "expected": "0.8164965809",
        "given": "0.8165" if right else "0.6667",
        "score": float(right),
        "missed": not right,
    }


def _result(exercise: str, chance: random.Random) -> dict[str, Any]:
    if chance.random() < 0.8:
        return {"status": "passed", "earned": 10, "possible": 10, "misconception": None}
    return {"status": "partial", "earned": 4, "possible": 10, "misconception": f"{exercise}.eps-outside-root"}


def _everything(log: Log, course: Course) -> None:
    events = log.read().events
    fold(events, course)
    fold_reviews(events, course)


def _seconds(step: Callable[[], object]) -> float:
    start = time.process_time()
    step()
    return time.process_time() - start


if __name__ == "__main__":
    main()
