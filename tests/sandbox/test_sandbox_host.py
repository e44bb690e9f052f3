"""Machines that offer less, or are in trouble: the level drops or a fault is raised, and nothing is judged by it."""

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.sandbox import Call, ForkFailed, Returned, Worker, WorkerFailed, Zygote, ZygoteDied
from grader.sandbox.inside.lockdown import cgroup, landlock, survey, system
from grader.sandbox.inside.lockdown.identity import unused_id
from grader.sandbox.inside.setup import Setup
from grader.sandbox.proof import prove

ROOT = Path(__file__).parents[2]

if sys.platform != "linux":
    pytest.skip("Linux's layers", allow_module_level=True)


@pytest.fixture
def setup(tmp_path: Path) -> Setup:
    """As small as it gets."""
    return Setup(0, 0, str(tmp_path), ())


@pytest.mark.parametrize("newest", [1, 3])
def test_older_versions_of_landlock_do(newest: int) -> None:
    if landlock.version() < newest:
        pytest.skip("older than that here")
    with Zygote(without=frozenset({"namespaces"}), landlock_most=newest) as zygote:
        found = prove(zygote)
        assert (found.level, found.landlock, found.broken) == ("standard", newest, ())


def test_a_back_port_without_scopes_does(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, ...]] = []

    def create(*fields: int) -> int:
        asked.append(fields)
        if len(fields) == 3:
            raise OSError(errno.EINVAL, "no such scope")
        return 99

    monkeypatch.setattr(landlock, "_create_with", create)
    assert landlock._create(6, 0b111) == 99
    assert [len(fields) for fields in asked] == [3, 3, 2]
    asked.clear()
    assert [landlock._create(version, 1) for version in (1, 4)] == [99, 99]
    assert [len(fields) for fields in asked] == [1, 2]


