"""The server's own templates, made as every page of the site is."""

from __future__ import annotations

import html
import re
from typing import Any

from markupsafe import Markup

from grader.site import pages

NO_FRAME = "frame-ancestors 'none'"
"""What a policy inside of a page cannot say."""
BARE = f"default-src 'none'; base-uri 'none'; form-action 'none'; {NO_FRAME}"
"""The policy of what is no page: nothing may run, load or be framed."""
_NAMED = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')
_SECTION = re.compile(r"lessons/([a-z0-9_-]+)/lesson\.md#([\w-]+)")


def fragment(template: str, **context: Any) -> Markup:
    """A piece of a page."""
    return pages.fragment(f"serve/{template}", section_link=section_link, **context)


def whole(template: str, **context: Any) -> tuple[str, str]:
    """A whole page, which needs no script, and its policy."""
    return str(fragment(template, **context)), f"{pages.policy('', live=True)}; {NO_FRAME}"


def policy_of(page: str) -> str:
    """The policy that a page of the site names in itself, for the header: it knows the digest of its own program."""
    found = _NAMED.search(page)
    return f"{html.unescape(found[1])}; {NO_FRAME}" if found else BARE


def section_link(section: str) -> str:
    """Where in the pages a section of a lesson lies, as an address on this server; "" for what is no section."""
    found = _SECTION.fullmatch(section)
    return f"/{found[1]}.html#{found[2]}" if found else ""
