"""Rows of MathML set as TeX sets them: names in one piece, and spaces around signs, bars, functions and brackets."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from grader.site.math_symbols import (
    BARS,
    BINARY,
    CLOSING,
    LARGE,
    LIMITS,
    NO_SPACE,
    OPENING,
    PRIMES,
    SIGNS,
    WIDE_SPACE,
    has_prime,
    is_accent,
    mend_accent,
    mend_prime,
    mend_symbol,
    slant_as_tex,
)

_SCRIPTS = frozenset({"msub", "msup", "msubsup", "munder", "mover", "munderover"})
_WITH_LIMITS = {"msub": "munder", "msup": "mover", "msubsup": "munderover"}
_ROWS = frozenset({"math", "mrow", "mtd", "msqrt", "mstyle", "mpadded", "mphantom"})
_BEFORE_A_SIGN = frozenset({"", "binary", "relation", "opening", "comma", "large", "function"})
_WIDTH = re.compile(r"\d*\.?\d+em")
_THIN = "0.167em"


@dataclass(frozen=True, slots=True)
class _Style:
    """display: limits stand above and below; script: within a subscript or superscript, where TeX leaves no spaces."""

    display: bool
    script: bool


def mend(tree: Element, *, display: bool) -> None:
    """Put right, in place, all that a browser would draw otherwise than TeX."""
    _mend(tree, _Style(display, script=False))
    for letter in tree.iter("mi"):
        slant_as_tex(letter)


def _mend(element: Element, style: _Style) -> None:
    mend_symbol(element)
    for place, child in enumerate(element):
        _mend(child, _style_of(element, place, style))
    if element.tag in _ROWS:
        _mend_row(element, style)
    for place, child in enumerate(element):
        if child.tag == "mrow" and len(child) == 1:
            element[place] = child[0]
    if element.tag in ("mover", "munder") and is_accent(element):
        mend_accent(element)
    elif element.tag in _WITH_LIMITS and style.display and element[0].text in LIMITS:
        element.tag = _WITH_LIMITS[element.tag]
    elif has_prime(element):
        mend_prime(element)
    elif (aligned := element.get("columnalign")) in ("left", "right"):
        element.set(
            "class", aligned
        )  # MathML Core has no `columnalign`, and the policy of the pages no style attribute


def _style_of(parent: Element, place: int, style: _Style) -> _Style:
    if parent.tag in _SCRIPTS and place > 0 and not is_accent(parent):
        return _Style(display=False, script=True)
    if parent.tag in ("mfrac", "mtable") or parent.get("displaystyle") == "false":
        return _Style(display=False, script=style.script)
    return style


def _mend_row(row: Element, style: _Style) -> None:
    children = _numbers(_names([child for child in row if not _is_nothing(child)]))
    _stretch_round_tables(children)
    _pair_bars(children)
    _bind_signs(children)
    children = _space_functions(children)
    if style.script:
        _close_up(children)
    row[:] = _sized(children)


def _is_nothing(child: Element) -> bool:
    """`{}`, and the missing side of `\\left.`."""
    return child.tag in ("mrow", "mo") and len(child) == 0 and not child.text


def _names(children: Sequence[Element]) -> list[Element]:
    """`\\mathrm{softmax}` as one name instead of seven letters. A name of several letters is upright by itself."""
    names: list[Element] = []
    for child in children:
        if names and _is_upright(child) and _is_upright(names[-1]):
            names[-1].text = f"{names[-1].text}{child.text}"
        else:
            names.append(child)
    for name in names:
        if _is_upright(name) and len(name.text or "") > 1:
            del name.attrib["mathvariant"]
    return names


def _is_upright(element: Element) -> bool:
    return element.tag == "mi" and element.get("mathvariant") == "normal"


def _numbers(children: Sequence[Element]) -> list[Element]:
    """`10{,}000` as one number; any other operator in braces without the spaces of one."""
    numbers: list[Element] = []
    after_comma = False
    for child in children:
        braced = child[0] if child.tag == "mrow" and len(child) == 1 and child[0].tag == "mo" else None
        if after_comma and child.tag == "mn":
            numbers.pop()
            numbers[-1].text = f"{numbers[-1].text},{child.text}"
            after_comma = False
            continue
        after_comma = braced is not None and braced.text == "," and bool(numbers) and numbers[-1].tag == "mn"
        if braced is not None:
            braced.attrib.update(NO_SPACE)
        numbers.append(child if braced is None else braced)
    return numbers


def _stretch_round_tables(children: Sequence[Element]) -> None:
    """The brackets of a matrix are as high as it is."""
    for place, child in enumerate(children):
        if child.tag == "mtable":
            for neighbour in children[max(place - 1, 0) : place + 2]:
                neighbour.attrib.pop("stretchy", None)


def _pair_bars(children: Sequence[Element]) -> None:
    """Which bars open and which close; one without a partner divides, as in `p(x|y)`."""
    bars = [bar for child in children if (bar := _core(child)).text in BARS and "form" not in bar.attrib]
    opened: str | None = None
    for number, bar in enumerate(bars):
        if bar.text == opened:
            bar.set("form", "postfix")
            opened = None
        elif opened is None and any(later.text == bar.text for later in bars[number + 1 :]):
            bar.set("form", "prefix")
            opened = bar.text
        elif len(children) > 1:
            bar.attrib.update(WIDE_SPACE, form="infix")


def _bind_signs(children: Sequence[Element]) -> None:
    """A sign after nothing, a relation, a comma or an opening bracket belongs to what follows."""
    before = ""
    for child in children:
        core = _core(child)
        if core.tag == "mo" and core.text in SIGNS and before in _BEFORE_A_SIGN:
            core.set("form", "prefix")
        if (kind := _kind(child)) != "space":
            before = kind


def _space_functions(children: Sequence[Element]) -> list[Element]:
    """A thin space around functions, as in `a cos x`. Negative spaces, which only TeX's brackets need, are left out."""
    spaced: list[Element] = []
    before = ""
    for child in children:
        kind = _kind(child)
        after = before == "function" and kind in ("ordinary", "inner", "function")
        if after or (kind == "function" and before in ("ordinary", "inner", "closing")):
            spaced.append(Element("mspace", width=_THIN))
        if kind != "space" or _WIDTH.fullmatch(child.get("width", "")):
            spaced.append(child)
        before = kind
    return spaced


