"""Anchors of headings are GitHub's."""

import pytest

from grader.course.headings import headings, slug


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("Layer norm", "layer-norm"),
        ("The biased variance, again!", "the-biased-variance-again"),
        ("`rms_norm` in code", "rms_norm-in-code"),
        ("Mean & variance", "mean--variance"),
        ("[A link](https://example.org/x) here", "a-link-here"),
        ("$\\sqrt{K}$ and why", "sqrtk-and-why"),
        ("3.2 Softmax", "32-softmax"),
        ("Éclair, half-way", "éclair-half-way"),
    ],
)
def test_a_heading_becomes_its_anchor(heading: str, anchor: str) -> None:
    assert slug(heading) == anchor


def test_headings_are_found_with_level_and_line() -> None:
    found = headings("# One\n\ntext\n### Two ###\r\n#no heading\n   ## Three\n    # code\n")
    assert [(each.level, each.text, each.line) for each in found] == [(1, "One", 1), (3, "Two", 4), (2, "Three", 6)]


def test_a_repeated_heading_gets_a_number() -> None:
    assert [each.anchor for each in headings("# a\n# a\n# a-1\n# a\n")] == ["a", "a-1", "a-1-1", "a-2"]


def test_code_fences_hold_no_headings() -> None:
    page = "````python\n# comment\n```\n# still code\n````\n# Real\n~~~\n# code\n```\n~~~ \n# Last\n"
    assert [each.text for each in headings(page)] == ["Real", "Last"]


def test_a_fence_that_is_never_closed_runs_to_the_end() -> None:
    assert headings("```\n# code\n") == ()
