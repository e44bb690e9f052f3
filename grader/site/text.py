"""A lesson's Markdown, and that of the questions, as HTML: formulas, marked code, tables, links between lessons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import unescape
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup, escape
from mdit_py_plugins.dollarmath import dollarmath_plugin

from grader.course.headings import headings
from grader.render.page import shown
from grader.review.questions.math_text import math_text
from grader.review.questions.plain import plain
from grader.site.highlighting import code_html
from grader.site.mathml import UnreadableFormula, mathml

_LESSON = re.compile(r"(?:\.\./|(?:\.{1,2}/)*lessons/)(?P<slug>[\w-]+)/lesson\.md(?P<anchor>#.*)?")
_SCHEME = re.compile(r"(?P<scheme>[^:/?#]*):")
_SCHEMES = frozenset({"http", "https", "mailto"})
_ALIGNED = re.compile(r"text-align:(left|right|center)")
_UNSEEN = re.compile(r"<annotation.*?</annotation>|<[^>]*>", re.DOTALL)
_TOUCHED = re.compile(r"\(*<math>(?:(?!</math>).)*</math>[.,;:!?)]+|\(+<math>(?:(?!</math>).)*</math>", re.DOTALL)
"""A formula with what belongs to it: a browser would begin a line with the full stop, or end one with the bracket."""
_MOST_IN_A_LINE = 24
"""Symbols of a formula that fit into a line of the narrowest screens: a browser breaks no formula."""
_HEADINGS = ("heading", "lheading")
_NEVER = ("image",)
"""The pages load nothing, so an image would stay empty."""


@dataclass(frozen=True, slots=True)
class Part:
    """What stands under one level-3 heading, or before the first: then title, words and anchor are empty.

    title: as it is shown; words: the same without markup; html: without the heading.
    """

    anchor: str
    title: Markup
    words: str
    html: Markup


@dataclass(frozen=True, slots=True)
class Section:
    """One level-2 heading and all until the next. html: all of it but that heading; parts: the same, cut at level 3."""

    anchor: str
    title: Markup
    words: str
    html: Markup
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class LessonText:
    """A lesson's page. anchor: of the level-1 heading; opening: what stands before the first section."""

    anchor: str
    title: Markup
    words: str
    opening: Markup
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class _Heading:
    anchor: str
    title: Markup
    words: str


_UNTITLED = _Heading("", Markup(""), "")


def lesson_text(markdown: str) -> LessonText:
    """The page in its sections. Anchors are those of `grader.course.headings`."""
    page = _clean(markdown)
    tokens = _parser().parse(page)
    anchors = {heading.line: heading.anchor for heading in headings(page)}
    for token in tokens:
        if token.type == "heading_open" and token.map and (anchor := anchors.get(token.map[0] + 1)):
            token.attrSet("id", anchor)
    title = _UNTITLED
    opening: list[Token] = []
    for heading, body in _cut(tokens, "h1"):
        title = heading if title is _UNTITLED else title
        opening += body
    (_, before), *rest = _cut(opening, "h2")
    sections = tuple(
        Section(
            heading.anchor, heading.title, heading.words, _rendered(body),
            tuple(Part(h3.anchor, h3.title, h3.words, _rendered(inner)) for h3, inner in _cut(body, "h3")),
        )
        for heading, body in rest
    )  # fmt: skip
    return LessonText(title.anchor, title.title, title.words, _rendered(before), sections)


def prose(markdown: str) -> Markup:
    """A block of Markdown: a question's prompt, an explanation, feedback. It holds no headings."""
    return _unparted(_parser(with_headings=False).render(_clean(markdown)))


def inline(markdown: str) -> Markup:
    """One line of Markdown, without a paragraph around it: an option, an idea, a title."""
    return _unparted(_parser(with_headings=False).renderInline(_clean(markdown)))


def _unparted(page: str) -> Markup:
    return Markup(_TOUCHED.sub(r'<span class="together">\g<0></span>', page))


def _clean(markdown: str) -> str:
    return shown(markdown.replace("\r\n", "\n"))


def _cut(tokens: Sequence[Token], tag: str) -> Iterator[tuple[_Heading, list[Token]]]:
    """What stands before the first heading of that level, then each heading with what follows it."""
    heading, body = _UNTITLED, list[Token]()
    place = 0
    while place < len(tokens):
        token = tokens[place]
        if token.type == "heading_open" and token.tag == tag and token.level == 0:
            yield heading, body
            heading, body = _heading(token, tokens[place + 1]), []
            place += 3
        else:
            body.append(token)
            place += 1
    yield heading, body


