"""The course as the commands get it: as it was kept while its files are the same, from the files otherwise."""

from pathlib import Path

from grader import places
from grader.course.kept import course_stamps, keep_course, recall_course
from grader.course.model import Course


def load_course(folder: Path | None = None) -> Course:
    """The course whose `course.yaml` lies in `folder` (the project's own lessons/ by default).

    Reading YAML takes longer than all the rest of a short command, so the project's own course is kept as it was
    parsed. Raises CourseErrors, which holds every mistake of every file with its line and what to write instead.
    """
    if folder is not None:
        return _parse(folder)
    folder, cache = places.lessons_folder(), places.cache_folder()
    stamps = course_stamps(folder)
    course = recall_course(folder, stamps, cache)
    if course is None:
        course = _parse(folder)
        keep_course(course, stamps, cache)
    return course


def _parse(folder: Path) -> Course:
    from grader.course.parse import parse_course  # it imports the YAML parser, which a kept course does not need

    return parse_course(folder)
