"""No page can be made to run, to fetch or to forge anything by what stands in a submission."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_pages import overview_of, report_of, standing_of, taken

from grader.course.load import load_course
from grader.render import html
from grader.render.feedback import feedback

COURSE = load_course()
PAGES = {
    "report": lambda text: html.render(report_of(text), COURSE),
    "feedback": lambda text: feedback(standing_of(text), COURSE, text),
    "overview": overview_of,
}
HOSTILE = {
    "script": "<script>alert(1)</script>",
    "image": '"><img src=x onerror=alert(1)>',
    "single quotes": "' onmouseover='alert(1)' x='",
    "double quotes": '" autofocus onfocus="alert(1)',
    "no quotes": "x onclick=alert(1)//",
    "address": "javascript:alert(1)",
    "address of data": "data:text/html,<script>alert(1)</script>",
    "end of style": "</style><script>alert(1)</script><style>",
    "end of title": "</title></head><script>alert(1)</script>",
    "end of pre": "</pre><iframe src=//evil.example></iframe><pre>",
    "svg": "<svg/onload=alert(1)>",
    "comment": "--><!--><script>alert(1)</script>",
    "policy": '<meta http-equiv="Content-Security-Policy" content="script-src *">',
    "base": "<base href=//evil.example/>",
    "template": "{{ 7 * 7 }}{% raw %}{{ ''.__class__ }}",
    "in backticks": "`<b onclick=alert(1)>x</b>` and `",
    "entities": "&lt;script&gt;alert(1)&#60;/script&#62;",
    "many lines": "yours: <b>\n  <i>\nexpected: <u>\n <s>",
    "control characters": "\x1b]0;owned\x07\x00\x08 \u202egnp.exe\u202c \u2066x\u2069 \x9b2J",
    "half a surrogate": "\ud800<script>\udfff",
    "folders": "../../etc/passwd",
    "long": "A" * 300,
    "formula": "=cmd()|' /C calc'!A0",
}
NOT_SHOWN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


HARMLESS = ("harmless words", "", "`code`", " ")


@pytest.fixture(scope="module")
def harmless():
    return {name: taken(make(HARMLESS[0])).tags for name, make in PAGES.items()}


@pytest.fixture(scope="module")
def any_harmless():
    return {name: set().union(*(taken(make(text)).tags for text in HARMLESS)) for name, make in PAGES.items()}


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_the_tags_are_those_of_a_page_of_harmless_words_and_nothing_runs(page, text, harmless):
    source = PAGES[page](text)
    made = taken(source)
    assert made.tags == harmless[page]
    assert not {tag for tag, _ in made.tags} & {"script", "iframe", "object", "embed", "img", "link", "base", "form"}
    assert not [name for _, name, _ in made.attributes if name.startswith("on") or name in ("style", "src", "action")]
    assert all(re.match("#|feedback/[^/]+$", address) for address in made.of("href"))
    assert not NOT_SHOWN.search(source)
    source.encode("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_the_policy_forbids_scripts_and_fetching(page):
    policies = [value for value in taken(PAGES[page]("x")).of("content") if "default-src" in value]
    assert len(policies) == 1
    directives = dict(part.split(maxsplit=1) for part in policies[0].split("; "))
    assert directives.pop("style-src").startswith("'sha256-")
    assert directives == {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}


def test_a_command_is_read_as_what_it_is():
    assert r"\u202egnp.exe" in taken(PAGES["feedback"]("\u202egnp.exe")).text


@settings(max_examples=15, deadline=None)
@given(st.text(st.sampled_from("<>\"'`&;=/\\ \n\tab{}%#\x1b\u202e\ud800_.") | st.characters(), max_size=40))
def test_no_text_at_all_makes_a_tag(any_harmless, text):
    for page, make in PAGES.items():
        made = make(text)
        assert taken(made).tags <= any_harmless[page]
        assert not NOT_SHOWN.search(made)
