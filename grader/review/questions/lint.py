"""What is wrong with a question and shows only when it is drawn: its numbers, its answers, what its snippet prints."""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

from grader.course.mistakes import CourseErrors, Mistake
from grader.review.questions.draw import draw, placeholders
from grader.review.questions.kinds import choice, code, numeric, shape, short
from grader.review.questions.kinds.numeral import Unreadable
from grader.review.questions.kinds.sizes import same_shape
from grader.review.questions.load import repeated_ids
from grader.review.questions.model import Drawn, Question, Tolerance
from grader.review.questions.oracle import Oracle
from grader.review.questions.printed import Printed, run_snippets

SEEDS = 200
T = TypeVar("T")


def lint(
    question: Question, oracle: Oracle, seeds: int = SEEDS, outputs: Mapping[str, Printed] | None = None
) -> list[Mistake]:
    """Every mistake of one question. `outputs`: what its snippet prints, by program; run here when not given."""
    drawn = distinct_draws(question, seeds)
    checks: list[Callable[[], Iterable[Mistake]]] = [
        lambda: _texts(question),
        lambda: _unused_params(question),
        lambda: _options(drawn),
        lambda: _tolerance(question),
        lambda: _written_slips(question),
        lambda: _answers(drawn, oracle),
        lambda: _code(drawn, oracle, outputs),
        lambda: _steps(question),
    ]
    mistakes: list[Mistake] = []
    for check in checks:
        try:
            mistakes.extend(check())
        except CourseErrors as error:
            mistakes.extend(error.mistakes)
    return sorted(set(mistakes))


def lint_all(questions: Iterable[Question], oracle: Oracle, seeds: int = SEEDS) -> list[Mistake]:
    """Every mistake of many questions (a lesson's, the course's), ids that are there twice among them."""
    questions = list(questions)
    outputs = run_snippets([text for question in questions for text in programs(distinct_draws(question, seeds))])
    mistakes = repeated_ids(questions)
    for question in questions:
        mistakes.extend(lint(question, oracle, seeds, outputs))
    return sorted(set(mistakes))


def distinct_draws(question: Question, seeds: int) -> list[Drawn]:
    """The question drawn with that many seeds, each set of numbers once."""
    found: dict[str, Drawn] = {}
    for number in range(seeds if question.params else 1):
        drawn = draw(question, f"{number:x}")
        found.setdefault(json.dumps(drawn.params, sort_keys=True), drawn)
    return list(found.values())


def _mistake(question: Question, says: str, line: int | None = None) -> Mistake:
    return Mistake(question.path, question.line if line is None else line, f"{question.id}: {says}")


def _texts(question: Question) -> Iterator[Mistake]:
    """No placeholder without a parameter; an explanation, and feedback wherever an answer is wrong."""
    params = {param.name for param in question.params}
    for name, text in _all_texts(question):
        for unknown in sorted(set(placeholders(text)) - params):
            yield _mistake(question, f"{name} has `{{{unknown}}}`, but there is no parameter {unknown}")
        if not text.strip():
            yield _mistake(question, f"{name} is blank")
        if _outside_code(text).count("$") % 2:
            yield _mistake(question, f"{name} has a `$` without its partner")


def _outside_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)


def _all_texts(question: Question) -> Iterator[tuple[str, str]]:
    yield "`prompt`", question.prompt
    yield "`explanation`", question.explanation
    for hint in question.hints:
        yield "a hint", hint
    for option in question.options:
        yield f"the text of option {option.id}", option.text
        yield f"the feedback of option {option.id}", option.feedback
    for slip in question.also:
        yield "a feedback of `also`", slip.feedback
        if question.kind == "shape" and isinstance(slip.value, str):
            yield "a value of `also`", slip.value
    if question.kind == "shape" and isinstance(question.answer, str):
        yield "`answer`", question.answer
    if question.kind == "explain" and isinstance(question.answer, tuple):
        for idea in question.answer:
            yield "an idea", str(idea)


def _unused_params(question: Question) -> Iterator[Mistake]:
    """A number that is drawn but not shown; one that the answer does not need may be there to be seen through."""
    shown = question.prompt + " ".join(option.text for option in question.options)
    for param in question.params:
        if f"{{{param.name}}}" not in shown:
            says = f"the parameter {param.name} is drawn, but the prompt does not show `{{{param.name}}}`"
            yield _mistake(question, says)


