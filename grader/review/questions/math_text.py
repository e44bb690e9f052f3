r"""LaTeX math as one line of text: `\frac{1}{2} \sqrt{K}` becomes `(1/2) √(K)`.

pylatexenc parses and knows the symbols. What it does not care for is added here: fractions, roots and exponents keep
their brackets, so that a line means what the formula means, and operators and functions keep their spaces.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any

from pylatexenc import latex2text, latexwalker, macrospec

# Private characters that mark where a space belongs, until the neighbours are known.
_OPEN, _CLOSE, _OPERATOR, _NAME_END = "\ue000", "\ue001", "\ue002", "\ue003"
_FUNCTIONS = ("arg", "cos", "det", "exp", "lim", "ln", "log", "max", "min", "sin", "softmax", "tan", "tanh")
_OPERATORS = {
    "approx": "≈",
    "cdot": "·",
    "equiv": "≡",
    "ge": "≥",
    "geq": "≥",
    "gg": "≫",
    "gets": "←",
    "in": "∈",
    "le": "≤",
    "leq": "≤",
    "leftarrow": "←",
    "ll": "≪",
    "mapsto": "↦",
    "ne": "≠",
    "neq": "≠",
    "odot": "⊙",
    "oplus": "⊕",
    "otimes": "⊗",
    "propto": "∝",
    "rightarrow": "→",
    "sim": "~",
    "times": "\N{MULTIPLICATION SIGN}",
    "to": "→",
}
_FRACTIONS = ("frac", "dfrac", "tfrac")
_SIZES = ("left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "displaystyle", "limits")

_WORD = re.compile(r"-?[A-Za-z0-9.]+|\S")
"""What needs no brackets in an exponent or a fraction."""

_ASCII = {
    "√": "sqrt",
    "∑": "sum",
    "∏": "prod",
    "∞": "inf",
    "·": "*",
    "⋅": "*",
    "\N{MULTIPLICATION SIGN}": "x",
    "±": "+-",
    "\N{MINUS SIGN}": "-",
    "\N{EN DASH}": "-",
    "—": "--",
    "…": "...",
    "≈": "~=",
    "≡": "==",
    "≥": ">=",
    "≤": "<=",
    "≫": ">>",
    "≪": "<<",
    "≠": "!=",
    "←": "<-",
    "→": "->",
    "↦": "->",
    "⊙": "*",
    "⊕": "(+)",
    "⊗": "(x)",
    "∈": "in",
    "∝": "~",
    "\N{DOWN TACK}": "T",
    "⌊": "floor(",
    "⌋": ")",
    "⌈": "ceil(",
    "⌉": ")",
    "∂": "d",
    "∇": "grad",
    "\N{SCRIPT SMALL L}": "l",
    "‖": "||",
    "∥": "||",
    "°": " degrees",
    "“": '"',
    "”": '"',
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{COMBINING CIRCUMFLEX ACCENT}": "_hat",
    "\N{COMBINING MACRON}": "_bar",
    "\N{COMBINING OVERLINE}": "_bar",
    "\N{COMBINING TILDE}": "_tilde",
}
_WORDS = frozenset("√∑∏∞∈∇∂\N{DOWN TACK}")
"""Symbols whose ASCII form is made of letters, which must not run into a neighbour's."""


def math_text(tex: str) -> str:
    """A formula, without its dollars, as one line of Unicode text. Unknown commands are kept by their names."""
    text: str = _translator().latex_to_text(_scripts(tex), latex_context=_grammar())
    return _spaced(" ".join(text.split()))


def ascii_text(text: str) -> str:
    """A text in ASCII: symbols and Greek letters by name, accents dropped, `?` for what has no name."""
    letters = unicodedata.normalize("NFC", text)
    if letters.isascii():
        return letters
    out = ""
    for letter in _apart(letters):
        name = letter if letter.isascii() else _ascii_name(letter)
        spelled = _spelled(letter)
        # `2π` is `2 pi` and `ηλ` is `eta lambda`, but `x̂` is `x_hat`.
        if name[:1].isalnum() and (out.endswith(_NAME_END) or (spelled and out[-1:].isalnum())):
            out = out.removesuffix(_NAME_END) + " "
        out = out.removesuffix(_NAME_END) + name + (_NAME_END if spelled else "")
    return out.replace(_NAME_END, "")


def _spelled(letter: str) -> bool:
    """Whether the ASCII form is a word, which must not run into the next one."""
    if letter.isascii():
        return False
    return letter in _WORDS or unicodedata.combining(letter) > 0 or unicodedata.name(letter, "").startswith("GREEK")


