"""Where a gradebook is, as people write it, and what of it may be told and kept."""

import re
import sys
from pathlib import Path

import pytest
from gradebook.conftest import OPEN
from gradebook.made import Clock

from grader.errors import UserError
from grader.gradebook.book import Gradebook
from grader.gradebook.connection import as_url, without_password


@pytest.mark.parametrize(
    "url",
    ["postgresql://me:sec1@sec2@host/db", "postgresql://me:a/b@sec2@host/db", "postgresql://me:a?b@sec2@host/db",
     "postgresql://me@host/db?password=sec1@sec2", "postgresql://me:sec2@host:port/db?password=sec1"],
)  # fmt: skip
def test_a_password_with_an_at_sign_is_neither_told_nor_kept(url: str) -> None:
    for use in (as_url, without_password):
        with pytest.raises(UserError, match=r"\*\*\*|%40") as caught:
            use(url)
        assert not re.search("sec2|sec1", str(caught.value))
    assert "host" in str(caught.value) or "?" in url


def test_what_is_kept_of_a_url_has_no_password() -> None:
    kept = without_password("postgresql://me:s%40y@host/db?password=s&sslpassword=s&sslmode=require")
    assert kept == "postgresql+psycopg://me@host/db?sslmode=require"
    assert without_password("a@b@c.sqlite") == "a@b@c.sqlite"


def test_without_a_driver_it_says_how_to_install_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(
        UserError, match=r"The driver for postgresql\+psycopg is missing .* pip install 'decoder-anatomy\[postgresql\]'"
    ):
        Gradebook("postgresql://me@nowhere/db")
    with pytest.raises(UserError, match="There is no kind of database 'fancy'"):
        Gradebook("fancy://me@nowhere/db")
    with pytest.raises(UserError, match="A gradebook in memory keeps nothing"):
        Gradebook("sqlite://")


def test_a_path_is_a_file_whatever_it_is_called(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a b.sqlite", "q?x=1#%41", "postgresql:", "ü\x1b", "-"):
        with Gradebook(name, now=Clock()) as book:
            assert book.put(OPEN)
            assert book.where.isprintable()
        assert (tmp_path / name).is_file()
    assert as_url("postgres://h/d").drivername == "postgresql+psycopg"