def _options(drawn: list[Drawn]) -> Iterator[Mistake]:
    """Options can be told apart by their texts, and their ids from the letters beside them."""
    question = drawn[0].question
    count = len(question.options)
    for option in question.options:
        if len(option.id) <= count and set(option.id) <= set(choice.LETTERS[:count]):
            yield _mistake(question, f"the option id {option.id} can be taken for letters that are shown; rename it")
    for one in drawn:
        texts = [" ".join(option.text.split()).casefold() for option in one.options]
        if len(set(texts)) < len(texts):
            yield _mistake(question, f"two options have the same text{_with(one)}")
            return


def _tolerance(question: Question) -> Iterator[Mistake]:
    """The prompt of a numeric question says what is accepted."""
    if question.tolerance is None:
        return
    prompt = " ".join(question.prompt.split())
    if not re.search(tolerance_words(question.tolerance), prompt, re.IGNORECASE):
        yield _mistake(question, f"`prompt` does not say what is accepted; write ({question.tolerance.says})")


def tolerance_words(tolerance: Tolerance) -> str:
    """A pattern for the words in which a prompt may state a tolerance."""
    match tolerance.kind:
        case "exact":
            return r"\bexact(?:ly)?\b"
        case "rtol":
            return rf"\b{re.escape(tolerance.says.removesuffix(' percent'))}(?: percent\b| ?%)"
        case _:
            # Not followed by more digits: 0.01 is not 0.015.
            return rf"\b{re.escape(tolerance.says)}(?!\.?\d)"


def _written_slips(question: Question) -> Iterator[Mistake]:
    """A slip that is written down differs from the answer."""
    for slip in question.also:
        same = False
        if question.kind == "short":
            same = any(short.among(spelling, question.answer) for spelling in short.texts(slip.value))
        elif question.kind == "code":
            same = code.normal(str(slip.value)) == code.normal(str(question.answer))
        elif question.kind == "order":
            same = slip.value == question.answer
        if same:
            yield _mistake(question, f"{slip.value!r} in `also` is the right answer", slip.place.line)


def _answers(drawn: list[Drawn], oracle: Oracle) -> Iterator[Mistake]:
    """Numbers are finite, slips can be told from the answer for some numbers, and numbers make a difference."""
    question = drawn[0].question
    if question.kind == "numeric":
        yield from _numbers(question, drawn, oracle)
    elif question.kind == "shape":
        try:
            yield from _shapes(question, drawn, oracle)
        except Unreadable as error:
            yield _mistake(question, f"the answer or a slip is no shape: {error}")


def _numbers(question: Question, drawn: list[Drawn], oracle: Oracle) -> Iterator[Mistake]:
    right = [numeric.right_value(one, oracle) for one in drawn]
    if endless := list(_finite(drawn, right)):
        yield from endless
        return
    within = numeric.tolerance(drawn[0])
    # Every draw is asked, not only until one tells them apart: a mistake that raises for some numbers shows here.
    wrong = [[numeric.slip_value(slip, one, oracle) for one in drawn] for slip in question.also]

    def same(a: float, b: float) -> bool:
        return math.isnan(a) or math.isnan(b) or numeric.coincide(within, a, b)

    yield from _hidden(question, right, wrong, same)
    one = all(same(value, right[0]) for value in right)
    yield from _varied(question, drawn, numeric.written(right[0], within) if one else None)


def _shapes(question: Question, drawn: list[Drawn], oracle: Oracle) -> Iterator[Mistake]:
    right = [shape.right_sizes(one, oracle) for one in drawn]
    wrong = [[shape.slip_sizes(slip, one, oracle) for one in drawn] for slip in question.also]
    yield from _hidden(question, right, wrong, same_shape)
    one = all(same_shape(sizes, right[0]) for sizes in right)
    yield from _varied(question, drawn, shape.written(right[0]) if one else None)


