"""The panels, each on the page of one lesson, in the order of the course."""

from grader.site.panels import (
    attention,
    blocks,
    budget,
    normalization,
    positions,
    shapes,
    stability,
    stepping,
    temperature,
)
from grader.site.panels.model import Panel

PANELS: tuple[Panel, ...] = (
    normalization.PANEL,
    attention.PANEL,
    positions.PANEL,
    shapes.PANEL,
    stability.PANEL,
    blocks.PANEL,
    temperature.PANEL,
    stepping.PANEL,
    budget.PANEL,
)


def panel_named(name: str) -> Panel | None:
    """The panel of that name."""
    return next((panel for panel in PANELS if panel.name == name), None)
