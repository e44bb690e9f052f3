"""Gradescope: metadata read without obeying them, groups, resubmissions, times."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import made_exports
import pytest
from made_exports import NOON, Handed, write
from made_submissions import SOURCE, by_id, problems, refusals

from grader.batch.handed_in import Collection
from grader.batch.layouts.times import moment
from grader.errors import UserError

Collected = Callable[..., Collection]
OLD, NEW = b"# old\n", b"# new\n"


def export(where: Path, metadata: str, *folders: str) -> Path:
    for folder in folders:
        write(where / folder, {"first.py": folder.encode()})
    return write(where, {"submission_metadata.yml": metadata.encode("utf-8", "surrogateescape")})


def test_a_group_is_one_submission_of_several_students(tmp_path: Path, collected: Collected) -> None:
    students = [Handed(each, each, {"first.py": SOURCE}, group="A") for each in ("1", "2", "3")]
    collection = collected(made_exports.gradescope(tmp_path / "hw", [*students, Handed("4", "4", {"first.py": NEW})]))
    assert [[student.id for student in each.students] for each in collection.submissions] == [["1", "2", "3"], ["4"]]
    assert collection.says == "Recognised a Gradescope export: 2 submissions of 4 students."


def test_the_later_submission_of_a_student_counts(tmp_path: Path, collected: Collected) -> None:
    students = [
        Handed("1", "Ann", {"first.py": NEW}, at=NOON + timedelta(hours=1)),
        Handed("1", "Ann", {"first.py": OLD}, at=NOON),
    ]
    collection = collected(made_exports.gradescope(tmp_path / "hw", students))
    assert by_id(collection) == {"1": NEW}
    assert refusals(collection) == ["submission_1001/: 1 is there twice: submission_1000/ is later and counts"]


def test_who_handed_in_again_alone_leaves_the_group_to_the_others(tmp_path: Path, collected: Collected) -> None:
    students = [Handed(each, each, {"first.py": OLD}, group="A") for each in ("1", "2")]
    alone = Handed("2", "2", {"first.py": NEW}, at=NOON + timedelta(minutes=1))
    collection = collected(made_exports.gradescope(tmp_path / "hw", [*students, alone]))
    assert by_id(collection) == {"1": OLD, "2": NEW}
    assert len(collection.refused) == 1


def test_without_times_the_higher_number_counts(tmp_path: Path, collected: Collected) -> None:
    entries = "".join(f"submission_{number}:\n  :submitters:\n  - :sid: '1'\n" for number in (9, 10))
    path = export(tmp_path / "hw", entries, "submission_9", "submission_10")
    assert by_id(collected(path)) == {"1": b"submission_10"}


def test_the_time_keeps_its_offset(tmp_path: Path, collected: Collected) -> None:
    zone = timezone(timedelta(hours=-8))
    at = datetime(2026, 3, 1, 23, 59, 59, tzinfo=zone)
    path = made_exports.gradescope(tmp_path / "hw", [Handed("1", "Ann", {"first.py": SOURCE}, at=at)])
    (only,) = collected(path).submissions
    assert only.submitted == at
    assert only.submitted.utcoffset() == timedelta(hours=-8)


def test_ids_are_text_and_fall_back_to_the_email_and_the_name(tmp_path: Path, collected: Collected) -> None:
    path = export(
        tmp_path / "hw",
        "s1:\n  :submitters:\n  - :name: Ann\n    :sid: 00123\n    :email: a@x\n"
        "s2:\n  :submitters:\n  - :name: Bo\n    :sid:\n    :email: 'b@x'\n"
        "s3:\n  :submitters:\n  - :name: Cy\n    :sid: ~\n    :email: ''\n"
        "s4:\n  :submitters:\n  - :name: Di\n    :sid: 'null'\n",
        *("s1", "s2", "s3", "s4"),
    )
    assert [each.students[0].id for each in collected(path).submissions] == ["00123", "b@x", "Cy", "null"]


def test_tags_and_aliases_are_plain_values(tmp_path: Path, collected: Collected) -> None:
    path = export(
        tmp_path / "hw",
        "--- !ruby/hash:Anything\ns1: !ruby/object:Thing\n  :submitters: &who\n"
        "  - :name: !!python/object/apply:os.system [exit]\n    :sid: &id 7\n"
        "  :created_at: &at 2026-03-01 12:00:00.000000000 Z\n  :results: [1, {a: [2]}]\n"
        "s2:\n  :submitters:\n  - :sid: 8\n    :name: *id\n  :created_at: *at\n",
        *("s1", "s2"),
    )
    collection = collected(path)
    assert [(each.students[0].id, each.students[0].name) for each in collection.submissions] == [("7", ""), ("8", "7")]
    assert {each.submitted for each in collection.submissions} == {NOON}


def test_what_metadata_and_folders_do_not_share_is_named(tmp_path: Path, collected: Collected) -> None:
    path = export(
        tmp_path / "hw",
        "gone:\n  :submitters:\n  - :sid: '1'\nnobody:\n  :submitters: []\nnothing:\n"
        "here:\n  :submitters:\n  - :sid: '2'\n",
        *("nobody", "nothing", "here", "extra"),
    )
    collection = collected(path)
    assert problems(collection) == {
        "1": "submission_metadata.yml speaks of gone, which is not in the export.",
        "2": "",
    }
    assert refusals(collection) == [
        "nobody: submission_metadata.yml names nobody who handed it in",
        "nothing: submission_metadata.yml names nobody who handed it in",
        "extra: submission_metadata.yml does not speak of it",
    ]


def test_an_accent_may_be_written_in_two_ways(tmp_path: Path, collected: Collected) -> None:
    path = export(tmp_path / "hw", "Zo\u00eb:\n  :submitters:\n  - :sid: '1'\n", "Zoe\u0308")
    assert problems(collected(path)) == {"1": ""}


@pytest.mark.parametrize(
    ("metadata", "says"),
    [
        ("", "it is no list of submissions by folder"),
        ("- a\n", "it is no list of submissions by folder"),
        ("a: [b\n", "it is no YAML"),
        ("a: \udcff\n", "it is no YAML"),
        ("a: b\n", "an entry of it is no submission"),
        ("a: " + "[" * 50_000, "nest"),
        ("a: " + "{b: " * 500, "nested more than 200 deep"),
    ],
)
def test_metadata_that_cannot_be_read_are_one_sentence(
    metadata: str, says: str, tmp_path: Path, collected: Collected
) -> None:
    with pytest.raises(UserError, match=says) as caught:
        collected(export(tmp_path / "hw", metadata, "a"))
    assert "\n" not in str(caught.value)


def test_aliases_that_multiply_cost_nothing(tmp_path: Path, collected: Collected) -> None:
    laughs = "s1:\n  :submitters:\n  - :sid: '1'\n  l0: &l0 [ha]\n" + "".join(
        f"  l{place}: &l{place} [{', '.join([f'*l{place - 1}'] * 9)}]\n" for place in range(1, 40)
    )
    assert problems(collected(export(tmp_path / "hw", laughs, "s1"))) == {"1": ""}


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2026-03-01 12:00:00.123456789 Z", datetime(2026, 3, 1, 12, 0, 0, 123456, UTC)),
        ("2026-03-01 12:00:00 UTC\n", NOON),
        ("2026-03-01T13:00:00+01:00", NOON),
        ("2026-03-01 13:00 Europe/Vienna", NOON),
        ("2026-03-01 12:00:00", None),
        ("2026-03-01 12:00:00 EST", None),
        ("2026-03-01 12:00:00 ../../etc/passwd", None),
        ("2026-02-31 12:00:00 Z", None),
        ("2026-03-01 12:00:00 +99:99", None),
        ("noon", None),
        ("", None),
    ],
)
def test_only_times_with_a_zone_are_times(written: str, time: datetime | None) -> None:
    assert moment(written) == time
