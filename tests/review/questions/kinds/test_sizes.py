"""Sizes are integer expressions: equal whatever the brackets and the order, and never evaluated by Python."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.review.questions.kinds.numeral import Unreadable
from grader.review.questions.kinds.sizes import read_sizes, same_shape

SYMBOLS = ("B", "T", "D", "H")
EXPRESSIONS = st.recursive(
    st.sampled_from(SYMBOLS) | st.integers(0, 50).map(str),
    lambda inner: st.builds("({} {} {})".format, inner, st.sampled_from("+-*"), inner),
    max_leaves=8,
)


def same(a: str, b: str) -> bool:
    return same_shape(read_sizes(a), read_sizes(b))


@pytest.mark.parametrize(
    "text",
    [
        "2, 3",
        "2,3",
        " ( 2 , 3 ) ",
        "[2, 3]",
        "2, 3,",
        "(2, 3,)",
        "torch.Size([2, 3])",
        "Size((2, 3))",
        "((2, 3))",
        "1 + 1, 9 / 3",
        "2^1, 7 // 2",
    ],
)
def test_a_shape_reads_the_same_in_every_writing(text: str) -> None:
    assert [size.text for size in read_sizes(text)] == ["2", "3"]


@pytest.mark.parametrize(
    ("text", "count"), [("()", 0), ("[]", 0), ("torch.Size([])", 0), ("7", 1), ("(7,)", 1), ("[7]", 1)]
)
def test_scalars_and_single_axes_are_shapes(text: str, count: int) -> None:
    assert len(read_sizes(text)) == count


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("B*T, D", "T*B, D"),
        ("2*T", "T + T"),
        ("(T + 1)**2", "T*T + 2*T + 1"),
        ("(T - 1)*(T + 1)", "T^2 - 1"),
        ("T - 1", "-1 + T"),
        ("D/H", "D // H"),
        ("H*(D/H)", "D"),
        ("3*H*K", "K * 3 * H"),
        ("B\N{MULTIPLICATION SIGN}T", "B*T"),
        ("T\N{MINUS SIGN}1", "T-1"),
        ("Tq", "Tq"),
        ("d_model", "d_model"),
    ],
)
def test_the_same_integer_is_the_same_size(a: str, b: str) -> None:
    assert same(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("B, T", "T, B"),
        ("B, T", "B, T, 1"),
        ("2*T", "T*T"),
        ("T - 1", "1 - T"),
        ("T + 1", "T"),
        ("T**2", "2*T"),
        ("B*T, D", "B, T*D"),
        ("b", "B"),
        ("()", "1"),
    ],
)
def test_another_integer_is_another_size(a: str, b: str) -> None:
    assert not same(a, b)


@given(EXPRESSIONS, EXPRESSIONS)
def test_sums_and_products_commute(a: str, b: str) -> None:
    if any(symbol in a + b for symbol in SYMBOLS):
        assert same(f"B + {a} + {b}", f"{b} + ({a} + B)")
        assert same(f"B * {a} * {b}", f"{b} * ({a} * B)")
        assert same(f"B * ({a} + {b})", f"B*{a} + B*{b}")
        assert not same(f"B + {a}", f"B + {a} + 1")


@given(st.dictionaries(st.sampled_from(SYMBOLS), st.integers(1, 9), min_size=4), EXPRESSIONS)
def test_an_expression_of_numbers_is_its_value(values: dict[str, int], expression: str) -> None:
    for symbol, value in values.items():
        expression = expression.replace(symbol, str(value))
    by_python = eval(expression)  # noqa: S307  made here, of digits and + - * only
    if by_python >= 0:
        assert [size.text for size in read_sizes(expression)] == [str(by_python)]
    else:
        with pytest.raises(Unreadable, match="a size is a whole number, 0 or more"):
            read_sizes(expression)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "Type the sizes with commas between them"),
        ("B T D", "is not read as a shape"),
        ("2 x 3", "is not read as a shape"),
        ("2T, 3", "is not read as a shape"),
        ("(2, 3", "is not read as a shape"),
        ("two, three!", "is not read as a shape"),
        ("(2, 3), 4", "`(2, 3)` is not read as a size"),
        ("len(x), 3", "`len(x)` is not read as a size"),
        ("x.shape", "`x.shape` is not read as a size"),
        ("x[0], 3", "is not read as a size"),
        ("'2', 3", "is not read as a size"),
        ("True, 3", "is not read as a size"),
        ("2 if B else 3", "is not read as a size"),
        ("2.5, 3", "A size is a whole number. Type it without decimals."),
        ("7/2", "`7 / 2` is 3.5; a size is a whole number, 0 or more."),
        ("2 - 3", "`2 - 3` is -1; a size is a whole number, 0 or more."),
        ("B % 2", "A size is made of whole numbers and names with +, -, * and /."),
        ("T / 0", "That divides by 0."),
        ("T / (B - B)", "That divides by 0."),
        ("9**9**9", "A power in a size has a whole exponent from 0 to 16."),
        ("B**T", "A power in a size has a whole exponent from 0 to 16."),
        ("B**(1/2)", "A power in a size has a whole exponent from 0 to 16."),
        ("((((9**16)**16)**16)**16)**16", "That power is too large for a size."),
        ("((((B**16)**16)**16)**16)**16", "That power is too large for a size."),
        ("\N{FULLWIDTH LATIN CAPITAL LETTER T}, 3", "has a character that is not read in a shape"),
        ("1," * 17, "A shape has at most 16 sizes here."),
        ("1" * 201, "That is too long for a shape."),
    ],
)
def test_what_is_no_shape_is_asked_back(text: str, says: str) -> None:
    with pytest.raises(Unreadable) as caught:
        read_sizes(text)
    assert says in str(caught.value)


@given(st.text(max_size=60))
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        sizes = read_sizes(text)
    except Unreadable:
        return
    assert all(size.values for size in sizes)


@given(st.text(alphabet="BT0123456789+-*/^(),", max_size=60))
def test_no_arithmetic_breaks_the_reader(text: str) -> None:
    try:
        sizes = read_sizes(text)
    except Unreadable:
        return
    assert same_shape(sizes, read_sizes(text))
