"""The learner's functions in the pictures: computed beside the grading, kept until a file changes, and bounded."""

from __future__ import annotations

import json
import queue
import threading

import pytest
from lent import Lent

from grader.errors import GraderFault
from grader.run.functions import Unanswered
from grader.sandbox import NoTorch, ZygoteDied
from grader.site.serve.bench import NO_WORKSPACE, Bench
from grader.site.serve.modules import Modules

SECONDS = 20
SOURCE = "def double(x):\n    return {}\n"


class Rig:
    """A bench with one panel, which is computed as the test says."""

    def __init__(self, course, folder, zygote, parts, **kwargs):
        self.settled: queue.Queue[None] = queue.Queue()
        self.complaints: list[str] = []
        self.accepted: list[str] = []
        self.computed: list[str] = []

        def counted(name, course, learner):
            self.computed.append(name)
            return parts(name, course, learner)

        self.bench = Bench(
            course, Modules(folder, course) if folder else None, counted, "twice".__eq__,
            accept=lambda protection: self.accepted.append(protection.level), complain=self.complaints.append,
            zygote=zygote, **kwargs,
        )  # fmt: skip

    def answer(self):
        """What a page gets that asks until there is something."""
        answer = self.bench.panel("twice")
        if answer == {"state": "working"}:
            self.bench.submit(lambda _: None).exception(SECONDS)  # behind what is computed now
            answer = self.bench.panel("twice")
        return json.loads(answer) if isinstance(answer, str) else answer


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "student"
    made.mkdir()
    (made / "first.py").write_text(SOURCE.format("x + x"))
    return made


@pytest.fixture
def rig(made_course, folder, zygote):
    rigs = []

    def made(parts, modules=folder, lent=lambda: Lent(zygote), **kwargs):
        rigs.append(Rig(made_course, modules, lent, parts, **kwargs))
        return rigs[-1]

    yield made
    for each in rigs:
        each.bench.close()
        assert not each.bench._thread.is_alive()


def twice(name, course, learner):
    try:
        return {"double": {"data": learner.call("first.double", 21)}}
    except Unanswered as ended:
        return {"double": {"trouble": str(ended), "exercise": ended.exercise}}


def test_a_panel_is_computed_with_the_learners_function(rig):
    made = rig(twice)
    assert made.bench.panel("twice") == {"state": "working"}
    answer = made.answer()
    assert (answer["state"], answer["parts"]) == ("done", {"double": {"data": 42}})
    assert made.accepted, "the protection is told before the code runs"


def test_it_is_computed_again_only_when_a_file_has_changed(rig, folder):
    made = rig(twice)
    first = made.answer()
    assert made.answer() == first
    assert made.computed == ["twice"]
    (folder / "first.py").write_text(SOURCE.format("3 * x"))
    second = made.answer()
    assert second["parts"] == {"double": {"data": 63}}
    assert second["sources"] != first["sources"]


def test_many_who_ask_at_once_are_one_computation(rig):
    hold = threading.Event()
    made = rig(lambda *_: hold.wait(SECONDS) and {})
    assert [made.bench.panel("twice") for _ in range(5)] == [{"state": "working"}] * 5
    hold.set()
    assert made.answer()["state"] == "done"
    assert made.computed == ["twice"]


def test_what_a_learners_code_says_is_data(rig, folder):
    (folder / "first.py").write_text('def double(x):\n    raise ValueError("</script>\\u2028<b>")\n')
    text = rig(twice)
    text.answer()
    assert text.answer()["parts"]["double"]["trouble"] == "first.double raised ValueError: </script>\u2028<b>"


def test_of_a_module_that_cannot_be_read_it_is_told_why(rig, folder):
    made, told = rig(twice), []
    for text in ("def double(x:\n", "\n\ndef double(x:\n"):
        (folder / "first.py").write_text(text)
        told.append(made.answer()["parts"]["double"]["trouble"])
    assert told == [
        "first.double did not answer. student/first.py, line 1: '(' was never closed",
        "first.double did not answer. student/first.py, line 3: '(' was never closed",
    ]


