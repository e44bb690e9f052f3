"""What a person reads who runs code behind a weak protection."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from grader.sandbox.level import MEANING

if TYPE_CHECKING:
    from grader.sandbox.proof import Protection


def warn_if_weak(protection: Protection) -> None:
    """One's own code may be graded all the same."""
    if protection.level == "weak":
        click.echo(f"Note: the protection is weak: {MEANING['weak']}. See `anatomy doctor`.", err=True)
