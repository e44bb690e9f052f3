"""Figures drawn with matplotlib, without a display and without a global state: PNG and SVG.

The palette is that of Okabe and Ito (2008), Color Universal Design; each line also has its own marker and dashes, so
that the figure reads in grey and for colour-blind readers. The same figure gives the same SVG, byte for byte.
"""

import io
import textwrap
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Canvas
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from grader.lab.figure import Axis, Figure, Line, Mark, Panel

PANEL_WIDTH, HEIGHT = 6.4, 4.6  # inches
_LABEL_ROOM = 0.30  # of a panel's width, to the right of the axes
_LABEL_GAP = 13.0  # points between the middles of two labels
_STYLE: Any = {
    "svg.hashsalt": "decoder-anatomy",
    "svg.fonttype": "none",  # words stay words: they can be searched and read aloud
    "font.family": ["DejaVu Sans"],
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e4e4e4",
    "grid.linewidth": 0.7,
}


@dataclass(frozen=True, slots=True)
class _Stroke:
    colour: str
    marker: str
    dashes: str | tuple[int, tuple[float, ...]]


_BASELINE = _Stroke("#000000", "o", "-")
_STROKES = (
    _Stroke("#D55E00", "s", (0, (6, 2))),
    _Stroke("#0072B2", "^", (0, (3, 1.5))),
    _Stroke("#009E73", "D", (0, (6, 2, 1, 2))),
    _Stroke("#CC79A7", "v", (0, (1.5, 1.5))),
    _Stroke("#E69F00", "P", (0, (8, 2, 1, 2, 1, 2))),
)


def png(figure: Figure) -> bytes:
    """The figure as a PNG of 150 dots an inch."""
    return _drawn(figure, "png", dpi=150, metadata={"Software": None})


def svg(figure: Figure) -> bytes:
    """The figure as an SVG whose words are text; no date in it."""
    return _drawn(figure, "svg", metadata={"Date": None, "Creator": None})


def _drawn(figure: Figure, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE):
        canvas = Canvas(figsize=(PANEL_WIDTH * len(figure.panels), HEIGHT))
        FigureCanvasAgg(canvas)
        _draw(canvas, figure)
        canvas.savefig(buffer, format=kind, **options)
    return buffer.getvalue()


def _draw(canvas: Canvas, figure: Figure) -> None:
    columns = 62 * len(figure.panels)
    title = textwrap.wrap(figure.title, columns)
    conditions = textwrap.wrap(figure.conditions, int(columns * 1.25))
    inch = 1 / HEIGHT
    top = 1 - 0.12 * inch
    canvas.text(0.012, top, "\n".join(title), fontsize=13, fontweight="bold", va="top", linespacing=1.25)
    top -= (0.24 * len(title) + 0.05) * inch
    canvas.text(0.012, top, "\n".join(conditions), fontsize=9, color="#444444", va="top", linespacing=1.3)
    top -= (0.17 * len(conditions) + 0.32) * inch
    width = 1 / len(figure.panels)
    for number, panel in enumerate(figure.panels):
        left = number * width + 0.75 / PANEL_WIDTH * width
        right = (number + 1) * width - _LABEL_ROOM * width
        axes = canvas.add_axes((left, 0.55 * inch, right - left, top - 0.55 * inch))
        _draw_panel(axes, panel)


def _draw_panel(axes: Axes, panel: Panel) -> None:
    axes.set_title(panel.heading, fontsize=10, loc="left")
    axes.set_xlabel(panel.x.label)
    axes.set_ylabel(panel.y.label)
    strokes = iter(_STROKES)
    ends: list[tuple[float, float, Line, _Stroke]] = []
    for line in panel.lines:
        stroke = _BASELINE if line.baseline else next(strokes)
        points = [(x, y) for x, y in zip(line.x, line.y, strict=True) if y is not None]
        if not points:
            continue
        axes.plot(
            *zip(*points, strict=True), color=stroke.colour, marker=stroke.marker, markersize=5,
            linestyle=stroke.dashes, linewidth=2.2 if line.baseline else 1.8, zorder=3,
        )  # fmt: skip
        _band(axes, line, stroke)
        ends.append((*(min(points) if panel.x.falling else max(points)), line, stroke))
    _scale(axes, panel)
    for mark in panel.marks:
        _draw_mark(axes, mark)
    _label(axes, ends)


def _band(axes: Axes, line: Line, stroke: _Stroke) -> None:
    spread = [
        (x, low, high)
        for x, low, high in zip(line.x, line.low, line.high, strict=False)
        if low is not None and high is not None
    ]
    if spread:
        xs, lows, highs = zip(*spread, strict=True)
        axes.fill_between(xs, lows, highs, color=stroke.colour, alpha=0.15, linewidth=0, zorder=2)


def _scale(axes: Axes, panel: Panel) -> None:
    for axis, which, set_scale in ((panel.x, axes.xaxis, axes.set_xscale), (panel.y, axes.yaxis, axes.set_yscale)):
        if axis.log:
            set_scale("log", base=2 if axis is panel.x else 10)
        _set_ticks(which, axis)
        which.set_inverted(axis.falling)


def _set_ticks(which: Any, axis: Axis) -> None:
    if axis.ticks is not None:
        which.set_major_locator(FixedLocator(list(axis.ticks)))
        which.set_minor_locator(NullLocator())
        which.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def _draw_mark(axes: Axes, mark: Mark) -> None:
    if mark.y is not None:
        axes.axhline(mark.y, color="#666666", linewidth=1, linestyle=":", zorder=1)
        axes.annotate(
            mark.label, (0.01, mark.y), xycoords=("axes fraction", "data"), xytext=(0, 3), textcoords="offset points",
            fontsize=8.5, color="#444444",
        )  # fmt: skip
    if mark.x is not None:
        axes.axvline(mark.x, color="#666666", linewidth=1, linestyle=":", zorder=1)
        axes.annotate(
            mark.label, (mark.x, 0.98), xycoords=("data", "axes fraction"), xytext=(4, 0), textcoords="offset points",
            fontsize=8.5, color="#444444", va="top",
        )  # fmt: skip


def _label(axes: Axes, ends: list[tuple[float, float, Line, _Stroke]]) -> None:
    """Write each line's name at its right end, moved apart where two would touch."""
    figure = axes.get_figure()
    assert figure is not None
    per_point = figure.dpi / 72
    gap = _LABEL_GAP * per_point
    placed = sorted(
        ((float(axes.transData.transform((x, y))[1]), x, y, line, stroke) for x, y, line, stroke in ends),
        key=lambda end: end[0],
    )
    heights = _apart([end[0] for end in placed], gap)
    for height, (natural, x, y, line, stroke) in zip(heights, placed, strict=True):
        edge = float(axes.transAxes.transform((1, 0))[0]) - float(axes.transData.transform((x, y))[0])
        axes.annotate(
            line.label, (x, y), textcoords="offset points",
            xytext=(edge / per_point + 8, (height - natural) / per_point), color=stroke.colour, va="center",
            fontsize=9.5, fontweight="bold" if line.baseline else "normal", annotation_clip=False,
        )  # fmt: skip


def _apart(heights: list[float], gap: float) -> list[float]:
    """Ascending heights moved as little as a few sweeps need, until neighbours are `gap` apart."""
    moved = list(heights)
    for _ in range(50):
        for i in range(1, len(moved)):
            short = gap - (moved[i] - moved[i - 1])
            if short > 0:
                moved[i - 1] -= short / 2
                moved[i] += short / 2
    return moved
