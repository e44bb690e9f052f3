"""A number is read exactly, and only where it can be read in one way."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.review.questions.kinds.numeral import MOST_CHARACTERS, Unreadable, infinite, read_number


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", Fraction(3)),
        (" +3 ", Fraction(3)),
        ("0.1", Fraction(1, 10)),
        (".5", Fraction(1, 2)),
        ("5.", Fraction(5)),
        ("-2.50", Fraction(-5, 2)),
        ("\N{MINUS SIGN}4", Fraction(-4)),
        ("\N{EN DASH}4", Fraction(-4)),
        ("1e-5", Fraction(1, 100_000)),
        ("1E3", Fraction(1000)),
        ("2^10", Fraction(1024)),
        ("10**3", Fraction(1000)),
        ("2^-3", Fraction(1, 8)),
        ("-2^2", Fraction(-4)),
        ("-1/3", Fraction(-1, 3)),
        ("\N{MINUS SIGN}1/3", Fraction(-1, 3)),
        ("3*10^-4", Fraction(3, 10_000)),
        ("4.7 \N{MIDDLE DOT} 10^-4", Fraction(47, 100_000)),
        ("2 \N{MULTIPLICATION SIGN} (3 + 4)", Fraction(14)),
        ("124439808", Fraction(124_439_808)),
        ("12345678901234567890", Fraction(12345678901234567890)),
    ],
)
def test_what_people_type_is_read_exactly(text: str, value: Fraction) -> None:
    assert read_number(text) == value


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_that_python_writes_is_read_back(value: float) -> None:
    if 1e-300 < abs(value) < 1e300 or value == 0:
        assert float(read_number(repr(value))) == value


@given(st.fractions())
def test_every_fraction_is_read(value: Fraction) -> None:
    if len(str(value)) <= MOST_CHARACTERS:
        assert read_number(str(value)) == value


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("1,024", "`1,024` can be read in two ways. Type 1024 or 1.024, without a comma."),
        ("3,145", "`3,145` can be read in two ways. Type 3145 or 3.145, without a comma."),
        ("-1,5", "`-1,5` can be read in two ways. Type -15 or -1.5, without a comma."),
        ("0,5", "`0,5` has a comma. Type 0.5, with a point."),
        (
            "1,024,000",
            "A comma can be read in two ways. Type one number without commas, with a point before the decimals.",
        ),
        ("", "Type a number."),
        ("   ", "Type a number."),
        ("1/0", "That divides by 0. Type a number."),
        ("0^-1", "That divides by 0. Type a number."),
        ("9^9^9", "That power is too large to be read. Type a number."),
        ("(9^99)^99", "That power is too large to be read. Type a number."),
        ("1e999999999", "That exponent is too large."),
        ("(-1)^0.5", "A root of a negative number is no answer here. Type a number."),
        ("1" * (MOST_CHARACTERS + 1), "That is too long for a number. Type its value."),
    ],
)
def test_what_can_be_read_in_two_ways_or_never_is_asked_back(text: str, says: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_number(text)
    assert str(caught.value) == says


@pytest.mark.parametrize(
    "text",
    [
        "three",
        "nan",
        "inf",
        "NaN",
        "1 024",
        "1_024",
        "0x10",
        "3 nats",
        "50%",
        "x = 3",
        "1 2",
        "(",
        "3 if 1 else 2",
        "True",
        "2j",
        "[3]",
        "'3'",
        "abs(-3)",
        "7 // 2",
        "\N{FULLWIDTH DIGIT THREE}",
        "\N{ARABIC-INDIC DIGIT THREE}",
        "\N{SUPERSCRIPT TWO}",
        "\N{VULGAR FRACTION ONE HALF}",
        "3\x00",
        "(" * 70,
    ],
)
def test_everything_else_is_no_number(text: str) -> None:
    with pytest.raises(Unreadable, match="not read as a number"):
        read_number(text)


@given(st.text(max_size=MOST_CHARACTERS))
def test_no_text_breaks_the_reader(text: str) -> None:
    says = ""
    try:
        read_number(text)
    except Unreadable as error:
        says = str(error)
    assert not says or says.endswith(".")


@given(st.text(alphabet="0123456789.e+-*/^()", max_size=40))
def test_no_arithmetic_breaks_the_reader(text: str) -> None:
    try:
        value = read_number(text)
    except Unreadable:
        return
    assert value.numerator.bit_length() < 200_000


@pytest.mark.parametrize("text", ["inf", "+inf", " Infinity ", "\N{INFINITY}"])
def test_infinity_is_a_word_of_its_own(text: str) -> None:
    assert infinite(text) == float("inf")
    assert infinite("-" + text.strip().removeprefix("+")) == float("-inf")
    assert infinite("\N{MINUS SIGN}inf") == float("-inf")
    assert infinite("3") is None
