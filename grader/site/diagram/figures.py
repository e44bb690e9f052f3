"""How the diagram's numbers read: whole, and in words of three or four digits. The page's script writes them alike."""

from __future__ import annotations

from collections.abc import Mapping

from grader.site.diagram.sizes import Shape

COUNTS = ("", " thousand", " million", " billion", " trillion", " quadrillion", " quintillion")
BYTES = (" bytes", " kB", " MB", " GB", " TB", " PB", " EB")


def whole(number: int) -> str:
    """`6,738,415,616`."""
    return f"{number:,}"


def about(number: int, names: tuple[str, ...]) -> str:
    """`6.74 billion`: in the largest unit that the number fills, with two digits; a small count needs no words."""
    power = min(max((len(str(number)) - 1) // 3, 0), len(names) - 1)
    if power == 0:
        return f"{number}{names[0]}" if names[0] else ""
    unit = 1000**power
    hundredths = (100 * number + unit // 2) // unit
    return f"{hundredths // 100:,}.{hundredths % 100:02d}{names[power]}"


def shape(sizes: tuple[int, ...]) -> str:
    """`(1, 16, 64)`, or `(64,)`."""
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"


def shape_of(tensor: Shape, symbols: Mapping[str, int]) -> str:
    """A tensor's shape in numbers."""
    return shape(tensor.sizes(symbols))