def _heading(opened: Token, content: Token) -> _Heading:
    parser = _parser()
    title = Markup(parser.renderer.render([content], parser.options, {}))
    return _Heading(str(opened.attrGet("id") or ""), title, plain(content.content))


def _rendered(tokens: Sequence[Token]) -> Markup:
    parser = _parser()
    return _unparted(parser.renderer.render(tokens, parser.options, {}))


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802  # the name that the library asks for
        """Whether an address may be led to. What is not linked stands on the page as it was written."""
        scheme = _SCHEME.match(url.strip())
        return scheme is None or scheme["scheme"].lower() in _SCHEMES


@cache
def _parser(*, with_headings: bool = True) -> MarkdownIt:
    parser = _Parser("commonmark", {"html": False}).enable("table").disable(_NEVER)
    if not with_headings:
        parser.disable(_HEADINGS)
    dollarmath_plugin(parser, double_inline=True)
    parser.core.ruler.push("tables", lambda state: _head_tables(state.tokens))
    parser.core.ruler.push("links", lambda state: _lead_to_pages(state.tokens))
    for name, rule in {
        "fence": _code, "code_block": _code, "math_inline": _formula, "math_inline_double": _long_formula,
        "math_block": _block_formula, "math_block_label": _block_formula, "table_open": _table, "table_close": _table,
    }.items():  # fmt: skip
        parser.add_render_rule(name, rule)
    return parser


def _lead_to_pages(tokens: Sequence[Token]) -> None:
    """Links to the Markdown of a lesson go to its page, which lies in one folder with all the others."""
    for token in tokens:
        for child in token.children or ():
            if child.type != "link_open":
                continue
            address = str(child.attrGet("href"))
            if lesson := _LESSON.fullmatch(address):
                child.attrSet("href", f"{lesson['slug']}.html{lesson['anchor'] or ''}")
            elif _SCHEME.match(address) or address.startswith("//"):
                child.attrSet("rel", "noreferrer")


def _head_tables(tokens: Sequence[Token]) -> None:
    """Header cells say what they are the header of. Where the corner is empty, the first column heads the rows.

    Alignment becomes a class, since the policy of the pages forbids style attributes.
    """
    in_head = corner_empty = False
    column = 0
    for place, token in enumerate(tokens):
        if token.type in ("thead_open", "thead_close"):
            in_head = token.type == "thead_open"
        elif token.type == "tr_open":
            column = 0
        elif token.type in ("th_open", "td_open"):
            content, closing = tokens[place + 1], tokens[place + 2]
            empty = not content.content
            if in_head and column == 0:
                corner_empty = empty
            if in_head and empty:
                token.tag = closing.tag = "td"
            elif in_head:
                token.attrSet("scope", "col")
            elif column == 0 and corner_empty:
                token.tag = closing.tag = "th"
                token.attrSet("scope", "row")
            if token.tag == "th":
                for child in content.children or ():
                    child.meta["in header"] = True
            if aligned := _ALIGNED.fullmatch(str(token.attrs.pop("style", ""))):
                token.attrSet("class", aligned[1])
            column += 1


def _table(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    if tokens[place].type == "table_open":
        return '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>\n'
    return "</table></div>\n"


def _code(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    words = tokens[place].info.split()
    return f"{code_html(tokens[place].content, words[0] if words else '')}\n"


def _formula(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    formula = _math(tokens[place].content, display=False)
    if "in header" in tokens[place].meta:  # readers that skip formulas would find a header cell empty
        return str(formula).replace("<math>", f'<math aria-label="{escape(math_text(tokens[place].content))}">', 1)
    if len(unescape(_UNSEEN.sub("", formula))) <= _MOST_IN_A_LINE:
        return str(formula)
    return f'<span class="long" tabindex="0" role="group" aria-label="Formula">{formula}</span>'


def _long_formula(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    return _scrolled("span", tokens[place].content)


def _block_formula(_: Any, tokens: Sequence[Token], place: int, *__: Any) -> str:
    return _scrolled("div", tokens[place].content) + "\n"


def _scrolled(tag: str, tex: str) -> str:
    inner = _math(tex, display=True)
    return f'<{tag} class="formula" tabindex="0" role="group" aria-label="Formula">{inner}</{tag}>'


def _math(tex: str, *, display: bool) -> Markup:
    """A formula, or its TeX as written where it cannot be read: a question stays a question without it."""
    try:
        return mathml(tex, display=display)
    except UnreadableFormula:
        return Markup("<code>{}</code>").format(escape(tex.strip()))
