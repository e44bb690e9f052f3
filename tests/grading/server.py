"""Grades submissions for the tests: one JSON request a line on stdin, one report a line on stdout.

The suites live in a pytest session of their own, and a process can hold only one: hence a process apart. Requests that
ask for the same options share a grader, as submissions of a class do: it proves the protection and asks the reference
and the misconceptions once.
"""

import json
import sys
from dataclasses import replace
from pathlib import Path

from grader.course.load import load_course
from grader.course.model import Course
from grader.sandbox import Zygote


def hurried(course: Course, seconds: float) -> Course:
    """The same course with another time limit."""
    lessons = (replace(lesson, limits=replace(lesson.limits, seconds=seconds)) for lesson in course.lessons)
    return replace(course, lessons=tuple(lessons))


def main() -> None:
    """Serve until stdin ends."""
    with Zygote() as zygote:
        from grader.grading import Grader
        from grader.options import Options
        from grader.session import Suites, with_suites
        from grader.workspace import read_submission

        whole = load_course()
        graders: dict[tuple[Options, float | None], Grader] = {}

        def body(suites: Suites) -> int:
            for line in sys.stdin:
                request = json.loads(line)
                options = Options(seed=request["seed"], hide_expected=request["hide_expected"])
                key = (options, request["seconds"])
                if key not in graders or request["anew"]:
                    course = hurried(whole, request["seconds"]) if request["seconds"] else whole
                    graders[key] = Grader(course, suites, zygote, options)
                grader, course = graders[key], graders[key].course
                exercises = course.ordered(e for target in request["targets"] for e in course.resolve(target))
                report = grader.grade(read_submission(Path(request["folder"]), course), exercises)
                print(json.dumps(report.to_dict(), default=list), flush=True)
            return 0

        with_suites([lesson.slug for lesson in whole.lessons], body)


if __name__ == "__main__":
    main()
