"""Texts that no database holds as they are."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from grader.gradebook.texts import LONGEST_KEY, key_of, original, packed, stored, unpacked

texts = st.text(st.characters(categories=None) | st.sampled_from("\\u0\x00\ud800"))


calm = settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@calm
@given(texts)
def test_a_text_comes_back_as_it_was(text: str) -> None:
    inside = stored(text)
    assert "\x00" not in inside
    inside.encode("utf-8")
    assert original(inside) == text


@calm
@given(texts, texts)
def test_different_ids_have_different_keys(one: str, other: str) -> None:
    assert (key_of(one) == key_of(other)) is (one == other)


def test_keys_are_no_longer_than_an_index_can_hold() -> None:
    long = "\U0001f600" * 5000
    assert len(key_of(long)) == LONGEST_KEY
    assert key_of(long) != key_of(long + "x")


def test_a_record_that_was_not_packed_is_refused() -> None:
    assert unpacked(packed({"b": "\ud800", "a": [1.5]})) == {"b": "\ud800", "a": [1.5]}
    with pytest.raises(ValueError, match="no compressed JSON"):
        unpacked(b"{}")
