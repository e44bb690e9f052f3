"""Formulas become MathML Core that browsers draw as TeX would."""
# ruff: noqa: RUF001  # signs that look like letters are what is tested

import re
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin

from grader.course.load import load_course
from grader.course.yaml12 import CoreLoader
from grader.site.mathml import UnreadableFormula, mathml

COURSE = load_course()
ANNOTATION = re.compile(r"<annotation.*?</annotation>", re.DOTALL)


def texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in texts(each)]


@cache
def formulas(page: Path) -> frozenset[tuple[str, bool]]:
    """Every formula of a lesson or of its quiz, and whether it is displayed."""
    parser = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, double_inline=True)
    text = page.read_text("utf-8")
    tokens = [
        child
        for markdown in ([text] if page.suffix == ".md" else texts(yaml.load(text, CoreLoader)))
        for token in parser.parse(markdown)
        for child in [token, *(token.children or ())]
    ]
    return frozenset((token.content, token.type != "math_inline") for token in tokens if token.type.startswith("math_"))


PAGES = [lesson.folder / name for lesson in COURSE.lessons for name in ("lesson.md", "quiz.yaml")]


def inner(tex: str, *, display: bool = False) -> str:
    """The MathML without its wrapping and without the TeX that it keeps."""
    return re.sub(r"^<math[^>]*><semantics>|</semantics></math>$", "", ANNOTATION.sub("", mathml(tex, display=display)))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_every_formula_of_the_course_is_read_to_its_last_command(page):
    for tex, display in formulas(page):
        written = ANNOTATION.sub("", mathml(tex, display=display))
        assert not re.search(r"[\\{}&](?!gt;|lt;|amp;|#39;)", written.replace("{</mo>", "").replace("}</mo>", "")), tex


def test_the_course_has_formulas_to_try():
    assert sum(len(formulas(page)) for page in PAGES) > 700


@pytest.mark.parametrize("page", PAGES, ids=lambda page: f"{page.parent.name}/{page.name}")
def test_every_formula_is_well_formed_and_keeps_its_source(page):
    for tex, display in formulas(page):
        tree = ElementTree.fromstring(mathml(tex, display=display))
        assert tree.get("display") == ("block" if display else None)
        (source,) = tree.findall("semantics/annotation")
        assert source.text == tex.strip()
        names = {element.get("mathvariant") for element in tree.iter()}
        assert names <= {None, "normal"}


@pytest.mark.parametrize(
    ("tex", "expected"),
    [
        ("10{,}000", "<mn>10,000</mn>"),
        ("2^{10{,}000{,}000}", "<msup><mn>2</mn><mn>10,000,000</mn></msup>"),
        ("2e6", "<mrow><mn>2</mn><mo>·</mo><msup><mn>10</mn><mn>6</mn></msup></mrow>"),
        ("10^{-5}", '<msup><mn>10</mn><mrow><mo form="prefix">−</mo><mn>5</mn></mrow></msup>'),
        (r"\mathrm{softmax}", "<mi>softmax</mi>"),
        (r"\mathrm{d}", '<mi mathvariant="normal">d</mi>'),
        (r"\Phi", '<mi mathvariant="normal">Φ</mi>'),
        (r"\mathbf{1}", "<mn>𝟏</mn>"),
        (r"\mathbf{W}", "<mi>𝐖</mi>"),
        (r"\mathbb{R}", "<mi>ℝ</mi>"),
        (r"\infty", "<mi>∞</mi>"),
        (r"\partial L", "<mrow><mi>∂</mi><mi>L</mi></mrow>"),
        (r"x \sim y", "<mrow><mi>x</mi><mo>∼</mo><mi>y</mi></mrow>"),
        (r"\log_2 p", '<mrow><msub><mi>log</mi><mn>2</mn></msub><mspace width="0.167em"></mspace><mi>p</mi></mrow>'),
        (r"\cos(x)", '<mrow><mi>cos</mi><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo></mrow>'),
        (r"\operatorname{erf}", "<mi>erf</mi>"),
        ("a'_i", '<msub><mrow><mi>a</mi><mo lspace="0em" rspace="0em">′</mo></mrow><mi>i</mi></msub>'),
        (r"\hat{x}", '<mover accent="true"><mi>x</mi><mo stretchy="false">ˆ</mo></mover>'),
        (r"\overline{g}", '<mover accent="true" class="overline"><mi>g</mi><mo>‾</mo></mover>'),
        (r"W_\text{out}", "<msub><mi>W</mi><mtext>out</mtext></msub>"),
        ("x_{n-1}", '<msub><mi>x</mi><mrow><mi>n</mi><mo lspace="0em" rspace="0em">−</mo><mn>1</mn></mrow></msub>'),
        (r"x\!y", "<mrow><mi>x</mi><mi>y</mi></mrow>"),
    ],
)  # fmt: skip
def test_a_formula_becomes(tex, expected):
    assert inner(tex) == expected


