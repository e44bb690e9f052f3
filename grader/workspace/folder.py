"""A learner's workspace: a folder with `student/` in it, found from anywhere below it, and made by `start`."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.course.model import Course
from grader.edition import offers
from grader.errors import UserError
from grader.workspace.submission import MODULE_FOLDER, holds_modules

_NOT_FOR_LEARNERS = {".yaml", ".yml"}  # points, hints and quiz answers stay with the course


@dataclass(frozen=True, slots=True)
class Workspace:
    """`root` holds README.md and `student_dir`; the lesson modules lie in `student_dir`."""

    root: Path
    student_dir: Path

    def module(self, slug: str) -> Path:
        """The file of a lesson, which need not be there."""
        return self.student_dir / f"{slug}.py"


@dataclass(frozen=True, slots=True)
class Started:
    """What `start` did: the files it wrote, and those that were there before and were left alone."""

    workspace: Workspace
    written: tuple[Path, ...]
    kept: tuple[Path, ...]


def find_workspace(start_at: Path, course: Course) -> Workspace:
    """The nearest workspace at or above a folder: `student` with a lesson module in it, or the folder around one.

    A clone of the project is one, and so is what `anatomy start` makes. Raises UserError when there is none.
    """
    start_at = start_at.absolute()
    for folder in (start_at, *start_at.parents):
        if folder.name == MODULE_FOLDER and holds_modules(folder, course):
            return Workspace(folder.parent, folder)
        if holds_modules(folder / MODULE_FOLDER, course):
            return Workspace(folder, folder / MODULE_FOLDER)
    first = course.lessons[0].slug
    raise UserError(
        f"There is no {MODULE_FOLDER}/{first}.py in {start_at} or in a folder above it. "
        "Go to your workspace, or make one here with `anatomy start`."
    )


def start(directory: Path, course: Course) -> Started:
    """Make a workspace in `directory`, or complete the one that is there. A file that exists is never written to.

    It gets a stub for each lesson, the lessons' pages and a README. Raises UserError if it cannot be written.
    """
    root = directory.absolute()
    if root.name == MODULE_FOLDER and holds_modules(root, course):
        root = root.parent
    workspace = Workspace(root, root / MODULE_FOLDER)
    written: list[Path] = []
    kept: list[Path] = []
    for path, content in _contents(workspace, course):
        (written if _write_new(path, content) else kept).append(path)
    return Started(workspace, tuple(written), tuple(kept))


def _contents(workspace: Workspace, course: Course) -> Iterator[tuple[Path, bytes]]:
    from grader.course.stubs import PACKAGE_SOURCE, stub_source  # finding a workspace writes none

    yield workspace.student_dir / "__init__.py", PACKAGE_SOURCE.encode()
    for lesson in course.lessons:
        yield workspace.module(lesson.slug), stub_source(lesson).encode()
    for lesson in course.lessons:
        for path in sorted(lesson.folder.rglob("*")):
            if path.is_file() and path.suffix not in _NOT_FOR_LEARNERS:
                yield workspace.root / "lessons" / path.relative_to(course.folder), path.read_bytes()
    yield workspace.root / "README.md", _readme(course).encode()


def _write_new(path: Path, content: bytes) -> bool:
    """Write a file that is not there yet; False if something of that name exists already, be it a dangling link."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("xb") as file:
            file.write(content)
    except FileExistsError as error:
        # The same error comes from `mkdir` when a file stands where a folder is needed.
        if error.filename is not None and Path(error.filename) != path:
            raise UserError(
                f"{error.filename} is a file, but a folder is needed there. Choose another folder."
            ) from None
        return False
    except NotADirectoryError:
        raise UserError(f"{path.parent} cannot be made: a file is in the way. Choose another folder.") from None
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}. Choose another folder.") from None
    return True


def _readme(course: Course) -> str:
    from grader.course.stubs import command_list

    lessons = "\n".join(
        f"{number}. {lesson.title}: read `lessons/{lesson.slug}/lesson.md`, fill in `student/{lesson.slug}.py`"
        for number, lesson in enumerate(course.lessons, start=1)
    )
    lesson, exercise = course.lessons[0].slug, course.exercises[0].id
    commands = {"anatomy serve": "the lessons in the browser, graded as you save"} if offers("serve") else {}
    commands |= {
        "anatomy status": "where you stand and what comes next",
        f"anatomy grade {lesson}": "grade a lesson",
        f"anatomy grade {exercise}": "grade one function",
        f"anatomy hint {exercise}": "a hint, one step at a time",
        f"anatomy reset {exercise}": "back to the stub; your text is kept aside",
    }
    if offers("solution"):
        commands[f"anatomy solution {exercise}"] = "the answer, once yours has passed"
    commands["anatomy submit -o FILE.zip"] = "pack what you hand in"
    return f"""# {course.title}

Your workspace. The files in `student/` are yours: each function waits for its body.

{lessons}

From any folder in here:

{command_list(commands)}
"""
