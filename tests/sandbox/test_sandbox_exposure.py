"""What workers may read is named piece by piece, so that nothing of ours lies within reach."""

import json
import sys
from pathlib import Path

import pytest

from grader.sandbox.inside.lockdown.exposure import Tree, readable_trees
from grader.sandbox.inside.lockdown.packages import package_entries
from grader.sandbox.inside.setup import Announcement, Setup

if sys.platform != "linux":
    pytest.skip("only Linux opens folders one by one", allow_module_level=True)

REFUSED = frozenset({"grader", "reference"})


def install(folder: Path, name: str, *requires: str, record: bool = True) -> None:
    """A distribution with one package of its name and one module."""
    package = folder / name.replace("-", "_")
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    info = folder / f"{package.name}-1.0.dist-info"
    info.mkdir()
    lines = [f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0", *(f"Requires-Dist: {each}" for each in requires)]
    (info / "METADATA").write_text("\n".join(lines) + "\n")
    if record:
        (info / "RECORD").write_text(f"{package.name}/__init__.py,,\n../../../bin/{name},,\n{info.name}/METADATA,,\n")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A Python's library with its packages beneath it, ours among them."""
    site = tmp_path / "lib" / "python3.11" / "site-packages"
    (site / "grader" / "suites").mkdir(parents=True)
    (site / "reference").mkdir()
    (site.parent / "json").mkdir()
    (site.parent / "abc.py").touch()
    install(site, "torch", "sympy>=1.13", "typing-extensions", "absent", 'optree; extra == "optree"')
    install(site, "sympy", "mpmath<2,>=1", record=False)
    install(site, "mpmath")
    install(site, "typing-extensions")
    install(site, "numpy")
    install(site, "optree")
    install(site, "private")
    return site


def test_packages_are_those_that_torch_and_numpy_require(site: Path) -> None:
    found = {Path(path).name for path in package_entries([str(site)], REFUSED)}
    assert found == {"torch", "sympy", "mpmath", "typing_extensions", "numpy"}


def test_our_packages_are_never_among_them(site: Path) -> None:
    install(site, "helper")
    (site / "torch-1.0.dist-info" / "RECORD").write_text("torch/__init__.py,,\ngrader/__init__.py,,\n")
    assert not {"grader", "helper"} & {Path(path).name for path in package_entries([str(site)], REFUSED)}


def test_a_library_is_opened_without_the_packages_beneath_it(site: Path) -> None:
    packages = package_entries([str(site)], REFUSED)
    trees = readable_trees([str(site.parent)], packages, [str(site / "grader"), str(site / "reference")])
    library = next(tree for tree in trees if tree.path == str(site.parent))
    assert library.hidden == (str(site),)
    opened = {path for tree in trees for path in tree.openings()}
    assert {str(site.parent / "json"), str(site.parent / "abc.py"), str(site / "torch")} <= opened
    assert not any(str(site / "grader").startswith(path) or path.startswith(str(site / "private")) for path in opened)


def test_what_lies_behind_a_link_is_opened_under_both_names(site: Path, tmp_path: Path) -> None:
    link = tmp_path / "torch"
    link.symlink_to(site / "torch")
    paths = [tree.path for tree in readable_trees([], [str(link)], [])]
    assert {str(link), str(site / "torch")} <= set(paths)


def test_a_secret_within_reach_is_an_error(site: Path) -> None:
    with pytest.raises(ValueError, match="which submitted code may read"):
        readable_trees([], [str(site / "torch")], [str(site / "torch" / "grader")])


def test_a_secret_may_hold_what_is_opened(site: Path) -> None:
    trees = readable_trees([], [str(site / "torch")], [str(site.parents[2])])
    assert str(site / "torch") in [tree.path for tree in trees]


def test_outer_folders_come_before_inner_ones() -> None:
    trees = readable_trees([str(Path(json.__file__).parents[1])], [], [])
    paths = [tree.path for tree in trees]
    assert paths == sorted(paths)
    assert any(path.endswith("ld.so.cache") or "/lib" in path for path in paths)


def test_nothing_hidden_opens_the_whole_tree() -> None:
    assert list(Tree("/anywhere").openings()) == ["/anywhere"]


def test_what_is_told_to_a_zygote_and_by_it_survives_the_way() -> None:
    setup = Setup(3, 0, "/home", ("a", "b"), secret=("c",), without=("landlock",), landlock_most=2)
    assert Setup.from_json(setup.to_json()) == setup
    announcement = Announcement(("rlimits",), {"seccomp": "switched off"}, 4)
    assert Announcement.from_json(announcement.to_json()) == announcement
