"""YAML is read as 1.2, with duplicate keys refused and lines kept."""

import math
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from grader.course import yaml12
from grader.course.mistakes import Mistake


def read(path: Path, text: str | bytes, loader: type[Any] = yaml12.CoreLoader) -> tuple[Any, list[Mistake]]:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    mistakes: list[Mistake] = []
    node = yaml12.read_nodes(path, mistakes, loader)
    return (None if node is None or mistakes else yaml12.plain(node)), mistakes


@pytest.fixture(params=[yaml12.CoreLoader, yaml12.core_loader(yaml.SafeLoader)], ids=["compiled", "pure-python"])
def loader(request: pytest.FixtureRequest) -> type[Any]:
    return request.param  # type: ignore[no-any-return]  # pytest types parameters as Any


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e-5", 1e-5),
        ("1E3", 1000.0),
        (".5", 0.5),
        ("1.", 1.0),
        ("-.inf", -math.inf),
        ("12", 12),
        ("-7", -7),
        ("0o17", 15),
        ("0x1F", 31),
        ("017", 17),
        ("true", True),
        ("FALSE", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("12:30", "12:30"),
        ("2026-03-01", "2026-03-01"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("<<", "<<"),
        ("'12'", "12"),
        ("!!str 12", "12"),
        ("tRUE", "tRUE"),
        ("1e", "1e"),
    ],
)
def test_a_scalar_means_what_yaml_1_2_says(tmp_path: Path, loader: type[Any], text: str, value: object) -> None:
    data, mistakes = read(tmp_path / "a.yaml", f"key: {text}\n", loader)
    assert mistakes == []
    assert data["key"] == value
    assert type(data["key"]) is type(value)


def test_nan_is_a_number(tmp_path: Path) -> None:
    data, _ = read(tmp_path / "a.yaml", "key: .nan\n")
    assert math.isnan(data["key"])


def test_a_repeated_key_is_named_with_both_lines(tmp_path: Path, loader: type[Any]) -> None:
    path = tmp_path / "a.yaml"
    _, mistakes = read(path, "a: 1\nb:\n  c: 1\n  c: 2\na: 3\n", loader)
    assert mistakes == [
        Mistake(path, 5, "the key `a` is here a second time (first in line 1); keep one"),
        Mistake(path, 4, "the key `c` is here a second time (first in line 3); keep one"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a: [1, 2\nb: 3\n", 2, "this is not YAML"),
        ("a: 1\n---\nb: 2\n", 2, "this is not YAML"),
        ("a: b: c\n", 1, "this is not YAML"),
        ("", 0, "the file is empty"),
        ("# only a comment\n", 0, "the file is empty"),
        ("a: 1\n? [x, y]\n: 2\n", 2, "a key must be plain text"),
        ("a: !!python/name:os.system x\n", 1, "the tag tag:yaml.org,2002:python/name:os.system is not used here"),
        ("a: !!int twelve\n", 1, "this value cannot be read"),
        ("a: !!bool perhaps\n", 1, "this value cannot be read"),
        ("a: &a [*a]\n", 1, "this node contains itself"),
        (b"a: 1\nb: caf\xe9\n", 2, "this line is not UTF-8"),
        (b"a: \x00\n", 0, "this is not YAML"),
    ],
)
def test_what_cannot_be_read_is_a_mistake_with_a_line(tmp_path: Path, text: str | bytes, line: int, part: str) -> None:
    _, mistakes = read(tmp_path / "a.yaml", text)
    assert len(mistakes) == 1
    assert mistakes[0].line == line
    assert mistakes[0].says.startswith(part)


def test_a_missing_file_is_a_mistake(tmp_path: Path) -> None:
    mistakes: list[Mistake] = []
    assert yaml12.read_nodes(tmp_path / "none.yaml", mistakes) is None
    assert [str(mistake) for mistake in mistakes] == [f"{tmp_path / 'none.yaml'}: the file is missing"]


def test_a_file_that_nests_without_end_is_a_mistake(tmp_path: Path) -> None:
    _, mistakes = read(tmp_path / "a.yaml", "[" * 5000 + "]" * 5000)
    assert len(mistakes) == 1


def test_an_alias_repeats_a_node(tmp_path: Path) -> None:
    data, mistakes = read(tmp_path / "a.yaml", "a: &names [x, y]\nb: *names\n")
    assert mistakes == []
    assert data == {"a": ["x", "y"], "b": ["x", "y"]}


@given(st.floats(allow_nan=False, allow_infinity=False) | st.integers() | st.booleans() | st.none())
def test_what_python_writes_is_read_back(value: object) -> None:
    text = (
        {True: "true", False: "false", None: "null"}[value]
        if value is None or value is True or value is False
        else None
    )
    node = yaml.compose(text or repr(value), Loader=yaml12.CoreLoader)
    assert yaml12.plain(node) == value
    assert type(yaml12.plain(node)) is type(value)
