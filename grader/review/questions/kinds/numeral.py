"""Reading a number as people type it: exactly, and only where it can be read in one way.

Read are decimals (`0.5`, `.5`, `1e-5`), a Unicode minus, powers (`2^10`, `10**3`) and the four operations with
brackets (`-1/3`, `3*10^-4`, `2*(4+1)`), by Python's precedence: `-2^2` is -4. Nothing is evaluated by Python.
"""

import ast
import re
import warnings
from fractions import Fraction

from grader.review.questions.kinds.signs import OPERATORS

MOST_CHARACTERS = 80
_LARGEST_EXPONENT = 400
"""Powers of ten beyond it are no answer to any question, and would only cost time."""
_DECIMAL = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"([-+]?) ?(?:inf|infinity|∞)", re.IGNORECASE)


class Unreadable(ValueError):
    """What was typed is not one number; the message is what to ask back."""


def read_number(text: str) -> Fraction:
    """The number that was typed, exactly. Raises Unreadable with a sentence for the learner."""
    text = text.strip()
    if not text:
        raise Unreadable("Type a number.")
    if "," in text:
        raise Unreadable(_two_readings(text))
    if len(text) > MOST_CHARACTERS:
        raise Unreadable("That is too long for a number. Type its value.")
    code = text.translate(OPERATORS)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's advice about a learner's typing error
            tree = ast.parse(code, mode="eval").body
        return _value(tree, code)
    except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable(f"`{text}` is not read as a number. {_ADVICE}") from None


_ADVICE = "Type one number and nothing else, as in 0.25, 1e-5, 2^10 or -1/3."


def infinite(text: str) -> float | None:
    """Plus or minus infinity where that was typed (`inf`, `-∞`), else None."""
    match = _INFINITE.fullmatch(text.strip().translate(OPERATORS))
    return None if match is None else float(f"{match[1]}inf")


def _two_readings(text: str) -> str:
    if re.fullmatch(r"[-+]?\d+,\d+", text.translate(OPERATORS)):
        without, point = text.replace(",", ""), text.replace(",", ".")
        if re.match(r"\D?0", text):
            return f"`{text}` has a comma. Type {point}, with a point."
        return f"`{text}` can be read in two ways. Type {without} or {point}, without a comma."
    return "A comma can be read in two ways. Type one number without commas, with a point before the decimals."


def _value(node: ast.expr, code: str) -> Fraction:
    match node:
        case ast.Constant():
            # The digits as typed: Python's own float of them would be rounded.
            return _decimal(ast.get_source_segment(code, node) or "")
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, code)
        case ast.UnaryOp(op=ast.UAdd(), operand=operand):
            return _value(operand, code)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, _value(left, code), _value(right, code))
    raise Unreadable(f"That is not read as a number. {_ADVICE}")


def _decimal(digits: str) -> Fraction:
    if not _DECIMAL.fullmatch(digits):
        raise Unreadable(f"`{digits}` is not read as a number. {_ADVICE}")
    mantissa, _, exponent = digits.lower().partition("e")
    if len(exponent) > 5 or abs(int(exponent or 0)) > _LARGEST_EXPONENT:
        raise Unreadable("That exponent is too large.")
    return Fraction(mantissa) * Fraction(10) ** int(exponent or 0)


def _binary(op: ast.operator, left: Fraction, right: Fraction) -> Fraction:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            if right == 0:
                raise Unreadable("That divides by 0. Type a number.")
            return left / right
        case ast.Pow():
            return _power(left, right)
    raise Unreadable(f"That is not read as a number. {_ADVICE}")


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    if base == 0 and exponent < 0:
        raise Unreadable("That divides by 0. Type a number.")
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(exponent) * bits > _LARGEST_EXPONENT * 4:
        raise Unreadable("That power is too large to be read. Type a number.")
    if exponent.denominator == 1:
        power: Fraction = base ** int(exponent)
        return power
    if base < 0:
        raise Unreadable("A root of a negative number is no answer here. Type a number.")
    return Fraction(float(base) ** float(exponent))