@pytest.mark.parametrize("tex", ["-x", "a = -x", "(-x)", "a, -x", r"a \cdot -x", r"|{-x}|", r"a \quad = \; -x"])
def test_a_sign_with_nothing_before_it_belongs_to_what_follows(tex):
    assert '<mo form="prefix">−</mo>' in inner(tex)


@pytest.mark.parametrize("tex", ["a - x", "(a) - x", "a_i - x", "|a| - x"])
def test_a_minus_between_two_terms_is_a_difference(tex):
    assert "<mo>−</mo>" in inner(tex)


def test_bars_open_and_close_in_turn():
    forms = re.findall(r'form="(\w+)"', inner(r"|q_i|\,|k_i| \le \lVert v \rVert"))
    assert forms == ["prefix", "postfix"] * 3


def test_a_single_bar_divides():
    assert 'form="infix">|</mo>' in inner("p(x|y)")


def test_limits_stand_above_and_below_where_a_formula_is_displayed():
    for tex in (r"\sum_{i}^{n} x", r"\left( \sum_{i}^{n} x \right)", r"\max_i^n x"):
        assert "<munderover>" in inner(tex, display=True)
    assert "<msubsup>" in inner(r"\sum_{i}^{n} x")


def test_a_big_bracket_with_an_exponent_grows_with_what_it_holds():
    written = inner(r"a \Big(\frac{1}{x}\Big)^2")
    assert re.search(
        r'<msup><mrow><mo minsize="[\d.]+em"[^>]*>\(</mo><mfrac>.*\)</mo></mrow><mn>2</mn></msup>', written
    )


def test_left_and_right_stretch():
    assert re.findall(r'<mo stretchy="true" form="(\w+)">', inner(r"\left( \frac{1}{2} \right]")) == [
        "prefix",
        "postfix",
    ]
    assert inner(r"\left. x \right|").count("<mo") == 1


def test_cases_and_aligned_equations_are_aligned_by_classes():
    cases = inner(r"\begin{cases} -s & j \le p \\ -\infty & j > p \end{cases}")
    assert cases.count('<mtd class="left">') == 4
    assert "columnalign" not in cases
    aligned = inner(r"\begin{aligned} a &= b \\ &= c \end{aligned}")
    assert aligned.count('<mtd class="right">') == aligned.count('<mtd class="left">') == 2


def test_brackets_of_a_matrix_are_as_high_as_it_is():
    assert "<mo>(</mo><mtable>" in inner(r"\begin{pmatrix} 1 & 2 \end{pmatrix}")


@pytest.mark.parametrize(
    ("tex", "says"),
    [
        (r"\foo x", r"\foo is an unknown command"),
        (r"\frac", "while reading it"),
        ("x_1_2", "while reading it"),
        (r"\limits", "an argument is missing"),
        (r"\boxed{x}", "<menclose>"),
        (r"\def\a{\a\a}\a", r"\def is not allowed"),
        (r"\newcommand{\a}{x}\a", r"\newcommand is not allowed"),
        (r"\href{javascript:alert(1)}{x}", r"\href is not allowed"),
        (r"\style{color: red}{x}", r"\style is not allowed"),
        ("{" * 5000, "while reading it"),
    ],
)  # fmt: skip
def test_what_cannot_be_shown_is_refused_with_a_reason(tex, says):
    with pytest.raises(UnreadableFormula, match=re.escape(says)):
        mathml(tex)


@pytest.mark.parametrize("tex", [r"\text{<script>}", "x < y", r"\text{&lt;script&gt;}", r"\color{a\"b}{x}"])
def test_markup_in_a_formula_is_text(tex):
    written = str(mathml(tex))
    assert "<script" not in written
    ElementTree.fromstring(written)