def _close_up(children: Sequence[Element]) -> None:
    for child in children:
        core = _core(child)
        if core.tag == "mo" and core.get("form") != "prefix" and _kind(child) in ("binary", "relation", "comma"):
            core.attrib.update(NO_SPACE)


def _sized(children: Sequence[Element]) -> list[Element]:
    """`\\Big( x \\Big)^2` with all from the opening bracket under the exponent: a bracket grows only in a row."""
    sized: list[Element] = []
    for child in children:
        sized.append(child)
        if child.tag not in _SCRIPTS or "minsize" not in child[0].attrib:
            continue
        openings = [place for place, each in enumerate(sized) if "minsize" in each.attrib and each.text in OPENING]
        if openings:
            inner = Element("mrow")
            inner.extend([*sized[openings[-1] : -1], child[0]])
            child[0] = inner
            sized[openings[-1] :] = [child]
    return sized


def _core(element: Element) -> Element:
    """What a subscript or superscript hangs on."""
    while element.tag in _SCRIPTS and len(element):
        element = element[0]
    return element


def _kind(element: Element) -> str:
    """What TeX calls the class of an atom."""
    core = _core(element)
    if core.tag == "mo":
        return _kind_of_operator(core)
    if core.tag == "mi" and "function" in core.attrib:
        return "function"
    opens = core.tag == "mrow" and len(core) > 0 and core[0].get("form") == "prefix" and core[0].text in OPENING
    return "inner" if opens or core.tag == "mfrac" else "space" if core.tag == "mspace" else "ordinary"


def _kind_of_operator(core: Element) -> str:
    text = core.text or ""
    if text in BARS:
        return {"prefix": "opening", "postfix": "closing"}.get(core.get("form", ""), "relation")
    for kind, signs in (("large", LARGE), ("opening", OPENING), ("closing", CLOSING), ("binary", BINARY)):
        if text in signs:
            return kind
    return "comma" if text in (",", ";") else "ordinary" if text in PRIMES or text == "." else "relation"
