"""The shape of a tensor: sizes in numbers, or in the symbols that the question uses."""

import re

from grader.review.questions.draw import fill
from grader.review.questions.kinds.numeral import Unreadable
from grader.review.questions.kinds.sizes import Size, read_sizes, same_shape
from grader.review.questions.model import AskBack, Call, Drawn, Key, Mark, Slip, Variant, right_or_wrong
from grader.review.questions.oracle import Oracle

_WORD = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def key(drawn: Drawn, oracle: Oracle) -> Key:
    """The sizes, each as an expression, and the slips that are another shape."""
    right = right_sizes(drawn, oracle)
    slips = [(slip_sizes(slip, drawn, oracle), fill(slip.feedback, drawn.params)) for slip in drawn.question.also]
    told_apart = tuple((_texts(wrong), feedback) for wrong, feedback in slips if not same_shape(wrong, right))
    return Key(_texts(right), told_apart, written(right))


def right_sizes(drawn: Drawn, oracle: Oracle) -> tuple[Size, ...]:
    """The right answer to a drawn shape question."""
    answer = drawn.question.answer
    if isinstance(answer, Call):
        return _numbers(oracle.shape(answer, drawn.params))
    return read_sizes(fill(str(answer), drawn.params))


def slip_sizes(slip: Slip, drawn: Drawn, oracle: Oracle) -> tuple[Size, ...]:
    """What somebody types who makes that slip. Raises Unreadable for a text that is no shape."""
    if isinstance(slip.value, Variant):
        assert isinstance(drawn.question.answer, Call)  # the loader lets no other through
        return _numbers(oracle.wrong_shape(slip.value, drawn.question.answer, drawn.params))
    if isinstance(slip.value, Call):
        return _numbers(oracle.shape(slip.value, drawn.params))
    return read_sizes(fill(str(slip.value), drawn.params))


def _numbers(sizes: tuple[int, ...]) -> tuple[Size, ...]:
    return read_sizes(repr(sizes))


def _texts(sizes: tuple[Size, ...]) -> tuple[str, ...]:
    return tuple(size.text for size in sizes)


def written(sizes: tuple[Size, ...]) -> str:
    """A shape as Python writes it: `(2, 3)`, `(5,)`, `()`."""
    texts = _texts(sizes)
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def mark(drawn: Drawn, key: Key, given: str) -> Mark | AskBack:
    """Right when every size is the same integer expression, however it is written."""
    right = _read(key.value)
    symbols = {symbol for size in right for symbol in size.symbols}
    try:
        typed = read_sizes(given, lambda name: _meant(name, symbols, drawn.prompt))
    except Unreadable as error:
        return AskBack(str(error))
    if same_shape(typed, right):
        return right_or_wrong(True, "", given.strip())
    feedback = next((feedback for value, feedback in key.slips if same_shape(typed, _read(value))), "")
    return right_or_wrong(False, feedback, given.strip())


def _read(value: object) -> tuple[Size, ...]:
    assert isinstance(value, tuple)
    return tuple(size for text in value for size in read_sizes(str(text)))


def _meant(name: str, symbols: set[str], prompt: str) -> str:
    """The symbol that a typed name stands for: `b` is B where the answer has B and no b. Raises Unreadable."""
    if name in symbols:
        return name
    alike = [symbol for symbol in symbols if symbol.casefold() == name.casefold()]
    if len(alike) == 1:
        return alike[0]
    if not symbols:
        raise Unreadable(f"`{name}` is not a number here. Type the sizes in numbers, as in 2, 3.")
    if name in _WORD.findall(prompt):
        return name
    raise Unreadable(f"The question has no `{name}`. Use its own names for the sizes.")


def how_to_answer(drawn: Drawn) -> str:
    answer = drawn.question.answer
    symbols = isinstance(answer, str) and _WORD.search(fill(answer, drawn.params))
    example = "B, 2*T" if symbols else "2, 3"
    return f"Type the sizes with commas between them, as in {example}."