def _hidden(
    question: Question, right: list[T], wrong: list[list[T]], same: Callable[[T, T], bool]
) -> Iterator[Mistake]:
    """Slips whose feedback nobody ever reads: for all numbers the answer, or an earlier slip, is the same."""
    for number, (slip, values) in enumerate(zip(question.also, wrong, strict=True)):
        before = {
            "the right answer": right,
            **{f"slip {place}": other for place, other in enumerate(wrong[:number], 1)},
        }
        for name, others in before.items():
            if all(map(same, values, others)):
                says = f"slip {number + 1} of `also` cannot be told from {name} in any of {len(right)} draws; remove it"
                yield _mistake(question, says, slip.place.line)
                break


def _finite(drawn: list[Drawn], right: list[float]) -> Iterator[Mistake]:
    question = drawn[0].question
    for one, value in zip(drawn, right, strict=True):
        if math.isnan(value):
            yield _mistake(question, f"the answer is NaN{_with(one)}")
            return
        if math.isinf(value) and not re.search(r"\binf(?:inite|inity)?\b|\\infty", question.prompt):
            yield _mistake(question, f"the answer is infinite{_with(one)}, and the prompt does not say that it can be")
            return
        tolerance = numeric.tolerance(one)
        if tolerance.kind == "range" and not tolerance.low <= value <= tolerance.high:
            yield _mistake(question, f"the answer, {value:g}, is outside of `range`{_with(one)}")
            return


def _varied(question: Question, drawn: list[Drawn], only: str | None) -> Iterator[Mistake]:
    """`only`: the one answer to all draws, None where they differ."""
    if len(drawn) < 2:
        return
    if only is not None and not question.one_answer:
        says = f"the answer is {only} for all {len(drawn)} draws; if that is the point, add `one_answer: true`"
        yield _mistake(question, says)
    elif only is None and question.one_answer:
        yield _mistake(question, "`one_answer` is set, but the answer depends on the numbers")


def programs(drawn: Iterable[Drawn]) -> list[str]:
    """The snippets that have to be run to know what they print."""
    return [text for one in drawn if (text := code.snippet(one)) is not None]


def _code(drawn: list[Drawn], oracle: Oracle, outputs: Mapping[str, Printed] | None) -> Iterator[Mistake]:
    """What a snippet prints is the answer; a line that is asked for is one of those that the prompt offers."""
    question = drawn[0].question
    if question.kind != "code":
        return
    if texts := programs(drawn):
        known = run_snippets(texts) if outputs is None else outputs
        for one, text in zip(drawn, texts, strict=True):
            printed, answer = known[text], str(code.key(one, oracle).value)
            if printed.error:
                yield _mistake(question, f"the snippet ends with {printed.error}{_with(one)}")
                return
            if code.normal(printed.text) != code.normal(answer):
                says = f"`answer` is {answer}, but the snippet prints {printed.text.strip()}{_with(one)}"
                yield _mistake(question, says)
                return
    elif code.asks_line(question):
        offered = _offered_lines(question)
        for line in (question.answer, *(slip.value for slip in question.also)):
            if line not in offered:
                yield _mistake(question, f"line {line} is not among those that the prompt offers or numbers")
    else:
        yield _mistake(question, "`prompt` asks neither what a snippet prints nor which line is wrong")


def _offered_lines(question: Question) -> set[str]:
    """The numbers that stand both in the question's sentence and behind a line of the snippet, as `# 4`."""
    program = code.program(question) or ""
    prose = question.prompt.replace(program, "")
    return set(re.findall(r"\d+", prose)) & set(re.findall(r"#\s*(\d+)\s*$", program, re.MULTILINE))


def _steps(question: Question) -> Iterator[Mistake]:
    """The prompt of an order numbers as many steps as the answer orders."""
    if question.kind != "order" or not isinstance(question.answer, tuple):
        return
    numbered = [int(number) for number in re.findall(r"^ {0,3}(\d+)\. ", question.prompt, re.MULTILINE)]
    if numbered != list(range(1, len(question.answer) + 1)):
        says = f"`prompt` numbers the steps {numbered}, and `answer` orders 1 to {len(question.answer)}"
        yield _mistake(question, says)


def _with(drawn: Drawn) -> str:
    shown = ", ".join(f"{name} = {value}" for name, value in drawn.params.items())
    return f" for {shown}" if shown else ""
