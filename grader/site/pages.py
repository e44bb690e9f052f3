"""How every page of the site is made: one file each, with its style, its scripts and its data inside.

A page works from a folder as it does from the server. Its policy names the digests of its own style and scripts, so
nothing else runs: what a submission says is escaped, and would not be obeyed if it were not.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup

from grader.render.page import environment as render_environment
from grader.render.page import style_sheet as render_style_sheet

FIRST = "page"
"""The style sheet that the others build on."""


@cache
def environment() -> Environment:
    """The environment of the feedback pages, with the site's templates before its own."""
    made = render_environment().overlay()
    made.loader = ChoiceLoader([PackageLoader("grader.site"), PackageLoader("grader.render")])
    made.globals = {
        **made.globals,
        "site_style": site_style,
        "data_block": data_block,
        "spelled": spelled,
        "fixed": fixed,
        "kind_of": lambda control: type(control).__name__.lower(),
    }
    return made


def page(template: str, *, scripts: Iterable[str] = (), live: bool = False, **context: Any) -> str:
    """A whole page. scripts: names of files in grader/site/scripts, without their ending; live: served, not a file."""
    program = script(tuple(scripts))
    return (
        environment()
        .get_template(template)
        .render(program=program, policy_text=policy(program, live=live), live=live, **context)
    )


def fragment(template: str, **context: Any) -> Markup:
    """A piece of a page."""
    return Markup(environment().get_template(template).render(**context))


@cache
def site_style() -> Markup:
    """The CSS of all pages of the site. It holds no text of anybody's, so it is not escaped."""
    from grader.site.highlighting import highlight_css  # it imports pygments

    sheets = [each for each in (files("grader.site") / "styles").iterdir() if each.name.endswith(".css")]
    sheets.sort(key=lambda sheet: (sheet.name != f"{FIRST}.css", sheet.name))
    return Markup("\n".join([render_style_sheet(), highlight_css(), *(sheet.read_text("utf-8") for sheet in sheets)]))


@cache
def script(names: tuple[str, ...]) -> Markup:
    """One program of several files, each in a scope of its own after the first."""
    texts = [(files("grader.site") / "scripts" / f"{name}.js").read_text("utf-8") for name in names]
    program = "\n".join(texts)
    if "</script" in program.lower() or "<!--" in program:
        raise ValueError("a script of the site would end its own element")
    return Markup(program)


def policy(program: str, *, live: bool) -> str:
    """The Content-Security-Policy: this very style and program count, and nothing is fetched from anywhere else."""
    here = "'self'" if live else "'none'"
    run = f"'sha256-{_digest(program)}'" if program else "'none'"
    return (
        f"default-src 'none'; style-src 'sha256-{_digest(site_style())}'; script-src {run}; img-src data:; "
        f"connect-src {here}; form-action {here}; base-uri 'none'"
    )


def data_block(data: Any) -> Markup:
    """JSON for an inline `<script type="application/json">`: it cannot end its element, whatever it holds."""
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


def spelled(value: float | str) -> str:
    """A number for the script and the tests, to the last digit."""
    number = float(value)
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "-inf"
    return repr(value)


def fixed(value: float | str, digits: int) -> str:
    """A number for people, as the script writes it."""
    number = float(value)
    if math.isnan(number):
        return "no number"
    if math.isinf(number):
        return "infinite" if number > 0 else "minus infinite"
    text = f"{number:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
