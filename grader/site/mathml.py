"""Formulas of a lesson as MathML Core: latex2mathml reads the TeX, and what browsers would draw wrongly is mended."""

from __future__ import annotations

import html
import re
from functools import lru_cache
from xml.etree.ElementTree import Element

from latex2mathml.converter import convert_to_element
from markupsafe import Markup, escape

from grader.errors import UserError
from grader.site.math_rows import mend

_TAGS = frozenset({
    "math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "mfrac", "msqrt", "mroot", "msub", "msup", "msubsup", "munder",
    "mover", "munderover", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom",
})  # fmt: skip
"""What of MathML Core a formula may be made of."""
_PARTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
_ATTRIBUTES = frozenset({
    "accent", "class", "displaystyle", "form", "linethickness", "lspace", "mathvariant", "maxsize", "minsize", "rspace",
    "scriptlevel", "stretchy", "width",
})  # fmt: skip
"""All others are dropped: browsers ignore them, or, as with `href` and `style`, they do not belong in a formula."""
_REFUSED = re.compile(r"\\(?:(?:re)?newcommand|def|newenvironment|DeclareMathOperator|href|class|style)(?![a-zA-Z])")
_UPRIGHT_LETTER = re.compile(r"\\mathrm\{(\w)\}")
_ALIGNED = re.compile(r"(\\(?:begin|end)\{)(?:aligned|align\*)\}")
_POWER_OF_TEN = re.compile(r"(?<![\w.])(-?\d+(?:\.\d+)?)e(-?\d+)(?![\w.])")

_SOURCE = Markup('<annotation encoding="application/x-tex">{}</annotation>')


class UnreadableFormula(UserError):
    """A formula is not TeX that the pages can show."""

    def __init__(self, tex: str, why: str) -> None:
        super().__init__(f"the formula `{tex.strip()}` cannot be shown: {why}. Write it with other commands.")


@lru_cache(maxsize=4096)
def mathml(tex: str, *, display: bool = False) -> Markup:
    """A formula without its dollars as a `<math>` element, its TeX kept as an annotation. Raises UnreadableFormula."""
    if refused := _REFUSED.search(tex):
        raise UnreadableFormula(tex, f"{refused[0]} is not allowed in a formula")
    source = _readable(tex.strip())
    try:
        tree = convert_to_element(source, display="block" if display else "inline")
    except Exception as fault:  # the library has no error class of its own, and raises IndexError and the like besides
        raise UnreadableFormula(tex, f"{type(fault).__name__} while reading it") from fault
    _decode(tree)
    _check(tree, tex)
    mend(tree, display=display)
    whole = f"<semantics>{''.join(map(_written, tree))}{_SOURCE.format(tex.strip())}</semantics>"
    return Markup(f'<math display="block">{whole}</math>' if display else f"<math>{whole}</math>")


def _readable(tex: str) -> str:
    """The formula without what latex2mathml misreads: `1e-5`, single upright letters, other names of environments."""
    tex = _POWER_OF_TEN.sub(r"\1 \\cdot 10^{\2}", tex)
    return _ALIGNED.sub(r"\1split}", _UPRIGHT_LETTER.sub(r"\\mathrm{{\1}}", tex))


def _decode(tree: Element) -> None:
    """latex2mathml writes symbols as references within the text, such as `&#x0003C;`."""
    for element in tree.iter():
        if element.text:
            element.text = html.unescape(element.text)


def _check(tree: Element, tex: str) -> None:
    for element in tree.iter():
        if element.tag not in _TAGS:
            raise UnreadableFormula(tex, f"it needs <{element.tag}>, which browsers do not know")
        if len(element) != _PARTS.get(element.tag, len(element)):
            raise UnreadableFormula(tex, "an argument is missing or stands where none belongs")
        if element.text and element.text.startswith("\\") and element.tag != "mtext":
            raise UnreadableFormula(tex, f"{element.text} is an unknown command")


def _written(element: Element) -> str:
    attributes = "".join(f' {name}="{escape(value)}"' for name, value in element.attrib.items() if name in _ATTRIBUTES)
    inner = str(escape(element.text or "")) + "".join(_written(child) for child in element)
    return f"<{element.tag}{attributes}>{inner}</{element.tag}>"
