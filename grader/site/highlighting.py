"""Code with its words marked for the style sheet, and the colours for it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import groupby

from markupsafe import Markup, escape
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Token, _TokenType
from pygments.util import ClassNotFound

from grader.render.page import shown

_CLASSES = {
    Token.Comment: "c",
    Token.Keyword: "k",
    Token.Operator.Word: "k",
    Token.Literal.String: "s",
    Token.Literal.String.Interpol: "",
    Token.Literal.Number: "m",
    Token.Name.Function: "f",
    Token.Name.Class: "f",
    Token.Name.Decorator: "f",
    Token.Name.Builtin: "b",
    Token.Name.Exception: "b",
}
"""Few classes: more would make the pages heavier and the code no clearer."""
_LIGHT = {"c": "#4a5059", "k": "#6b2c9a", "s": "#0c6230", "m": "#8f3a00", "f": "#0a4f96", "b": "#005f6b"}
_DARK = {"c": "#b4bac4", "k": "#d9b5ff", "s": "#7ad893", "m": "#f5b27a", "f": "#93c5ff", "b": "#6fd3df"}


def code_html(source: str, language: str = "python") -> Markup:
    """A block of code that can be scrolled by keyboard. A language that pygments does not know is left unmarked."""
    words = _marked(shown(source.replace("\r\n", "\n")).rstrip("\n"), language)
    inner = Markup("").join(
        Markup('<span class="{}">{}</span>').format(name, text) if name else escape(text) for name, text in words
    )
    return Markup(
        '<pre class="code" tabindex="0" role="group" aria-label="Code"><code class="plain">{}\n</code></pre>'
    ).format(inner)


def highlight_css() -> str:
    """The colours of code, made to be read on the ground that `--soft` gives, in light and in dark."""
    return (
        f"{_rules(_LIGHT)}\n.code .c {{ font-style: italic; }}\n.code .k {{ font-weight: 600; }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{\n{_rules(_DARK)}\n}}\n"
    )


def _rules(colours: dict[str, str]) -> str:
    return "\n".join(f".code .{name} {{ color: {colour}; }}" for name, colour in colours.items())


def _marked(source: str, language: str) -> Iterator[tuple[str, str]]:
    """Pieces of the source with their class, neighbours of one class together; white space is in the piece before."""
    lexer = _lexer(language)
    if lexer is None:
        yield "", source
        return
    pieces: list[tuple[str, str]] = []
    for kind, text in lexer.get_tokens(source):
        blank = not text.strip()
        pieces.append((pieces[-1][0] if blank and pieces else "" if blank else _class_of(kind), text))
    whole = [(name, "".join(text for _, text in group)) for name, group in groupby(pieces, key=lambda piece: piece[0])]
    if whole:
        whole[-1] = (whole[-1][0], whole[-1][1].rstrip("\n"))
    yield from whole


def _class_of(kind: _TokenType | None) -> str:
    while kind is not None:
        if kind in _CLASSES:
            return _CLASSES[kind]
        kind = kind.parent
    return ""


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
