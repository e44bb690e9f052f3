"""Markdown with math as text for a terminal: complete without colour, and in ASCII where that is all there is."""

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.dollarmath import dollarmath_plugin

from grader.review.questions.math_text import ascii_text, math_text

_INDENT = " " * 4
_NARROWEST = 20


def plain(markdown: str, *, width: int | None = None, ascii_only: bool = False) -> str:
    """The text of a prompt, an option, feedback or an explanation, without marks of Markdown and LaTeX.

    Paragraphs are one line each, or wrapped at `width`; snippets are indented and never wrapped.
    """
    root = SyntaxTreeNode(_parser().parse(markdown))
    return _Page(width, ascii_only).text(root.children)


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    dollarmath_plugin(parser, double_inline=True)
    return parser


@dataclass(frozen=True)
class _Page:
    width: int | None
    ascii_only: bool

    def text(self, nodes: Iterable[SyntaxTreeNode]) -> str:
        return "\n\n".join(self.blocks(nodes))

    def blocks(self, nodes: Iterable[SyntaxTreeNode]) -> Iterator[str]:
        for node in nodes:
            match node.type:
                case "fence" | "code_block":
                    yield textwrap.indent(self.letters(node.content.rstrip("\n")), _INDENT)
                case "math_block":
                    yield _INDENT + self.letters(math_text(node.content))
                case "bullet_list" | "ordered_list":
                    yield self.list(node)
                case "blockquote":
                    yield from self.blocks(node.children)
                case "hr":
                    continue
                case _ if node.children:
                    yield self.wrapped(self.letters(_inline(node)))
                case _:
                    yield self.letters(node.content.strip())

    def list(self, node: SyntaxTreeNode) -> str:
        first = int(node.attrs.get("start", 1))
        items = []
        for number, item in enumerate(node.children, first):
            mark = "- " if node.type == "bullet_list" else f"{number}. "
            narrower = replace(self, width=self.width and self.width - len(mark))
            items.append(mark + textwrap.indent(narrower.text(item.children), " " * len(mark)).lstrip(" "))
        return "\n".join(items)

    def wrapped(self, text: str) -> str:
        if self.width is None:
            return text
        wrapper = textwrap.TextWrapper(max(self.width, _NARROWEST), break_long_words=False, break_on_hyphens=False)
        return "\n".join(wrapper.fill(line) for line in text.split("\n"))

    def letters(self, text: str) -> str:
        return ascii_text(text) if self.ascii_only else text


def _inline(node: SyntaxTreeNode) -> str:
    match node.type:
        case "math_inline" | "math_inline_double":
            return math_text(node.content)
        case "softbreak":
            return " "
        case "hardbreak":
            return "\n"
        case _ if node.children:
            return "".join(_inline(child) for child in node.children)
    return node.content
