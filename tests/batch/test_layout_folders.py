"""Plain folders, files and zips, cloned repositories, nbgrader; and what is no class at all."""

import os
from collections.abc import Callable
from pathlib import Path

import made_exports
import pytest
from made_exports import Handed, as_zip, write, zipped
from made_submissions import SOURCE, by_id, problems, refusals

from grader.batch.handed_in import Collection
from grader.errors import UserError

Collected = Callable[..., Collection]
OLD, NEW = b"# old\n", b"# new\n"


def test_folders_files_and_zips_may_be_mixed(tmp_path: Path, collected: Collected) -> None:
    files = {"ann/first.py": OLD, "bo.py": NEW, "Cy =cmd().zip": zipped({"x/student/first.py": SOURCE})}
    collection = collected(write(tmp_path / "hw", files))
    assert by_id(collection) == {"ann": OLD, "bo": NEW, "Cy =cmd()": SOURCE}
    assert collection.says == "Recognised 1 .py file, 1 .zip file, 1 folder, one a student: 3 submissions."


def test_one_id_twice_is_one_student(tmp_path: Path, collected: Collected) -> None:
    collection = collected(write(tmp_path / "hw", {"ann/first.py": OLD, "ann.zip": zipped({"first.py": NEW})}))
    assert by_id(collection) == {"ann": OLD}
    assert refusals(collection) == ["ann.zip: ann is there twice: ann/ comes first by name and counts"]


def test_an_id_in_two_unicode_forms_is_one_student(tmp_path: Path, collected: Collected) -> None:
    collection = collected(write(tmp_path / "hw", {"Zoe\u0308/first.py": OLD, "Zo\u00eb.py": NEW}))
    assert len(collection.submissions) == len(collection.refused) == 1


def test_a_name_that_is_no_unicode_becomes_text(tmp_path: Path, collected: Collected) -> None:
    folder = os.fsencode(tmp_path / "hw") + b"/Jos\xe9"
    try:
        os.makedirs(folder)  # noqa: PTH103  pathlib takes no bytes
    except OSError:
        pytest.skip("this file system keeps no such names")
    Path(os.fsdecode(folder), "first.py").write_bytes(SOURCE)
    assert set(by_id(collected(tmp_path / "hw"))) == {"Jos\\xe9"}


def test_what_is_nobodys_is_named(tmp_path: Path, collected: Collected) -> None:
    files = {"ann/first.py": SOURCE, "roster.csv": b"", "first.py": NEW, ".DS_Store": b"", "__MACOSX/x": b"", ".x": b""}
    assert refusals(collected(write(tmp_path / "hw", files))) == [
        ".x: is hidden, so it is taken for no submission",
        "first.py: is named after a lesson, not after a student",
        "roster.csv: is no folder, .py or .zip, so it is taken for no submission",
    ]


def test_a_class_may_lie_in_one_folder(tmp_path: Path, collected: Collected) -> None:
    assert set(by_id(collected(write(tmp_path / "hw", {"class/ann.py": OLD, "class/bo/first.py": NEW})))) == {
        "ann",
        "bo",
    }


def test_a_class_of_one_is_a_class(tmp_path: Path, collected: Collected) -> None:
    assert set(by_id(collected(write(tmp_path / "hw", {"ann/work/first.py": OLD})))) == {"ann"}


def test_links_and_pipes_are_not_opened(tmp_path: Path, collected: Collected) -> None:
    hw = write(tmp_path / "hw", {"ann/first.py": SOURCE, "bo/x": b"", "cy/x": b""})
    (hw / "linked").symlink_to(hw / "ann")
    (hw / "bo" / "first.py").symlink_to("/etc/passwd")
    os.mkfifo(hw / "cy" / "first.py")
    assert problems(collected(hw)) == {
        "ann": "",
        "bo": "It holds no lesson file that can be read: first.py is a link, which is not opened.",
        "cy": "It holds no lesson file that can be read: first.py is no ordinary file, which is not opened.",
        "linked": "linked is a link, which is not opened.",
    }


def test_a_folder_without_permission_is_its_students_problem(
    tmp_path: Path, collected: Collected, monkeypatch: pytest.MonkeyPatch
) -> None:
    hw = write(tmp_path / "hw", {"ann/first.py": SOURCE, "bo/first.py": SOURCE})
    scandir = os.scandir

    def refusing(path: Path) -> object:
        if Path(path).name == "bo":  # the tests may run as a user to whom nothing is forbidden
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refusing)
    assert problems(collected(hw)) == {"ann": "", "bo": "bo cannot be opened: Permission denied."}


def test_the_shared_beginning_of_repositories_is_taken_off_and_said(tmp_path: Path, collected: Collected) -> None:
    students = [Handed("ann", "", {"first.py": OLD}), Handed("bo-lee", "", {"first.py": NEW})]
    collection = collected(made_exports.repositories(tmp_path / "hw", students, prefix="cs-101-hw1-"))
    assert by_id(collection) == {"ann": OLD, "bo-lee": NEW}
    assert "cs-101-hw1- was taken off their names" in collection.says


