"""How every page is made: jinja2 with autoescape, one style sheet, and a policy against running and fetching anything.

Two walls stand before what a submission says: each text is escaped, and the policy forbids scripts should one slip by.
"""

from __future__ import annotations

import base64
import hashlib
import re
from decimal import ROUND_HALF_UP, Decimal
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from grader.render.harmless import harmless_text
from grader.render.pieces import blocks, sides, tail
from grader.render.text import PUBLIC, WORDS, unpaid, verdict

MINUS = "\N{MINUS SIGN}"
_SURROGATES = re.compile("[\ud800-\udfff]")
_CODE = re.compile(r"`([^`\n]+)`")
_TONES = {
    "passed": "good",
    "inherited": "good",
    "partial": "half",
    "not_started": "none",
    "grader_fault": "fault",
}
"""Which mark and colour a status has; any other is bad."""


@cache
def style_sheet() -> Markup:
    """The CSS of every page. It holds no text of anybody's, so it is not escaped."""
    return Markup(files("grader.render").joinpath("templates", "style.css").read_text("utf-8"))


@cache
def policy() -> str:
    """The Content-Security-Policy: only this very style sheet counts; no script, no frame, no form, nothing fetched."""
    digest = base64.b64encode(hashlib.sha256(style_sheet().encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def shown(text: str) -> str:
    """The text with control characters and half surrogates spelled out: a file in UTF-8 cannot hold the latter."""
    return _SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", harmless_text(text))


def in_address(name: str) -> str:
    """A file name as one step of an address: whatever it holds, it stays one name in that folder."""
    return quote(name.encode("utf-8", "surrogatepass"), safe="")


def points(number: Decimal | float | None) -> str:
    """Points as people write them: at most two decimals, no zeros at the end."""
    if number is None:
        return "none"
    exact = Decimal(str(number))
    if not exact.is_finite():
        return str(number)
    rounded = exact.quantize(Decimal("0.01"), ROUND_HALF_UP)
    text = f"{abs(rounded):f}".rstrip("0").rstrip(".")
    return f"{MINUS if rounded < 0 else ''}{text}"


def change(number: Decimal) -> str:
    """Points that are added or taken away, with their sign."""
    return f"+{points(number)}" if number > 0 else points(number)


def percent(share: float | None) -> str:
    """A share, 0 to 1, in whole percent. What is not all is never called 100 %, and what is not nothing never 0 %."""
    if share is None:
        return "none"
    whole = round(share * 100)
    if whole in (0, 100) and share not in (0, 1):
        return "under 1 %" if whole == 0 else "over 99 %"
    return f"{whole} %"


def counted(number: int, one: str, many: str) -> str:
    """`1 exercise`, `3 exercises`."""
    return f"{number} {one if number == 1 else many}"


def _prose(text: str) -> Markup:
    """A sentence in which what stands in backticks is code."""
    pieces = _CODE.split(shown(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else escape(piece) for place, piece in enumerate(pieces)
    )


def _breakable(name: str) -> Markup:
    """A long name that may be broken after dots and underscores."""
    return Markup(re.sub(r"([._])", r"\1<wbr>", str(escape(shown(name)))))


def _finalize(value: Any) -> Any:
    """What every expression of a template goes through before it is escaped, so that no template can forget it."""
    return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value


@cache
def environment() -> Environment:
    """The one environment of all pages."""
    made = Environment(
        loader=PackageLoader("grader.render"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=_finalize,
    )  # fmt: skip
    made.filters.update(
        points=points, change=change, percent=percent, prose=_prose, breakable=_breakable, in_address=in_address,
    )  # fmt: skip
    made.globals.update(
        blocks=blocks, sides=sides, tail=tail, verdict=verdict, unpaid=unpaid, counted=counted,
        word=lambda status: WORDS.get(status, status),
        tone=lambda status: _TONES.get(status, "bad"), style_sheet=style_sheet, policy=policy,
        public_checks=PUBLIC,
    )  # fmt: skip
    return made


def page(template: str, **context: Any) -> str:
    """A page of one of the templates."""
    return environment().get_template(template).render(**context)
