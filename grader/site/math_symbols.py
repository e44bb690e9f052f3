"""Single symbols of a formula in MathML: which are operators, what letters of other alphabets are, accents, primes."""
# ruff: noqa: RUF001  # its signs look like letters and are none

from __future__ import annotations

import re
import unicodedata
from xml.etree.ElementTree import Element

from latex2mathml.commands import FUNCTIONS

SIGNS = frozenset("+−±∓")
BINARY = frozenset("+−±∓·×÷/∗*⊙⊗⊕∘∖∪∩")
OPENING = frozenset("([{⌊⌈⟨")
CLOSING = frozenset(")]}⌋⌉⟩!")
BARS = frozenset("|‖∥")
LARGE = frozenset("∑∏∐∫∬∭∮⋃⋂⨁⨂⨀")
LIMITS = frozenset({"max", "min", "sup", "inf", "lim", "lim sup", "lim inf", "arg max", "arg min", *"∑∏∐⋃⋂⨁⨂⨀"})
"""What has its limits above and below in a displayed formula."""
PRIMES = frozenset("′″‴⁗")
NO_SPACE = {"lspace": "0em", "rspace": "0em"}
WIDE_SPACE = {"lspace": "0.278em", "rspace": "0.278em"}
"""What TeX leaves around a relation."""

_FUNCTIONS = frozenset(name.removeprefix("\\") for name in FUNCTIONS)
_NOT_OPERATORS = frozenset("∞⊤⊥∂∇∅…⋯ℓ")
"""latex2mathml takes them for operators by their place in Unicode; TeX does not, and sets no spaces around them."""
_NOT_LETTERS = {"~": "∼"} | {sign: sign for sign in ":;±⌊⌋⌈⌉⟨⟩′"}
"""What latex2mathml takes for letters, and the operators that they are."""
_VARIANTS = {
    "bold": "BOLD",
    "italic": "ITALIC",
    "bold-italic": "BOLD ITALIC",
    "double-struck": "DOUBLE-STRUCK",
    "script": "SCRIPT",
    "bold-script": "BOLD SCRIPT",
    "fraktur": "FRAKTUR",
    "bold-fraktur": "BOLD FRAKTUR",
    "sans-serif": "SANS-SERIF",
    "bold-sans-serif": "SANS-SERIF BOLD",
    "monospace": "MONOSPACE",
}
_ACCENTS = {"^": "ˆ", "~": "˜"}
"""The signs of a keyboard are wider than a letter and would push its neighbours away."""
_CAPITAL_GREEK = re.compile("[Α-Ω]")


def mend_symbol(element: Element) -> None:
    """Put right what kind of symbol it is. Functions get an attribute `function`, which is not written."""
    text = element.text or ""
    if element.tag == "mo" and text in _NOT_OPERATORS:
        element.tag = "mi"
    elif element.tag == "mo" and len(text) > 1 and text.replace("\N{THIN SPACE}", "").isalpha():
        # \max and \operatorname: an operator that browsers do not know would stand between wide spaces.
        element.tag = "mi"
        element.set("function", "true")
    elif element.tag == "mi" and text in _NOT_LETTERS:
        element.tag, element.text = "mo", _NOT_LETTERS[text]
    elif element.tag == "mi" and text in _FUNCTIONS:
        element.set("function", "true")
    _mend_variant(element)
    if element.tag == "mo":
        _mend_operator(element)


def slant_as_tex(letter: Element) -> None:
    """Capital Greek letters are upright in TeX; a browser slants every letter that stands alone."""
    if _CAPITAL_GREEK.fullmatch(letter.text or ""):
        letter.set("mathvariant", "normal")


def is_accent(element: Element) -> bool:
    """Whether it is a letter with a hat, a bar or the like."""
    return element.get("accent") == "true" or any(child.get("accent") == "true" for child in element)


def mend_accent(element: Element) -> None:
    """Hats as narrow as their letters. Bars are drawn by the style sheet: few fonts have one that stretches."""
    mark = element[1]
    mark.attrib.pop("accent", None)
    element.set("accent", "true")
    if mark.text == "\N{HORIZONTAL BAR}":
        mark.text = "\N{OVERLINE}"  # of no size on the page: it is there to be read aloud
        element.set("class", "overline")
    else:
        mark.text = _ACCENTS.get(mark.text or "", mark.text)
        mark.set("stretchy", "false")


def has_prime(element: Element) -> bool:
    """Whether its superscript is made of primes alone."""
    return element.tag in ("msup", "msubsup") and set(element[-1].text or "x") <= PRIMES


def mend_prime(element: Element) -> None:
    """A prime stands beside its letter: the sign is raised in itself, and a superscript would raise it again."""
    mark = element[-1]
    mark.tag = "mo"
    mark.attrib.update(NO_SPACE)
    if element.tag == "msup":
        element.tag = "mrow"
    else:
        primed = Element("mrow")
        primed.extend([element[0], mark])
        element.tag, element[:] = "msub", [primed, element[1]]


def _mend_variant(element: Element) -> None:
    """MathML Core has no variant but `normal`: letters of the others have code points of their own."""
    variant = element.attrib.pop("mathvariant", "")
    if variant == "normal" and element.tag == "mi":
        element.set("mathvariant", variant)
    elif variant in _VARIANTS and element.tag in ("mi", "mn"):
        element.text = "".join(_letter(letter, _VARIANTS[variant]) for letter in element.text or "")


def _letter(letter: str, variant: str) -> str:
    kind = "DIGIT" if letter.isdigit() else "CAPITAL" if letter.isupper() else "SMALL"
    name = unicodedata.name(letter, "").rpartition(" ")[2]
    try:
        return unicodedata.lookup(f"MATHEMATICAL {variant} {kind} {name}")
    except KeyError:  # a sign that has no such form
        return letter


def _mend_operator(element: Element) -> None:
    text = element.text or ""
    fence = text in OPENING or text in CLOSING or text in BARS or text == "∣"
    if fence and element.get("stretchy") != "true" and "minsize" not in element.attrib:
        element.set("stretchy", "false")
    if text in (".", "/"):
        element.attrib.update(NO_SPACE)
    elif text == ":":
        element.attrib.update(WIDE_SPACE)
