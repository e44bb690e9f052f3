"""Names of files for ids that no file system was made for."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.batch.naming import MAX_NAME_BYTES, file_names, shown, text_of

HOSTILE = st.one_of(
    # What matters of Unicode, the whole of which takes seconds to set up.
    st.text("aZ09 .-_/\\\0\n\x1b\u202e\ud800\udce9\u00e9\u00c9\u00df\u017f\ufb01\u2460\u738b\u0301'=+@%", max_size=20),
    st.sampled_from(["con", "CON.txt", "..", ".", "", "-rf", "a/b", "a\\b", "a.", "a ", "\udce9", "Ann", "ann", "ANN"]),
    st.text("x\u00e9\u738b", min_size=100, max_size=150),
)


@pytest.mark.parametrize(
    "name", ["00123", "ann", "Jos\u00e9 O'Neil", "=cmd()", "+41 79", "a@b.ch", "\u738b\u5c0f\u660e", "x" * 120]
)
def test_a_harmless_id_is_its_own_file_name(name: str) -> None:
    assert file_names([name]) == {name: name}


@pytest.mark.parametrize(
    ("name", "start"),
    [
        ("../../etc/passwd", "_.._etc_passwd-"),
        ("con", "student-"),
        ("LPT1.txt", "student-"),
        ("a/b", "a_b-"),
        ('a"<b>|?*:', "a__b_____-"),
        ("-rf", "rf-"),
        (".hidden", "hidden-"),
        ("dot.", "dot-"),
        ("line\nbreak\x1b[2J", "line_break__2J-"),
        ("\u202eevil", "_evil-"),
        ("\udce9", "_-"),
        ("", "student-"),
        ("n" * 200, "n" * 111 + "-"),
        ("\u738b" * 60, "\u738b" * 37 + "-"),
    ],
)
def test_any_other_id_is_cleaned_and_gets_eight_digits_of_its_hash(name: str, start: str) -> None:
    made = file_names([name])[name]
    assert made.startswith(start)
    assert len(made) == len(start) + 8


def test_ids_that_a_file_system_would_confuse_get_the_digits_too() -> None:
    names = file_names(["Ann", "ann", "Zo\u00eb", "Zoe\u0308", "bo"])
    assert names["bo"] == "bo"
    assert names["Ann"].startswith("Ann-")
    assert len({name.casefold() for name in names.values()}) == 5


def test_an_id_that_is_what_another_becomes_gets_digits_too() -> None:
    taken = file_names(["a/b"])["a/b"]
    names = file_names(["a/b", taken])
    assert len(set(names.values())) == 2


@settings(max_examples=100, deadline=None)
@given(st.lists(HOSTILE, max_size=8))
def test_no_two_ids_share_a_file_and_every_name_is_legal(ids: list[str]) -> None:
    names = file_names(ids)
    assert set(names) == set(ids)
    folded = {unicodedata.normalize("NFKC", name).casefold() for name in names.values()}
    assert len(folded) == len(names)
    for name in names.values():
        assert 0 < len(name.encode()) <= MAX_NAME_BYTES
        assert not set(name) & set('<>:"/\\|?*\0\n')
        assert name[0] not in ".- "
        assert name[-1] not in ". "
        assert name.split(".")[0].lower() not in ("con", "nul", "aux", "prn")
    assert file_names(reversed(ids)) == names


def test_text_in_a_sentence_is_one_line_without_commands() -> None:
    assert shown("a\x1b[2J\n\u202eb\udce9") == "a\\x1b[2J\\n\\u202eb\\udce9"
    assert shown("x" * 500) == "x" * 100 + "..."


def test_bytes_that_are_no_unicode_are_spelled_out() -> None:
    assert text_of("Jos\udce9 \ud800") == "Jos\\xe9 \\ud800"
