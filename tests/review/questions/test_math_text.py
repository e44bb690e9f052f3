"""A formula in one line means what the formula means: fractions, roots and exponents keep their brackets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.review.questions.math_text import ascii_text, math_text


@pytest.mark.parametrize(
    ("tex", "text", "ascii_only"),
    [
        (r"\sqrt{K}", "√(K)", "sqrt(K)"),
        (r"\sqrt[3]{x}", "(x)^(1/3)", "(x)^(1/3)"),
        (r"\frac{1}{2} (a + b)", "(1/2) (a + b)", "(1/2) (a + b)"),
        (r"\tfrac83 D", "(8/3) D", "(8/3) D"),
        (r"\frac{a + b}{2 c}", "((a + b)/(2 c))", "((a + b)/(2 c))"),
        (r"16^{-4/8} = 1/4", "16^(-4/8) = 1/4", "16^(-4/8) = 1/4"),
        (r"2^{-N}", "2^-N", "2^-N"),
        (r"e^{z_u}", "e^(z_u)", "e^(z_u)"),
        (r"e^{-(s_1 - s_2)}", "e^(-(s_1 - s_2))", "e^(-(s_1 - s_2))"),
        (r"h^{(N)}", "h^(N)", "h^(N)"),
        (r"H_{kv} K", "H_kv K", "H_kv K"),
        (r"R_{j-i} k_j", "R_(j-i) k_j", "R_(j-i) k_j"),
        (r"b_\text{in}", "b_in", "b_in"),
        (r"\sum_{i=1}^{n} x_i", "∑_(i=1)^n x_i", "sum_(i=1)^n x_i"),
        (r"3 \cdot 10^{-4}", "3 · 10^-4", "3 * 10^-4"),
        (r"3 \times 7", "3 \N{MULTIPLICATION SIGN} 7", "3 x 7"),
        (r"0 \cdot \log 0", "0 · log 0", "0 * log 0"),
        (r"-\ln(1/V) = \ln V", "-ln(1/V) = ln V", "-ln(1/V) = ln V"),
        (r"\log_2 n", "log_2 n", "log_2 n"),
        (r"a\cos\theta - b\sin\theta", "a cos θ - b sin θ", "a cos theta - b sin theta"),
        (r"1 - \eta\lambda", "1 - ηλ", "1 - eta lambda"),
        (r"2\pi", "2π", "2 pi"),
        (r"\Phi(-x)", "Φ(-x)", "Phi(-x)"),
        (r"s^2 + \varepsilon", "s^2 + ε", "s^2 + epsilon"),
        (r"300 / \infty = 0", "300 / ∞ = 0", "300 / inf = 0"),
        (r"\lfloor h / n \rfloor", "⌊h / n⌋", "floor(h / n)"),
        (
            r"\hat m / \sqrt{\hat v}",
            "m\N{COMBINING CIRCUMFLEX ACCENT} / √(v\N{COMBINING CIRCUMFLEX ACCENT})",
            "m_hat / sqrt(v_hat)",
        ),
        (r"\mathbf{1}\mathbf{1}^\top", "1 1^\N{DOWN TACK}", "1 1^T"),
        (r"x \le y", "x ≤ y", "x <= y"),
        (r"a \to b", "a → b", "a -> b"),
        (r"0, 1, \ldots, W - 1", "0, 1, …, W - 1", "0, 1, ..., W - 1"),
        (r"\pm\sqrt{D}", "±√(D)", "+-sqrt(D)"),
        (r"0.6\,(s + 1)", "0.6 (s + 1)", "0.6 (s + 1)"),
        (r"\big(a\big) \left[b\right]", "(a) [b]", "(a) [b]"),
        (r"\mathrm{SiLU}(g x) \cdot u x", "SiLU(g x) · u x", "SiLU(g x) * u x"),
        ("({3}, {-1}, 1)", "(3, -1, 1)", "(3, -1, 1)"),
        (r"\sqrt{{64}}", "√(64)", "sqrt(64)"),
    ],
)
def test_a_formula_becomes_one_line(tex: str, text: str, ascii_only: str) -> None:
    assert math_text(tex) == text
    assert ascii_text(math_text(tex)) == ascii_only


def test_an_unknown_command_is_kept_by_its_name() -> None:
    assert math_text(r"\foo{x} + 1") == "foo x + 1"


def test_a_formula_over_two_lines_is_one_line() -> None:
    assert math_text("a +\n  b") == "a + b"


@given(st.text())
def test_ascii_text_is_ascii(text: str) -> None:
    assert ascii_text(text).isascii()


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_ascii_stays_as_it_is(text: str) -> None:
    assert ascii_text(text) == text


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("naïve", "naive"),
        ("„a“ — b", '?a" -- b'),
        ("x ∈ \N{DOUBLE-STRUCK CAPITAL R}", "x in R"),
        ("Ω", "Omega"),
        ("ﬁne", "fine"),
        ("日", "?"),
    ],
)
def test_letters_without_a_name_lose_their_accents_or_become_question_marks(text: str, shown: str) -> None:
    assert ascii_text(text) == shown
