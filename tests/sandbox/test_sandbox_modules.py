"""The learner's modules: how they find each other, how they fail, and what can take a function's place."""

from collections.abc import Callable

import pytest

from grader.sandbox import Call, Outcome, Raised, Returned, Worker

OpenWorker = Callable[..., Worker]


def value(outcome: Outcome) -> object:
    assert isinstance(outcome, Returned), outcome
    return outcome.value


def test_opening_a_module_runs_it_once(open_worker: OpenWorker) -> None:
    worker = open_worker("print('ran')\ndef f(): return 1\n")
    assert worker.open_module("lab") == Returned(None, output="ran\n")
    assert worker.call(Call("lab", "f")).output == ""


def test_every_way_of_importing_an_earlier_lesson_works(open_worker: OpenWorker) -> None:
    worker = open_worker(
        {
            "first": "def one(): return 1\n",
            "lab": """
                from .first import one
                from student.first import one as second
                from student import first
                import student.first as third
                def total(): return one() + second() + first.one() + third.one()
            """,
        }
    )
    assert value(worker.call(Call("lab", "total"))) == 4


def test_a_broken_module_hurts_only_those_that_import_it(open_worker: OpenWorker) -> None:
    worker = open_worker(
        {
            "broken": "x = 1 / 0\n",
            "fine": "def f(): return 1\n",
            "later": "from .broken import x\n",
        }
    )
    assert value(worker.call(Call("fine", "f"))) == 1
    failed = worker.open_module("later")
    assert isinstance(failed, Raised)
    assert (failed.type_name, failed.module, failed.line) == ("ZeroDivisionError", "broken", 1)
    assert 'File "student/later.py", line 1' in failed.trace


def test_a_module_that_is_not_there_is_a_module_not_found_error(open_worker: OpenWorker) -> None:
    failed = open_worker("import student.nothing\n").open_module("lab")
    assert isinstance(failed, Raised)
    assert failed.type_name == "ModuleNotFoundError"


def test_a_syntax_error_is_told_with_its_line(open_worker: OpenWorker) -> None:
    failed = open_worker("x = 1\ndef f(:\n").open_module("lab")
    assert isinstance(failed, Raised)
    assert (failed.type_name, failed.module, failed.line) == ("SyntaxError", "lab", 2)
    assert failed.message == "invalid syntax"


def test_a_missing_function_is_an_attribute_error(open_worker: OpenWorker) -> None:
    failed = open_worker("x = 1\n").call(Call("lab", "f"))
    assert isinstance(failed, Raised)
    assert failed.type_name == "AttributeError"


def test_sources_are_given_once(open_worker: OpenWorker) -> None:
    with pytest.raises(ValueError, match="has its sources"):
        open_worker("x = 1\n").load({})


def test_replacements_are_used_by_the_module_and_by_later_ones(open_worker: OpenWorker) -> None:
    worker = open_worker(
        {
            "first": "def wrong(x): return 0\ndef uses(x): return wrong(x) + 1\n",
            "later": "from .first import wrong\ndef f(x): return wrong(x) + 2\n",
        },
        replace={"first": {"wrong": lambda x: x * 10}},
    )
    assert value(worker.call(Call("first", "uses", (4,)))) == 41
    assert value(worker.call(Call("later", "f", (4,)))) == 42


def test_a_synthetic_module_is_its_replacements_alone(open_worker: OpenWorker) -> None:
    worker = open_worker(
        {"broken": "1 / 0\n", "lab": "from .broken import f\ndef g(): return f()\n"},
        replace={"broken": {"f": lambda: 7}},
        synthetic=("broken",),
    )
    assert value(worker.call(Call("lab", "g"))) == 7


def test_replacements_stand_in_for_a_module_that_was_never_handed_in(open_worker: OpenWorker) -> None:
    worker = open_worker("from .missing import f\ndef g(): return f()\n", replace={"missing": {"f": lambda: 7}})
    assert value(worker.call(Call("lab", "g"))) == 7
