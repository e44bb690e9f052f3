"""Sizes of a shape as integer expressions: read with `ast`, never evaluated by Python, and compared as polynomials.

`B*T, D`, `(B, T, D)`, `[B, T]`, `torch.Size([2, 3])` and `7,` are shapes. Two expressions are equal when they agree at
several points far out whose coordinates are 61-bit numbers made from the symbols' names: two quotients of polynomials
of the degree that is allowed here agree there by chance less often than once in 2^100 (Schwartz, 1980; Zippel, 1979).
"""

import ast
import hashlib
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass
from fractions import Fraction

from grader.review.questions.kinds.numeral import Unreadable
from grader.review.questions.kinds.signs import OPERATORS

_MOST_CHARACTERS, _MOST_SIZES, _MOST_BITS = 200, 16, 8192
_LARGEST_EXPONENT = 16
_POINTS = 3
_ADVICE = "Type the sizes with commas between them, as in B, 2*T or (2, 3)."

Rename = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Size:
    """One size: how it is written, its symbols, and its values at the points where sizes are compared."""

    text: str
    symbols: frozenset[str]
    values: tuple[Fraction, ...]

    def same(self, other: "Size") -> bool:
        return self.values == other.values


def read_sizes(text: str, rename: Rename = str) -> tuple[Size, ...]:
    """The sizes of a shape; () for the shape of a scalar. `rename` says which symbol a typed name stands for.

    Raises Unreadable with a sentence for the learner.
    """
    code = text.strip().translate(OPERATORS)
    if not code:
        raise Unreadable(_ADVICE)
    if len(code) > _MOST_CHARACTERS:
        raise Unreadable("That is too long for a shape.")
    if not code.isascii():
        raise Unreadable(f"`{text.strip()}` has a character that is not read in a shape. {_ADVICE}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python's advice about a learner's typing error
            nodes = _elements(ast.parse(code, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        if isinstance(error, Unreadable):
            raise
        raise Unreadable(f"`{text.strip()}` is not read as a shape. {_ADVICE}") from None
    if len(nodes) > _MOST_SIZES:
        raise Unreadable(f"A shape has at most {_MOST_SIZES} sizes here.")
    return tuple(_size(node, rename) for node in nodes)


def same_shape(a: Collection[Size], b: Collection[Size]) -> bool:
    """Whether two shapes have the same sizes in the same order."""
    return len(a) == len(b) and all(one.same(other) for one, other in zip(a, b, strict=True))


def _elements(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name == "Size":
            return _elements(node.args[0])
    return list(node.elts) if isinstance(node, ast.Tuple | ast.List) else [node]


def _size(node: ast.expr, rename: Rename) -> Size:
    symbols = frozenset(rename(name.id) for name in ast.walk(node) if isinstance(name, ast.Name))
    values = tuple(_value(node, point, rename) for point in range(_POINTS))
    if not symbols:
        if values[0].denominator != 1 or values[0] < 0:
            raise Unreadable(f"`{ast.unparse(node)}` is {_decimal(values[0])}; a size is a whole number, 0 or more.")
        return Size(str(values[0]), symbols, values)
    return Size(ast.unparse(node), symbols, values)


def _decimal(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"{float(value):g}"


def _value(node: ast.expr, point: int, rename: Rename) -> Fraction:
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return _bounded(Fraction(number))
        case ast.Constant(value=float()):
            raise Unreadable("A size is a whole number. Type it without decimals.")
        case ast.Name(id=name):
            return _coordinate(rename(name), point)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, point, rename)
        case ast.BinOp(left=left, op=op, right=right):
            both = _value(left, point, rename), _value(right, point, rename)
            floor = isinstance(op, ast.FloorDiv) and not _has_symbols(node)
            return _bounded(_binary(op, *both, exponent_known=not _has_symbols(right), floor=floor))
    raise Unreadable(f"`{ast.unparse(node)}` is not read as a size. {_ADVICE}")


def _binary(op: ast.operator, left: Fraction, right: Fraction, *, exponent_known: bool, floor: bool) -> Fraction:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div() | ast.FloorDiv():
            if right == 0:
                raise Unreadable("That divides by 0.")
            # Sizes that are divided in a question divide evenly: K = D // H and K = D / H are one thing.
            return Fraction(left // right) if floor else left / right
        case ast.Pow():
            if not exponent_known or right.denominator != 1 or not 0 <= right <= _LARGEST_EXPONENT:
                raise Unreadable(f"A power in a size has a whole exponent from 0 to {_LARGEST_EXPONENT}.")
            if left.numerator.bit_length() * right > _MOST_BITS:
                raise Unreadable("That power is too large for a size.")
            power: Fraction = left ** int(right)
            return power
    raise Unreadable("A size is made of whole numbers and names with +, -, * and /.")


def _has_symbols(node: ast.expr) -> bool:
    return any(isinstance(part, ast.Name) for part in ast.walk(node))


def _bounded(value: Fraction) -> Fraction:
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise Unreadable("That is too large for a size.")
    return value


def _coordinate(symbol: str, point: int) -> Fraction:
    digest = hashlib.sha256(f"{point} {symbol}".encode()).digest()
    return Fraction(int.from_bytes(digest[:8]) >> 3 | 1)
