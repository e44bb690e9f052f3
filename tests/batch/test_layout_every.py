"""What holds for every layout: who handed in what is found, from the folder and from the zip as downloaded."""

from collections.abc import Callable
from pathlib import Path

import pytest
from made_exports import BUILDERS, Handed, as_zip
from made_submissions import SOURCE, by_id, problems

from grader.batch.handed_in import Collection

Collected = Callable[..., Collection]


@pytest.mark.parametrize("layout", BUILDERS)
def test_each_student_is_found_with_what_they_handed_in(
    layout: str, tmp_path: Path, cohort: list[Handed], collected: Collected
) -> None:
    export = BUILDERS[layout](tmp_path / "hw", cohort)
    wanted = {student.id: student.files["first.py"] for student in cohort}
    for path in (export, as_zip(export), as_zip(export, wrapped=True)):
        collection = collected(path)
        assert by_id(collection) == wanted
        assert not collection.refused
        assert f"{len(cohort)} submissions" in collection.says


@pytest.mark.parametrize("layout", BUILDERS)
def test_modules_in_a_student_folder_and_records_beside_it_are_found(
    layout: str, tmp_path: Path, collected: Collected
) -> None:
    files = {"student/first.py": SOURCE, "student/second.py": b"#\n", "log/laptop.jsonl": b"{}\n", "conftest.py": b"x"}
    export = BUILDERS[layout](tmp_path / "hw", [Handed("7", "Ann", files), Handed("8", "Bo", files)])
    for path in (export, as_zip(export)):
        for each in collected(path).submissions:
            contents = each.read()
            assert contents.modules == {"first": SOURCE, "second": b"#\n"}
            assert contents.logs == (b"{}\n",)


@pytest.mark.parametrize("layout", BUILDERS)
def test_one_broken_submission_stops_nobody_else(layout: str, tmp_path: Path, collected: Collected) -> None:
    students = [Handed("7", "Ann", {"work.zip": b"PK\x03\x04 broken"}), Handed("8", "Bo", {"first.py": SOURCE})]
    export = BUILDERS[layout](tmp_path / "hw", students)
    for path in (export, as_zip(export)):
        found = problems(collected(path))
        assert "zip" in found["7"]
        assert found["8"] == ""


@pytest.mark.parametrize("layout", ["folders", "repositories", "gradescope", "moodle", "nbgrader"])
def test_nothing_is_read_before_it_is_asked_for(
    layout: str, tmp_path: Path, cohort: list[Handed], collected: Collected
) -> None:
    export = BUILDERS[layout](tmp_path / "hw", cohort)
    collection = collected(export)
    for file in export.rglob("first.py"):
        file.write_bytes(b"later\n")
    assert {each.read().modules["first"] for each in collection.submissions} == {b"later\n"}


def test_names_and_emails_are_kept_as_the_platform_writes_them(
    tmp_path: Path, cohort: list[Handed], collected: Collected
) -> None:
    for layout in ("gradescope", "moodle", "moodle_flat", "blackboard"):
        collection = collected(BUILDERS[layout](tmp_path / layout, cohort))
        names = {student.id: student.name for each in collection.submissions for student in each.students}
        assert names == {student.id: student.name for student in cohort}
