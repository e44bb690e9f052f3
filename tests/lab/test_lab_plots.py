"""Plots: both files valid, complete without a caption, and the same each time."""

import itertools
import struct
import xml.etree.ElementTree as ET
from dataclasses import replace

import matplotlib as mpl
import pytest

from grader.lab import plot
from grader.lab.figure import Axis, Figure, Mark


@pytest.fixture(scope="module")
def drawing(figure: Figure) -> bytes:
    return plot.svg(figure)


def words(drawing: bytes) -> list[str]:
    root = ET.fromstring(drawing)
    return ["".join(element.itertext()).strip() for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_the_svg_says_the_question_the_axes_and_the_lines(drawing: bytes) -> None:
    said = words(drawing)
    for text in ("Two seeds.", "blocks", "loss (nats)", "pre-norm", "post-norm", "2", "8", "Loss after training"):
        assert text in said
    assert "Where should the norm stand" in " ".join(said)


def test_the_same_figure_gives_the_same_bytes_and_no_date(drawing: bytes, figure: Figure) -> None:
    assert plot.svg(figure) == drawing
    assert b"<dc:date>" not in drawing


def test_the_png_is_one(figure: Figure) -> None:
    image = plot.png(figure)
    assert image.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", image[16:24])
    assert (width, height) == (1920, 690)


def test_lines_differ_in_marker_and_dashes_not_only_in_colour() -> None:
    strokes = (plot._BASELINE, *plot._STROKES)
    assert len({stroke.marker for stroke in strokes}) == len({str(stroke.dashes) for stroke in strokes}) == len(strokes)


def test_missing_values_marks_and_a_falling_axis_are_drawn(figure: Figure) -> None:
    whole = figure
    gone = replace(whole.panels[0].lines[1], y=(None, None))
    holed = replace(whole.panels[0].lines[0], y=(1.0, None), low=(None, None), high=(None, None))
    marks = (Mark("a level", y=1.5), Mark("a place", x=4))
    axis = Axis("budget", log=True, ticks=(2, 8), falling=True)
    panel = replace(whole.panels[0], x=axis, lines=(holed, gone), marks=marks)
    said = words(plot.svg(replace(whole, panels=(panel,))))
    assert {"a level", "a place", "budget", "pre-norm"} <= set(said)
    assert "post-norm" not in said


def test_names_that_would_touch_are_moved_apart() -> None:
    heights = plot._apart([10.0, 10.5, 11.0, 90.0], 12.0)
    assert all(b - a > 11.9 for a, b in itertools.pairwise(heights))
    assert heights[3] == 90.0


def test_drawing_leaves_matplotlib_as_it_was(figure: Figure) -> None:
    before = dict(mpl.rcParams)
    plot.png(figure)
    assert dict(mpl.rcParams) == before