def test_a_kernel_without_landlock_has_version_0(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(*_: object) -> int:
        raise OSError(errno.ENOSYS, "no such call")

    monkeypatch.setattr(system, "syscall", missing)
    assert landlock.version() == 0


def test_no_user_namespaces_leave_the_others(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(_: int) -> None:
        raise OSError(errno.EPERM, "unshare: Operation not permitted")

    monkeypatch.setattr(system, "unshare", forbidden)
    found = survey.survey(setup)
    assert not found.namespaces
    assert "Operation not permitted" in found.off["namespaces"]
    assert found.seccomp == ("seccomp" not in found.off)


def test_namespaces_in_which_nothing_can_be_mounted_are_no_namespaces(
    setup: Setup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise OSError(errno.EACCES, "mount: Permission denied")

    monkeypatch.setattr(system, "mount", forbidden)
    found = survey.survey(setup)
    assert not found.namespaces
    assert found.off["namespaces"]


def test_a_filter_that_lets_everything_pass_is_no_filter(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.sandbox.inside.lockdown.seccomp.Filter.install", lambda *_: None)
    found = survey.survey(setup)
    assert not found.seccomp
    assert "refuses nothing" in found.off["seccomp"]


def test_a_survey_leaves_this_process_as_it_was(setup: Setup) -> None:
    survey.survey(setup)
    assert os.fork  # the filter, had it stayed, would refuse what follows
    assert Path("/").stat()
    assert Path("/proc/self/status").read_text().count("Seccomp:\t0") == 1


def test_the_account_that_root_becomes_is_nobodys() -> None:
    found = unused_id()
    assert found is None or found not in {os.getuid(), 0, 65534}


@pytest.mark.parametrize("layers", [("namespaces",), ("namespaces", "landlock", "seccomp", "own-identity")])
def test_a_scratch_folder_that_cannot_be_used_is_a_fault(
    zygote_without: Callable[..., Zygote], layers: tuple[str, ...]
) -> None:
    zygote = zygote_without(*layers)
    zygote.announcement()

    def full(path: Path, **_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "mkdir", full)
        with pytest.raises(ForkFailed, match="No space left"):
            zygote.worker()
        patch.setattr(Path, "mkdir", lambda *_, **__: None)
        with pytest.raises(WorkerFailed, match="No such file"):
            zygote.worker()
    with zygote.worker() as worker:
        worker.load({"lab": "def f(): return 1\n"})
        assert worker.call(Call("lab", "f")) == Returned(1)


def test_with_namespaces_a_lost_disk_is_no_matter(zygote: Zygote, open_worker: Callable[..., Worker]) -> None:
    if "namespaces" not in zygote.announcement().layers:
        pytest.skip("no namespaces here")
    worker = open_worker("def f():\n    open('x', 'w').write('y')\n    return open('x').read()\n")
    assert not list(zygote._life.home.iterdir())
    assert worker.call(Call("lab", "f")) == Returned("y")


def test_no_folder_for_temporary_files_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: str) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(ZygoteDied, match="no folder for temporary files"):
        Zygote()


ELSEWHERE = """
import ctypes, os, sys
for name in "O_PATH ST_NODEV ST_RELATIME pidfd_open setresuid setresgid sched_getaffinity memfd_create".split():
    delattr(os, name)
sys.platform = "darwin"
from grader.sandbox.inside.limits import Limits
from grader.sandbox.inside.lockdown import order, survey
from grader.sandbox.inside.setup import Setup
found = survey.Survey()
plan = order.shelter(Setup(3, 0, ".", ()), found, [])
print(plan.descriptors, *order.lock_down(plan, Limits(), "folder", "worker-1", os.getppid())[0], *sorted(found.off))
"""


def test_where_linux_is_not_the_limits_of_posix_are_left() -> None:
    done = subprocess.run([sys.executable, "-c", ELSEWHERE], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.split() == ["[]", "rlimits", "cgroup", "landlock", "namespaces", "own-identity", "seccomp"], done


@pytest.fixture
def tree(tmp_path: Path) -> tuple[Path, Path]:
    """A tree of control groups whose middle has been handed on, and what /proc/self says of it."""
    mount, proc = tmp_path / "cgroup", tmp_path / "proc"
    own = mount / "user" / "app" / "terminal"
    own.mkdir(parents=True)
    proc.mkdir()
    (proc / "mountinfo").write_text(f"30 24 0:26 / {mount} rw,nosuid shared:4 - cgroup2 cgroup2 rw\n")
    (proc / "cgroup").write_text("0::/user/app/terminal\n")
    for folder, controllers in ((own, ""), (own.parent, "cpu memory pids"), (own.parents[1], "memory pids")):
        (folder / "cgroup.subtree_control").write_text(controllers + "\n")
        (folder / "cgroup.procs").touch()
    return own, proc


def test_the_nearest_group_that_has_been_handed_on_is_taken(tree: tuple[Path, Path]) -> None:
    own, proc = tree
    assert cgroup.delegated(proc) == own.parent
    (own.parent / "cgroup.subtree_control").write_text("cpu\n")
    assert cgroup.delegated(proc) == own.parents[1]
    (own.parents[1] / "cgroup.subtree_control").unlink()
    assert cgroup.delegated(proc) is None
    (proc / "mountinfo").write_text("30 24 0:26 / /sys rw - sysfs sysfs rw\n")
    assert cgroup.delegated(proc) is None


def test_a_worker_has_a_group_with_limits_of_its_own(tree: tuple[Path, Path]) -> None:
    """Against a folder of plain files: no machine of ours hands groups on."""
    group = tree[0]
    descriptor = os.open(group, os.O_PATH)
    (group / "worker-1").mkdir()
    for name in ("memory.max", "pids.max", "cgroup.procs"):
        (group / "worker-1" / name).touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "mkdir", lambda *_, **__: None)
        cgroup.enter_as_worker(descriptor, "worker-1", 1024)
    os.close(descriptor)
    assert (group / "worker-1" / "memory.max").read_text() == str((1024 + 256) << 20)
    assert (group / "worker-1" / "cgroup.procs").read_text() == "0"
