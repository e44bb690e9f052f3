"""The Markdown of lessons and questions becomes HTML in which nothing is lost and nothing can run."""

import re
from collections import Counter
from functools import cache
from html import unescape
from html.parser import HTMLParser

import pytest
from contrast import contrast

from grader.course.headings import headings
from grader.course.load import load_course
from grader.render.page import style_sheet
from grader.site.highlighting import code_html, highlight_css
from grader.site.text import LessonText, inline, lesson_text, prose

COURSE = load_course()
WORD = re.compile(r"[^\W\d_]\w+")
lessons = pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda lesson: lesson.slug)


@cache
def read(slug: str) -> LessonText:
    return lesson_text(COURSE.lesson(slug).page.read_text("utf-8"))


def whole(page: LessonText) -> str:
    sections = [f"<h2>{section.title}</h2> {section.html}" for section in page.sections]
    return " ".join([f"<h1>{page.title}</h1>", page.opening, *sections])


def visible(html: str) -> str:
    """The text of HTML, without formulas."""
    return unescape(re.sub(r"<[^>]*>", "", re.sub(r"<math.*?</math>", "", html, flags=re.DOTALL)))


def written(markdown: str) -> str:
    """The text of Markdown, without formulas, addresses and the languages of code."""
    pieces = re.split(r"(```.*?```|`[^`]*`)", markdown, flags=re.DOTALL)
    prose_only = [re.sub(r"\]\([^)]*\)", "", re.sub(r"\$+.+?\$+", "", piece, flags=re.DOTALL)) for piece in pieces[::2]]
    code = [re.sub(r"^```\w*", "", piece) for piece in pieces[1::2]]
    return "".join(text + snippet for text, snippet in zip(prose_only, [*code, ""], strict=True))


