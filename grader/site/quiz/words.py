"""Sentences that may hold what a learner typed or what a learner's code said: never read as Markdown."""

from __future__ import annotations

import re

from markupsafe import Markup, escape

from grader.render.harmless import harmless_text

_CODE = re.compile(r"`([^`\n]+)`")


def sentence(text: str) -> Markup:
    """A sentence in which what stands in backticks is code, and everything else is what it is."""
    pieces = _CODE.split(harmless_text(text))
    return Markup("").join(
        Markup("<code>{}</code>").format(piece) if place % 2 else escape(piece) for place, piece in enumerate(pieces)
    )
