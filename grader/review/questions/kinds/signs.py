"""Characters that look alike to a person and are taken for one another in answers. Nothing else is normalised."""

_MINUSES = "\N{MINUS SIGN}\N{EN DASH}\N{HYPHEN}\N{NON-BREAKING HYPHEN}"
_TIMES = "\N{MULTIPLICATION SIGN}\N{MIDDLE DOT}\N{DOT OPERATOR}"

OPERATORS = str.maketrans({**dict.fromkeys(_MINUSES, "-"), **dict.fromkeys(_TIMES, "*"), "^": "**"})
"""What stands for an operator in a typed number or size, as Python writes it."""

_QUOTES = (
    "\N{LEFT DOUBLE QUOTATION MARK}\N{RIGHT DOUBLE QUOTATION MARK}"
    "\N{LEFT SINGLE QUOTATION MARK}\N{RIGHT SINGLE QUOTATION MARK}\"`'"
)
QUOTES = str.maketrans(dict.fromkeys(_QUOTES, "'"))
"""Every quote as the plain single one."""

JOINTS = str.maketrans(dict.fromkeys(_MINUSES + "\N{EM DASH}_-'.", " "))
"""What may stand between the words of a term, as a space."""
