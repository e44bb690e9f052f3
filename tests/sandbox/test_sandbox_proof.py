"""The level is what was proved, not what was meant to be."""

import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.places import suites_folder
from grader.sandbox import WorkerFailed, Zygote, proof
from grader.sandbox.inside.setup import Announcement
from grader.sandbox.level import Level, TooWeak, level_of, require
from grader.sandbox.proof import Protection, protection_of, prove

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's")
FILES = {"read a hidden test", "list the hidden tests", "write beside the tests"}


@pytest.mark.parametrize(
    ("layers", "level"),
    [
        ({"rlimits", "seccomp", "namespaces", "landlock"}, "strong"),
        ({"seccomp", "namespaces"}, "standard"),
        ({"seccomp", "landlock"}, "standard"),
        ({"namespaces", "landlock"}, "weak"),
        ({"seccomp"}, "weak"),
        ({"process-split", "deadlines", "rlimits"}, "weak"),
    ],
)
def test_the_level_follows_from_the_layers(layers: set[str], level: Level) -> None:
    assert level_of(layers) == level


def test_less_than_standard_is_refused_unless_it_is_allowed() -> None:
    require("strong")
    require("standard")
    require("weak", allow_weak=True)
    require("weak", least="weak")
    with pytest.raises(TooWeak, match="is weak, and standard is needed"):
        require("weak")
    with pytest.raises(TooWeak):
        require("standard", least="strong")


@LINUX
def test_with_all_layers_nothing_can_be_done(zygote: Zygote) -> None:
    found = prove(zygote)
    assert [finding for finding in found.findings if not finding.held] == []
    assert found.level == level_of(found.layers)
    assert len(found.findings) == 14
    left, end = [*suites_folder().glob(".canary-*"), *suites_folder().glob(".probe-*")], time.monotonic() + 30
    while any(path.exists() for path in left) and time.monotonic() < end:
        time.sleep(0.1)  # those of another process that is at it go away by themselves
    assert not [path for path in left if path.exists()]


@LINUX
@pytest.mark.parametrize("off", ["namespaces", "landlock"])
def test_with_one_wall_down_the_other_stands(zygote_without: Callable[..., Zygote], off: str) -> None:
    found = prove(zygote_without(off))
    if {"seccomp", "namespaces", "landlock"} - set(found.layers) == {off}:
        assert (found.level, found.broken) == ("standard", ())
        assert found.off[off] == "switched off"


@LINUX
def test_with_the_filter_alone_files_lie_open_and_the_proof_says_so(zygote_without: Callable[..., Zygote]) -> None:
    found = prove(zygote_without("namespaces", "landlock", "own-identity"))
    assert found.level == "weak"
    assert {finding.name for finding in found.broken} >= FILES


def test_layers_that_hold_nothing_back_do_not_count(zygote: Zygote, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the layers are called: what could be done decides."""
    done = proof.Finding("read a hidden test", False, "it could be done")
    monkeypatch.setattr(proof, "_try", lambda *_: iter([done]))
    assert prove(zygote).level == "weak"


def test_an_attempt_that_fails_for_another_reason_proves_nothing(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    source = tmp_path / "attempts.py"
    source.write_text("def read_file(path): raise NameError(path)\n")
    monkeypatch.setattr(proof, "_SOURCE", source)
    found = prove(zygote)
    assert not any(finding.held for finding in found.findings)
    assert found.level == "weak"


def test_a_proof_is_kept_until_something_changes(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    made: list[Protection] = []

    def counted(zygote: Zygote) -> Protection:
        made.append(Protection("standard", ("rlimits",), (proof.Finding("a", True, "b"),), {"c": "d"}, 7))
        return made[-1]

    monkeypatch.setattr(proof, "prove", counted)
    cache = tmp_path / "not" / "there"
    assert protection_of(zygote, cache) == protection_of(zygote, cache) == made[0]
    assert len(made) == 1
    protection_of(zygote)
    assert len(made) == 2, "without a cache it is proved anew"
    (file,) = cache.iterdir()
    file.write_text("{")
    protection_of(zygote, cache)
    assert len(made) == 3, "a spoiled file is no proof"
    other = Announcement(("rlimits",), {}, 0)
    monkeypatch.setattr(zygote, "announcement", lambda: other)
    protection_of(zygote, cache)
    assert len(made) == 4, "a zygote that can do something else needs a proof of its own"


def test_a_cache_that_cannot_be_written_costs_the_proof_and_nothing_else(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(proof, "prove", lambda _: Protection("weak", (), ()))
    (tmp_path / "file").touch()
    assert protection_of(zygote, tmp_path / "file").level == "weak"


def test_a_worker_that_is_weaker_than_its_zygote_said_gets_no_sources(
    zygote: Zygote, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = zygote.announcement()
    more = Announcement((*said.layers, "an-invisible-wall"), said.off, said.landlock)
    monkeypatch.setattr(zygote, "announcement", lambda: more)
    monkeypatch.setattr(type(zygote._life), "announcement", lambda _: more)
    with pytest.raises(WorkerFailed, match="without an-invisible-wall"):
        zygote.worker()


def test_the_attempts_are_never_imported_by_the_grader() -> None:
    assert "grader.sandbox.attempts" not in sys.modules


def test_only_layers_that_some_machines_lack_can_be_left_off() -> None:
    with pytest.raises(ValueError, match="rlimits"):
        Zygote(without=frozenset({"rlimits"}))
