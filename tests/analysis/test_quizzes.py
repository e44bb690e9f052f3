"""Quiz logs pooled: each learner once, the first scored try, and no log is believed to be well formed."""

import itertools
import random
from dataclasses import replace

import made_log as made
import numpy as np
import pytest
from made_questions import options

from grader.analysis import quizzes
from grader.analysis.quizzes import Pool
from grader.records.event import Event, to_line
from grader.review.questions.model import Question

_DEVICES = itertools.count()


def question(name: str, version: int = 1, **more) -> Question:
    fields = {"kind": "short", "concepts": ("c",), "prompt": "?", "explanation": "So.", "answer": ("yes",), **more}
    return Question(id=name, lesson="norms", version=version, **fields)


CHOICE = question("one", kind="choice", options=options("yes", wrong=("no", "maybe")), answer=("yes",))
QUIZ = {"norms": (CHOICE, *map(question, made.ITEMS[1:]))}


def log_of(*parts: Event | list[Event]) -> bytes:
    flat = [each for part in parts for each in (part if isinstance(part, list) else [part])]
    return "".join(map(to_line, flat)).encode("ascii")


def pooled(*logs: bytes):
    pool = Pool(made.COURSE, QUIZ)
    for number, log in enumerate(logs):
        pool.add(f"s{number}", [log])
    return pool.summary()


def learner(n: float = 1, missed=(), **more) -> list[Event]:
    """A whole review on a machine of its own."""
    return made.review(n, missed, device=f"d{next(_DEVICES)}", **more)


def item(summary, name: str):
    return next(each for each in summary.items if each.id == name)


def asked(summary, name: str) -> tuple[int, int]:
    return item(summary, name).asked, item(summary, name).right


def test_the_first_scored_try_counts_and_practice_does_not():
    practice = made.review(0, ["one"], practice=True)
    later = made.review(8, ["two"])
    summary = pooled(log_of(practice, made.review(1, ["one"]), later))
    assert asked(summary, "one") == (1, 0)
    assert asked(summary, "two") == (1, 1)
    assert item(summary, "one").difficulty == 0


def test_a_session_that_was_broken_off_has_first_tries_all_the_same():
    session = made.began(1)
    summary = pooled(log_of(session, made.answered(session, "one", 0.0)))
    assert asked(summary, "one") == (1, 0)
    assert asked(summary, "two") == (0, 0)


def test_a_second_try_and_what_was_taken_back_do_not_count():
    session = made.began(1)
    first, second = made.answered(session, "one", 0.0), made.answered(session, "one", attempt=2)
    assert asked(pooled(log_of(session, first, second)), "one") == (1, 0)
    assert asked(pooled(log_of(session, first, second, made.void(first))), "one") == (0, 0)
    assert asked(pooled(log_of(session, first, made.void(session))), "one") == (0, 0)


def test_several_devices_are_one_learner():
    pool = Pool(made.COURSE, QUIZ)
    laptop, desk = made.review(1, ["one"], device="laptop"), made.review(4, device="desk")
    pool.add("ada", [log_of(desk), log_of(laptop), log_of(laptop, desk)])
    pool.add("ada", [log_of(made.review(9))])
    summary = pool.summary()
    assert (summary.learners, asked(summary, "one")) == (1, (1, 0))


def test_a_log_that_several_hand_in_is_one_learners():
    events = learner()
    summary = pooled(log_of(events), log_of(learner()), log_of(events, made.review(8)))
    assert summary.learners == 2
    assert summary.same == (("s2", "s0"),)
    assert asked(summary, "one") == (2, 2)


def test_without_a_log_there_is_no_learner():
    pool = Pool(made.COURSE, QUIZ)
    pool.add("ada", [])
    pool.add("bob", [b"", b"\n\n"])
    assert pool.summary().learners == 0


def test_other_versions_and_other_items_are_set_apart():
    session = made.began(1, items=["one", "two", "mistake/norms.a.x"])
    answers = [
        made.answered(session, "one", version=7),
        made.answered(session, "two"),
        made.answered(session, "mistake/norms.a.x"),
    ]
    summary = pooled(log_of(session, answers))
    assert (item(summary, "one").asked, item(summary, "one").older) == (0, 1)
    assert asked(summary, "two") == (1, 1)
    assert summary.elsewhere == 1
    assert [each.id for each in summary.asked] == ["two"]