class Tags(HTMLParser):
    """The tags of a text, and what their attributes are."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


# Lessons


@lessons
def test_anchors_are_those_that_the_rest_of_the_course_links_to(lesson):
    page = read(lesson.slug)
    expected = headings(lesson.page.read_text("utf-8"))
    found = [(1, page.anchor)]
    for section in page.sections:
        found += [(2, section.anchor), *((3, part.anchor) for part in section.parts[1:])]
        assert section.parts[0].anchor == ""
        assert [f'id="{part.anchor}"' in section.html for part in section.parts[1:]] == [True] * len(section.parts[1:])
    assert found == [(heading.level, heading.anchor) for heading in expected if heading.level <= 3]


@lessons
def test_no_word_of_a_lesson_is_lost_and_none_is_added(lesson):
    shown = Counter(WORD.findall(visible(whole(read(lesson.slug)))))
    assert shown == Counter(WORD.findall(written(lesson.page.read_text("utf-8"))))
    assert sum(shown.values()) > 2000


@lessons
def test_the_parts_of_a_section_are_the_whole_of_it(lesson):
    for section in read(lesson.slug).sections:
        with_headings = (f"{part.title}\n{part.html}" for part in section.parts)
        assert visible("".join(with_headings)).split() == visible(section.html).split()


@lessons
def test_no_formula_is_left_as_tex(lesson):
    text = visible(re.sub(r"<code.*?</code>", "", whole(read(lesson.slug)), flags=re.DOTALL))
    assert "\\" not in text
    assert "$" not in text


@lessons
def test_nothing_needs_a_style_attribute_or_a_script(lesson):
    tags = Tags(whole(read(lesson.slug))).found
    assert not any("style" in attributes or tag in ("script", "img", "style") for tag, attributes in tags)


@lessons
def test_what_can_be_wider_than_a_screen_is_scrolled_by_keyboard_and_has_a_name(lesson):
    html = whole(read(lesson.slug))
    for tag, attributes in Tags(html).found:
        if tag == "pre" or attributes.get("class") in ("formula", "scroll", "long"):
            assert (attributes["tabindex"], attributes["role"]) == ("0", "group")
            assert attributes["aria-label"] in ("Code", "Formula", "Table")
    assert html.count("<table>") == html.count('<div class="scroll"')
    assert html.count('<math display="block">') == html.count('class="formula"')


@lessons
def test_python_is_highlighted(lesson):
    blocks = re.findall(r"<pre.*?</pre>", whole(read(lesson.slug)), re.DOTALL)
    assert any(re.search(r'<span class="k">(import|for)\b', block) for block in blocks)


def test_a_lesson_is_cut_at_its_headings():
    page = lesson_text(
        "# The `T` of $x$\n\nopening\n\n## One\n\nfirst\n\n### A *b*\n\nsecond\n\n## One\n\n#### Deep\n\nlast\n"
    )
    assert (page.anchor, page.words) == ("the-t-of-x", "The T of x")
    assert page.title.startswith("The <code>T</code> of <math>")
    assert page.opening == "<p>opening</p>\n"
    assert [section.anchor for section in page.sections] == ["one", "one-1"]
    one, other = page.sections
    assert one.html == '<p>first</p>\n<h3 id="a-b">A <em>b</em></h3>\n<p>second</p>\n'
    assert [(part.anchor, part.title, part.words, part.html) for part in one.parts] == [
        ("", "", "", "<p>first</p>\n"),
        ("a-b", "A <em>b</em>", "A b", "<p>second</p>\n"),
    ]
    assert other.html == '<h4 id="deep">Deep</h4>\n<p>last</p>\n'


def test_windows_line_ends_change_nothing():
    markdown = "# T\n\n## S\n\ntext\n\n```python\nx = 1\n```\n"
    assert lesson_text(markdown.replace("\n", "\r\n")) == lesson_text(markdown)


# Links


@pytest.mark.parametrize(
    ("address", "leads_to"),
    [
        ("#stability", "#stability"),
        ("lessons/heads/lesson.md#how-many", "heads.html#how-many"),
        ("../heads/lesson.md#how-many", "heads.html#how-many"),
        ("../../lessons/heads/lesson.md", "heads.html"),
        ("https://example.org/lessons/heads/lesson.md", "https://example.org/lessons/heads/lesson.md"),
    ],
)
def test_links_to_lessons_lead_to_their_pages(address, leads_to):
    ((tag, attributes),) = Tags(inline(f"[there]({address})")).found
    assert (tag, attributes["href"]) == ("a", leads_to)


# Hostile text

HOSTILE = [
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "<!-- <b> -->",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](javascript&#58;alert(1))",
    "[x]( javascript:alert(1) )",
    "[x](<java\tscript:alert(1)>)",
    "[x](vbscript:x) [y](data:text/html,<script>alert(1)</script>) [z](file:///etc/passwd)",
    "<javascript:alert(1)>",
    "![x](https://example.org/track.png)",
    '[x](https://example.org "\\" onmouseover=\\"alert(1)")',
    "[x]: javascript:alert(1)\n\n[x]",
    '```"><script>alert(1)</script>\nx\n```',
    "```python\n</code></pre><script>alert(1)</script>\n```",
    "`</code><script>alert(1)</script>`",
    "$\\text{</math><script>alert(1)</script>}$",
    "$$\\href{javascript:alert(1)}{x}$$",
    '$\\class{a" onclick="alert(1)}{x}$',
    "| <script> | b |\n|---|---|\n| <img src=x> | $\\foo$ |\n",
    "<style>*{display:none}</style>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_neither_runs_nor_loads_nor_leads_anywhere_unsafe(text):
    allowed = {"href", "title", "rel", "class", "tabindex", "role", "aria-label", "scope", "encoding", "id", "display"}
    for html in (prose(text), inline(text), lesson_text(f"# T\n\n{text}\n\n## S\n\n{text}\n").sections[0].html):
        for tag, attributes in Tags(html).found:
            assert tag not in ("script", "img", "style", "iframe", "object", "svg")
            assert set(attributes) <= allowed
            assert (attributes.get("href") or "https:").startswith(("https:", "#"))


def test_markup_is_shown_as_it_was_written():
    assert visible(inline("the token <s> & </s>")) == "the token <s> & </s>"


def test_commands_to_the_screen_are_spelled_out():
    for html in (inline("a\x1b[31mb\u202e"), prose("```\na\x1b[31mb\u202e\n```"), code_html("a\x1b[31mb\u202e")):
        assert visible(html).strip() == "a\\x1b[31mb\\u202e"


# Pieces


def test_one_line_has_no_paragraph_around_it():
    assert inline("`x` and *y*") == "<code>x</code> and <em>y</em>"


def test_a_question_has_no_headings():
    assert prose("# no heading\n\nnor this\n====\n") == "<p># no heading</p>\n<p>nor this\n====</p>\n"


def test_a_formula_that_cannot_be_read_is_shown_as_written():
    assert inline(r"so $\foo{1}$ it is") == r"so <code>\foo{1}</code> it is"


def test_header_cells_say_what_they_head():
    tags = Tags(prose("| | a | $T$ |\n|---|--:|---|\n| r | 1 | 2 |\n")).found
    assert [(tag, attributes.get("scope")) for tag, attributes in tags if tag in ("th", "td")] == [
        ("td", None), ("th", "col"), ("th", "col"), ("th", "row"), ("td", None), ("td", None),
    ]  # fmt: skip
    assert ("td", {"class": "right"}) in tags
    assert ("math", {"aria-label": "T"}) in tags


def test_a_long_formula_in_a_line_can_be_scrolled():
    assert inline("$a + b$").startswith("<math>")
    assert inline("$a + b + c + d + e + f + g + h + i + j + k + l + m$").startswith('<span class="long" tabindex="0"')


# Code


def test_code_is_marked_and_nothing_of_it_changes():
    source = '@cache\ndef f(x):  # why\n\n    return f"{x!r} <b>" if x else len([1.5])\n'
    html = code_html(source)
    assert visible(html) == source
    for marked in ('<span class="k">def', '<span class="f">f<', '<span class="c"># why', '<span class="m">1.5<'):
        assert marked in html


@pytest.mark.parametrize("language", ["", "text", "no-such-language"])
def test_other_text_stays_unmarked(language):
    assert code_html("a <b\n  c", language) == (
        '<pre class="code" tabindex="0" role="group" aria-label="Code"><code class="plain">a &lt;b\n  c\n</code></pre>'
    )


def test_the_colours_of_code_can_be_read_in_light_and_in_dark():
    light, dark = highlight_css().split("@media screen and (prefers-color-scheme: dark)")
    grounds = re.findall(r"--soft: (#[0-9a-f]{6})", style_sheet())[:2]
    for css, ground in zip((light, dark), grounds, strict=True):
        colours = dict(re.findall(r"\.code \.(\w) \{ color: (#[0-9a-f]{6}); \}", css))
        assert set(colours) == set("cksmfb")
        for name, colour in colours.items():
            assert contrast(colour, ground) >= 4.5, name


@pytest.mark.parametrize("around", ["{}.", "{}, and", "({} alone", "({})."])
def test_no_line_begins_with_what_ends_a_formula_or_ends_with_what_opens_one(around):
    html = prose(around.format("$x$"))
    assert re.search(r'<span class="together">\(?<math>.*</math>[.,;:!?)]*</span>', html)