def test_something_is_left_of_every_login(tmp_path: Path, collected: Collected) -> None:
    students = [Handed(each, "", {"first.py": OLD}) for each in ("ann", "ann-2")]
    assert set(by_id(collected(made_exports.repositories(tmp_path / "hw", students)))) == {"ann", "ann-2"}


def test_a_prefix_that_is_given_overrides_the_shared_one(tmp_path: Path, collected: Collected) -> None:
    students = [Handed(each, "", {"first.py": OLD}) for each in ("ann-kim", "ann-lee")]
    hw = made_exports.repositories(tmp_path / "hw", students)
    assert set(by_id(collected(hw))) == {"kim", "lee"}
    assert set(by_id(collected(hw, prefix="hw1"))) == {"ann-kim", "ann-lee"}
    assert set(by_id(collected(hw, prefix=""))) == {"hw1-ann-kim", "hw1-ann-lee"}
    with pytest.raises(UserError, match="begins with the prefix hw2-"):
        collected(hw, prefix="hw2")


def test_a_single_repository_keeps_its_name(tmp_path: Path, collected: Collected) -> None:
    hw = made_exports.repositories(tmp_path / "hw", [Handed("ann", "", {"first.py": OLD})])
    assert set(by_id(collected(hw))) == {"hw1-ann"}
    assert set(by_id(collected(hw, prefix="hw1-"))) == {"ann"}


def test_a_prefix_is_for_repositories_only(tmp_path: Path, collected: Collected) -> None:
    with pytest.raises(UserError, match="this is a Canvas download"):
        collected(write(tmp_path / "hw", {"ann_1_2_first.py": SOURCE}), prefix="ann")


def test_nbgrader_may_be_named_by_its_submitted_folder(tmp_path: Path, collected: Collected) -> None:
    hw = made_exports.nbgrader(tmp_path / "hw", [Handed("ann", "", {"first.py": OLD})])
    for path in (hw, hw / "submitted"):
        collection = collected(path)
        assert collection.layout == "nbgrader"
        assert collection.submissions[0].submitted == made_exports.NOON


def test_nbgrader_of_several_assignments_the_one_asked_for_counts(tmp_path: Path, collected: Collected) -> None:
    made_exports.nbgrader(tmp_path / "hw", [Handed("ann", "", {"first.py": OLD})], assignment="first")
    made_exports.nbgrader(tmp_path / "hw", [Handed("bo", "", {"first.py": NEW})], assignment="second")
    collection = collected(tmp_path / "hw", "first")
    assert by_id(collection) == {"ann": OLD}
    assert refusals(collection) == ["bo: nothing handed in for first"]
    with pytest.raises(UserError, match=r"several assignments \(first, second\).*more than one"):
        collected(tmp_path / "hw", "first", "second")


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "is empty. Looked for a folder, .py or .zip for each student"),
        ({".DS_Store": b""}, "is empty"),
        ({"IMG_1.jpg": b"", "IMG_2.jpg": b""}, "was recognised. Looked for .*; it holds IMG_1.jpg, IMG_2.jpg."),
        ({"2025/IMG_1.jpg": b"", "2026/IMG_2.jpg": b""}, "was recognised. Looked for .*; it holds 2025, 2026."),
        ({"first.py": SOURCE, "second.py": SOURCE}, "is one submission, not a folder of them"),
        ({"student/first.py": SOURCE, "log/a.jsonl": b""}, "is one submission, not a folder of them"),
        ({".git/HEAD": b"", "lessons/x.md": b""}, "is one cloned repository"),
    ],
)
def test_what_is_no_class_is_one_sentence(
    files: dict[str, bytes], says: str, tmp_path: Path, collected: Collected
) -> None:
    hw = write(tmp_path / "hw", files)
    for path in (hw, as_zip(hw)):
        with pytest.raises(UserError, match=says) as caught:
            collected(path)
        assert "\n" not in str(caught.value)


def test_what_is_no_folder_and_no_zip_is_one_sentence(tmp_path: Path, collected: Collected) -> None:
    write(tmp_path, {"hw.zip": b"hello", "hw.tar.gz": b"", "half.zip": zipped({"a.py": SOURCE})[:-30]})
    os.mkfifo(tmp_path / "pipe")
    for name, says in {
        "gone": "There is no .*gone",
        "hw.zip": "it is no zip archive",
        "half.zip": "it is no zip archive, or a damaged one",
        "hw.tar.gz": "Unpack it and name the folder",
        "pipe": "is no ordinary file",
    }.items():
        with pytest.raises(UserError, match=says):
            collected(tmp_path / name)


def test_no_permission_is_one_sentence(tmp_path: Path, collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(path: Path) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refusing)
    with pytest.raises(UserError, match="cannot be opened: Permission denied"):
        collected(write(tmp_path / "hw", {"ann.py": SOURCE}))