def _apart(letters: str) -> Iterator[str]:
    """Letters whose accent has an ASCII name apart from it: `x̂` in composed forms too."""
    for letter in letters:
        decomposed = unicodedata.normalize("NFD", letter)
        yield from decomposed if len(decomposed) == 2 and decomposed[1] in _ASCII else letter


def _ascii_name(letter: str) -> str:
    if letter in _ASCII:
        return _ASCII[letter]
    name = unicodedata.name(letter, "")
    name = name.replace("LAMDA", "LAMBDA")  # Unicode spells it as Greek does
    if match := re.fullmatch(r"GREEK (SMALL|CAPITAL) LETTER (?:FINAL )?(\w+)", name):
        return match[2].lower() if match[1] == "SMALL" else match[2].capitalize()
    if match := re.fullmatch(r"GREEK (?:LUNATE )?(\w+) SYMBOL", name):
        return match[1].lower()
    plain = unicodedata.normalize("NFKD", letter).encode("ascii", "ignore").decode()
    return plain or ("" if unicodedata.combining(letter) else "?")


def _scripts(tex: str) -> str:
    """Brackets around exponents and indices that are more than a word: `16^{-4/8}` is not `16^-4/8`."""
    out, place = "", 0
    while place < len(tex):
        end = _group_end(tex, place + 1) if tex[place] in "^_" else 0
        if end:
            inner = _scripts(tex[place + 2 : end])
            bare = re.sub(r"\\[A-Za-z]+|[{}]", "", inner).strip()
            bracketed = inner.startswith("(") and inner.endswith(")")
            out += tex[place] + (f"{{{inner}}}" if bracketed or _WORD.fullmatch(bare) or not bare else f"{{({inner})}}")
            place = end + 1
        else:
            out += tex[place]
            place += 1
    return out


def _group_end(tex: str, start: int) -> int:
    """The place of the brace that closes the group opened at `start`; 0 when none is opened or closed there."""
    depth = 0
    for place in range(start, len(tex)):
        depth += {"{": 1, "}": -1}.get(tex[place], 0)
        if depth == 0:
            return place if place > start else 0
    return 0


def _spaced(text: str) -> str:
    text = re.sub(rf"\s*{_OPERATOR}\s*", " ", text)
    text = re.sub(rf"{_CLOSE}{_OPEN}|(?<=[\w)\]]){_OPEN}|{_CLOSE}(?=[^\W_]|[√∑])", " ", text)
    text = re.sub(rf"{_OPEN}|{_CLOSE} ?(?=[_^(])|{_CLOSE}", "", text)
    return re.sub(r"(?<=[⌊⌈([]) +| +(?=[⌋⌉)\],])", "", " ".join(text.split()))


def _fraction(node: Any, l2tobj: Any) -> str:
    over, under = (l2tobj.nodelist_to_text([part]).strip() for part in node.nodeargd.argnlist)
    return f"({_operand(over)}/{_operand(under)})"


def _root(node: Any, l2tobj: Any) -> str:
    degree, under = node.nodeargd.argnlist
    inner = l2tobj.nodelist_to_text([under]).strip()
    return f"√({inner})" if degree is None else f"({inner})^(1/{l2tobj.nodelist_to_text([degree]).strip()})"


def _operand(text: str) -> str:
    return text if _WORD.fullmatch(text) else f"({text})"


@cache
def _grammar() -> Any:
    grammar = latexwalker.get_default_latex_context_db()
    two = [macrospec.MacroSpec(name, "{{") for name in _FRACTIONS]
    one = [
        macrospec.MacroSpec(name, "{") for name in ("operatorname", "text", "mathbf", "mathrm", "mathit", "boldsymbol")
    ]
    grammar.add_context_category("course", macros=two + one, prepend=True)
    return grammar


@cache
def _translator() -> Any:
    spec = latex2text.MacroTextSpec
    course = [
        *(spec(name, _fraction) for name in _FRACTIONS),
        *(spec(name, f"{_OPEN}{name}{_CLOSE}") for name in _FUNCTIONS),
        *(spec(name, f"{_OPERATOR}{symbol}{_OPERATOR}") for name, symbol in _OPERATORS.items()),
        *(spec(name, f"{_OPEN}%s{_CLOSE}") for name in ("mathbf", "boldsymbol", "operatorname")),
        *(spec(name, discard=True) for name in _SIZES),
        spec("sqrt", _root),
        spec("lVert", "‖"),
        spec("rVert", "‖"),
    ]
    context = latex2text.get_default_latex_context_db()
    context.add_context_category("course", macros=course, prepend=True)
    context.set_unknown_macro_spec(spec("", lambda node: f"{_OPEN}{node.macroname}{_CLOSE}"))
    return latex2text.LatexNodes2Text(latex_context=context, math_mode="text", strict_latex_spaces="based-on-source")