def test_outside_a_workspace_there_is_no_code_to_run(rig):
    made = rig(twice, modules=None)
    assert made.bench.panel("twice") == {"state": "none", "says": NO_WORKSPACE}
    assert not made.computed


def test_a_panel_that_there_is_not(rig):
    with pytest.raises(KeyError):
        rig(twice).bench.panel("thrice")


def test_a_panel_that_takes_too_long_is_given_up(rig):
    made = rig(twice, seconds=0.0)
    assert "more than 0 s" in made.answer()["says"]
    assert made.answer()["state"] == "none"
    assert made.computed == ["twice"], "it would take as long again"


def test_a_panel_that_is_too_large_is_not_sent(rig):
    made = rig(lambda *_: {"double": {"data": "x" * 400_001}})
    assert "more than 400 kB" in made.answer()["says"]


@pytest.mark.parametrize(
    ("error", "says", "complaints"),
    [
        (ZygoteDied("it ended"), "Your functions could not be run: it ended. Try again", 0),
        (GraderFault("no such weights"), "Grader fault, not yours: no such weights.", 0),
        (ValueError("x"), "Grader fault, not yours: ValueError: x in test_bench.py, line", 1),
    ],
    ids=lambda each: type(each).__name__,
)
def test_what_goes_wrong_is_told_once_and_tried_again_when_asked_again(rig, error, says, complaints):
    errors = [error]

    def parts(*_):
        if errors:
            raise errors.pop()
        return {}

    made = rig(parts)
    assert says in made.answer()["says"]
    assert len(made.complaints) == complaints
    assert made.answer()["state"] == "done"


def test_a_number_that_json_has_not_is_a_fault_of_the_panel(rig):
    made = rig(lambda *_: {"double": {"data": float("nan")}})
    assert "Grader fault, not yours: ValueError" in made.answer()["says"]


def test_where_no_zygote_can_be_had_it_is_told(rig, zygote):
    starts = [NoTorch("torch is not installed")]

    def start():
        if starts:
            raise starts.pop()
        return Lent(zygote)

    made = rig(twice, lent=start)
    made.bench.panel("twice")
    assert "torch is not installed" in made.answer()["says"]
    assert made.answer()["state"] == "done"


def test_the_zygote_is_lent_on_the_benchs_own_thread(rig):
    made = rig(twice)
    ran = made.bench.submit(lambda zygote: (threading.current_thread().name, zygote.alive)).result(SECONDS)
    assert ran == ("bench", True)
    with pytest.raises(ZeroDivisionError):
        made.bench.submit(lambda _: 1 // 0).result(SECONDS)


def test_it_can_be_lent_as_an_executor_with_its_zygote(rig):
    made = rig(twice)
    zygote = made.bench.zygote()
    assert made.bench.hand.submit(lambda x, y: (threading.current_thread().name, x + y), 1, y=2).result(SECONDS) == (
        "bench",
        3,
    )
    assert made.bench.zygote() is zygote


def test_a_zygote_that_has_died_is_started_again(rig):
    class Dead:
        alive, restarts = False, 0

        def restart(self):
            self.alive, self.restarts = True, self.restarts + 1

        def close(self):
            self.alive = False

    dead = Dead()
    made = rig(twice, lent=lambda: dead)
    assert [made.bench.submit(lambda each: each.restarts).result(SECONDS) for _ in range(3)] == [0, 1, 1]


def test_what_waits_when_it_is_closed_is_called_off(rig):
    made, begun, hold = rig(twice), threading.Event(), threading.Event()
    running = made.bench.submit(lambda _: begun.set() or hold.wait(SECONDS))
    waiting = made.bench.submit(lambda _: None)
    assert begun.wait(SECONDS)
    closing = threading.Thread(target=made.bench.close)
    closing.start()
    assert made.bench._closing.wait(SECONDS)
    hold.set()
    closing.join(SECONDS)
    assert running.result(0)
    assert waiting.cancelled()
    assert made.bench.submit(lambda _: None).cancelled()