def test_options_that_nobody_picked_are_named():
    def picking(given) -> bytes:
        session = made.began(1, items=["one"], device=f"d{next(_DEVICES)}")
        answer = made.answered(session, "one", 0.0)
        return log_of(session, replace(answer, payload={**answer.payload, "given": given}))

    summary = pooled(*map(picking, ["no", "yes", "no", ".", 17, "no no no", "what <b>else</b>", ["maybe"]]))
    assert [(each.id, each.count) for each in item(summary, "one").options] == [("yes", 1), ("no", 3), ("maybe", 0)]
    assert [each.id for each in item(summary, "one").unpicked] == ["maybe"]
    assert item(pooled(), "one").unpicked == ()


def test_a_discrimination_is_the_correlation_with_the_learners_other_items():
    draw = random.Random(4)
    rows = [[draw.random() < skill for _ in made.ITEMS] for skill in (draw.random() for _ in range(45))]
    logs = [log_of(learner(missed=[i for i, right in zip(made.ITEMS, row, strict=True) if not right])) for row in rows]
    table = np.array(rows, dtype=float)
    for place, each in enumerate(pooled(*logs).items):
        rest = np.delete(table, place, axis=1).mean(axis=1)
        assert each.discrimination.value == pytest.approx(np.corrcoef(table[:, place], rest)[0, 1])
        assert each.difficulty == pytest.approx(table[:, place].mean())
    few = pooled(*logs[:29]).items[0].discrimination
    assert (few.value, few.why) == (None, "29 of the 30 needed")


NAMED = "norms.a.eps"


def gradings(*steps: str, at: float = 0.0) -> list[Event]:
    """Gradings of one exercise, an hour apart: `passed`, `failed`, or what each names."""
    statuses = {"passed": "passed"}
    return [
        made.graded(at + n / 24, norms_a=statuses.get(step, "failed"), misconception=step if "." in step else None)
        for n, step in enumerate(steps)
    ]


@pytest.mark.parametrize(
    ("steps", "handed_in", "comes_back"),
    [
        ([NAMED, "passed", NAMED], [], True),
        ([NAMED, "passed", NAMED, "passed", NAMED], [], True),
        ([NAMED, NAMED, NAMED], [], False),
        ([NAMED, "failed", NAMED], [], False),
        (["passed", NAMED], [], False),
        ([NAMED, "passed", "norms.a.other"], [], False),
        ([NAMED, "passed", f"{NAMED}+other"], [], True),
        ([NAMED, "passed"], [("norms.a", NAMED)], True),
        ([NAMED, "passed"], [("norms.a", f"norms.a.other+{NAMED.rpartition('.')[2]}")], True),
        ([NAMED], [("norms.a", NAMED)], False),
        ([NAMED, "passed"], [("norms.b", NAMED)], False),
    ],
)
def test_a_mistake_comes_back_that_is_named_again_after_it_was_mended(steps, handed_in, comes_back):
    pool = Pool(made.COURSE, QUIZ)
    pool.add("ada", [log_of(gradings(*steps))], handed_in)
    found = [(each.exercise, each.misconception, each.learners) for each in pool.summary().returning]
    assert found == ([("norms.a", NAMED, 1)] if comes_back else [])


@pytest.mark.parametrize(
    ("review", "comes_back"),
    [
        (made.review(2), True),
        (made.review(2, ["one", "two"]), False),
        (made.review(2, practice=True), False),
        (made.review(2, lesson="heads"), False),
        (made.review(2)[:-1], False),
    ],
)
def test_a_mistake_comes_back_that_is_named_again_after_a_passed_review(review, comes_back):
    pool = Pool(made.COURSE, QUIZ)
    pool.add("ada", [log_of(gradings(NAMED), review, gradings(NAMED, at=3))])
    assert bool(pool.summary().returning) == comes_back


