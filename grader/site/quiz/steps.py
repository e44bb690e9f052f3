"""The steps of a question that asks for their order: taken out of its text, so that each can be given a place."""

from __future__ import annotations

import re
import textwrap

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

from grader.review.questions.model import Drawn

_TYPE_NUMBERS = re.compile(r"\s*\bType the\s+numbers\.")
_NUMBER = re.compile(r"\s*\d+[.)]\s+")


def split_steps(drawn: Drawn) -> tuple[str, tuple[str, ...]]:
    """The text of the question without its list, and the steps in the order of their numbers, all in Markdown.

    No steps where the text has no list of as many as the answer orders.
    """
    lines = drawn.prompt.splitlines()
    answer = drawn.question.answer
    count = len(answer) if isinstance(answer, tuple) else 0
    for node in SyntaxTreeNode(MarkdownIt("commonmark").parse(drawn.prompt)).children:
        if node.type == "ordered_list" and len(node.children) == count and node.map and "start" not in node.attrs:
            first, last = node.map
            steps = tuple(_text(lines[slice(*item.map)]) for item in node.children if item.map)
            return unasked("\n".join([*lines[:first], *lines[last:]])), steps
    return drawn.prompt, ()


def unasked(text: str) -> str:
    """The text without the request to type numbers, which a page does not make."""
    return _TYPE_NUMBERS.sub("", text).strip()


def _text(lines: list[str]) -> str:
    first, *rest = lines
    return "\n".join([_NUMBER.sub("", first, count=1), textwrap.dedent("\n".join(rest))]).strip()
