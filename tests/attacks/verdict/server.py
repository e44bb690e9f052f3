"""Grades hostile submissions: one JSON request a line on stdin, one report a line on stdout.

The suites live in a pytest session of their own, and a process can hold only one: hence a process apart.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

from grader.course.load import load_course
from grader.course.model import Course, Limits
from grader.sandbox import Zygote

LESSONS = ("objective", "normalization", "attention", "heads")
HURRIED = Limits(seconds=0.3, memory_mb=512)


def hurried(course: Course) -> Course:
    """The same course with less time for each call: attackers are waited for often."""
    return replace(course, lessons=tuple(replace(lesson, limits=HURRIED) for lesson in course.lessons))


def main() -> None:
    """Serve until stdin ends. A request names the layers that are left off; each such level has a grader of its own."""
    from grader.grading import Grader, Options
    from grader.session import Suites, with_suites
    from grader.workspace import read_submission

    course = hurried(load_course())
    graders: dict[frozenset[str], Grader] = {}

    def body(suites: Suites) -> int:
        for line in sys.stdin:
            request = json.loads(line)
            without = frozenset(request["without"])
            if without not in graders:
                graders[without] = Grader(course, suites, Zygote(without=without), Options())
            exercises = course.ordered(e for target in request["targets"] for e in course.resolve(target))
            report = graders[without].grade(read_submission(Path(request["folder"]), course), exercises)
            print(json.dumps(report.to_dict(), default=list), flush=True)
        for grader in graders.values():
            grader.zygote.close()
        return 0

    with_suites(LESSONS, body)


if __name__ == "__main__":
    main()