def test_a_grading_that_was_taken_back_mends_nothing():
    first, mended, again = gradings(NAMED, "passed", NAMED)
    pool = Pool(made.COURSE, QUIZ)
    pool.add("ada", [log_of(first, mended, again, made.void(mended))])
    assert pool.summary().returning == ()


def test_a_forged_log_cannot_fill_the_list(monkeypatch):
    forged = [
        made.event("grading", n / 24, exercises={"norms.a": {"status": status, "misconception": f"norms.a.m{name}"}})
        for name in range(400)
        for n, status in enumerate(("failed", "passed", "failed"))
    ]
    monkeypatch.setattr(quizzes, "_MOST_MISTAKES", 100)
    odd = made.event(
        "grading",
        9,
        exercises={"norms.a": {"status": "failed", "misconception": "<script>" * 9}, "x.y": {}, "norms.b": 3},
    )
    pool = Pool(made.COURSE, QUIZ)
    pool.add("eve", [log_of(forged, odd)])
    assert len(pool.summary().returning) <= 100


HOSTILE = {
    "no text": bytes(range(256)) * 40,
    "a torn line": log_of(learner())[:-30],
    "nested deeply": b'{"id":' + b"[" * 50_000,
    "nested just so": b'{"a":' * 900 + b"1" + b"}" * 900 + b"\n",
    "a huge number": b'{"id": ' + b"9" * 9000 + b"}\n",
    "infinity": b'{"id": 1e999}\n',
    "not an object": b"[]\n3\nnull\n",
    "half a surrogate": b'{"id": "\\ud800"}\n',
}


@pytest.mark.parametrize("log", HOSTILE.values(), ids=HOSTILE)
def test_a_damaged_log_is_named_and_the_rest_of_it_read(log):
    events = learner()
    pool = Pool(made.COURSE, QUIZ)
    pool.add("eve", [log_of(events), log])
    summary = pool.summary()
    assert [(each.student, each.whole) for each in summary.damaged] == [("eve", False)]
    assert "left out; line " in summary.damaged[0].says
    assert len(summary.damaged[0].says) <= 300
    assert asked(summary, "one") == (1, 1)


def deep(event: Event, levels: int) -> bytes:
    """The event with a payload that is nested as deep as the fast parser goes."""
    line = to_line(replace(event, payload={"x": 0}))
    return line.replace('{"x":0}', '{"x":' + "[" * levels + "]" * levels + "}").encode("ascii")


def test_events_that_differ_and_are_nested_deeply_are_named_too():
    event = made.complete()
    other = replace(event, device="another")
    pool = Pool(made.COURSE, QUIZ)
    pool.add("eve", [deep(event, 1000) + deep(other, 1000)])
    pool.add("ada", [log_of(learner())])
    summary = pool.summary()
    assert [each.student for each in summary.damaged] == ["eve"]
    assert summary.learners == 1


def test_a_log_that_is_too_large_is_named_and_not_read(monkeypatch):
    monkeypatch.setattr(quizzes, "MOST_BYTES", 1000)
    monkeypatch.setattr(quizzes, "MOST_LINES", 20)
    monkeypatch.setattr(quizzes, "MOST_VALUES", 300)
    summary = pooled(b"x" * 1001, b"x\n" * 21, b"[]," * 160)
    assert [each.says for each in summary.damaged] == [
        "it is larger than 0 MB",
        "it has more than 20 lines",
        "it has more than 300 values",
    ]
    assert all(each.whole for each in summary.damaged)


@pytest.mark.parametrize("seed", range(3))
def test_no_change_to_a_log_makes_it_crash(seed):
    draw = random.Random(seed)
    whole = bytearray(log_of(made.complete(), gradings(NAMED, "passed", NAMED), learner(missed=["two"])))
    pool = Pool(made.COURSE, QUIZ)
    for number in range(60):
        log = bytearray(whole)
        for _ in range(draw.randrange(1, 8)):
            start = draw.randrange(len(log))
            log[start : start + draw.randrange(4)] = draw.choice(
                [b"null", b"{}", b"[]", b"-1", b"true", b'"', b"\n", b"1e9"]
            )
        pool.add(f"s{number}", [bytes(log)])
    summary = pool.summary()
    assert all(each.right <= each.asked <= 60 for each in summary.items)
