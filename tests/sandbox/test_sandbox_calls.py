"""What a worker answers to a call of code that means no harm."""

import math
from collections.abc import Callable

import pytest
import torch

from grader.sandbox import Call, Limits, NotAValue, Opaque, Outcome, Raised, Remote, Returned, Worker

Ask = Callable[..., Outcome]
OpenWorker = Callable[..., Worker]


def value(outcome: Outcome) -> object:
    assert isinstance(outcome, Returned), outcome
    return outcome.value


def test_a_function_gets_its_arguments_and_returns_its_value(open_worker: OpenWorker) -> None:
    worker = open_worker("def scale(x, by=1.0):\n    return {'y': x * by, 'shape': x.shape}\n")
    found = value(worker.call(Call("lab", "scale", (torch.ones(2, 3),), {"by": 3.0})))
    assert found["shape"] == (2, 3)
    assert found["y"].equal(torch.full((2, 3), 3.0))
    assert type(found["y"]) is torch.Tensor


def test_an_exception_shows_the_learners_own_lines(ask: Ask) -> None:
    failed = ask(
        """
        import torch
        def attack(x):
            return inner(x)
        def inner(x):
            torch.ones(2) @ x
        """,
        torch.ones(3),
    )
    assert isinstance(failed, Raised)
    assert (failed.type_name, failed.module, failed.line) == ("RuntimeError", "lab", 6)
    assert failed.trace.splitlines()[:4] == [
        '  File "student/lab.py", line 4, in attack',
        "    return inner(x)",
        '  File "student/lab.py", line 6, in inner',
        "    torch.ones(2) @ x",
    ]
    assert "anatomy_worker" not in failed.trace


@pytest.mark.parametrize(
    ("raised", "flags"),
    [
        ("NotImplementedError", (True, False, False)),
        ("ValueError('no')", (False, True, False)),
        ("type('Mine', (ValueError,), {})('no')", (False, True, False)),
        ("MemoryError", (False, False, True)),
        ("RuntimeError('no')", (False, False, False)),
    ],
)
def test_the_kinds_of_exception_that_matter_are_marked(ask: Ask, raised: str, flags: tuple[bool, ...]) -> None:
    failed = ask(f"def attack(): raise {raised}\n")
    assert isinstance(failed, Raised)
    assert (failed.is_not_implemented, failed.is_value_error, failed.is_memory) == flags


@pytest.mark.parametrize(
    ("source", "description"),
    [
        ("import numpy\ndef attack(): return numpy.ones(2)", "a numpy.ndarray"),
        ("def attack():\n    yield 1", "a generator"),
        ("class Thing: pass\ndef attack(): return Thing()", "a student.lab.Thing"),
        ("def attack():\n    l = []\n    l.append(l)\n    return l", "something nested deeper than 40 levels"),
        (
            "def attack():\n    l = []\n    for _ in range(10**6): l = [l]\n    return l",
            "something nested deeper than 40 levels",
        ),
        ("def attack(): return 10**5000", "an int that needs more than 64 bits"),
        ("import torch\ndef attack(): return torch.ones(20 << 20)", "more than 64 MB"),
        ("import torch\ndef attack(): return torch.ones(1).expand(1 << 50)", "more than 64 MB"),
    ],
)  # fmt: skip
def test_a_result_that_cannot_cross_is_described_and_the_worker_goes_on(
    open_worker: OpenWorker, source: str, description: str
) -> None:
    worker = open_worker(source + "\ndef fine(): return 1\n")
    # Taking a million lists apart again takes a busy machine more than the usual two seconds.
    assert worker.call(Call("lab", "attack", deadline=60.0)) == NotAValue(description)
    assert value(worker.call(Call("lab", "fine"))) == 1


def test_gradients_of_positions_keywords_and_dict_entries(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(x, p, *, gain, unused): return {'y': [x * p['w'] * gain, 'text']}\n")
    x, w, gain = (torch.tensor([number], dtype=torch.float64) for number in (2.0, 3.0, 5.0))
    outcome = worker.call(
        Call(
            "lab",
            "f",
            (x, {"w": w, "n": 1}),
            {"gain": gain, "unused": x},
            wrt=(0, (1, "w"), "gain", "unused"),
            cotangent={"y": (torch.tensor([1.0], dtype=torch.float64), None)},
        )
    )
    assert isinstance(outcome, Returned)
    assert outcome.gradients == {0: w * gain, (1, "w"): x * gain, "gain": x * w, "unused": None}


def test_gradients_of_a_complex_result(open_worker: OpenWorker) -> None:
    x, cotangent = torch.tensor([1.5]), torch.tensor([2.0 - 3.0j])
    worker = open_worker("import torch\ndef f(x): return torch.exp(1j * x)\n")
    outcome = worker.call(Call("lab", "f", (x,), wrt=(0,), cotangent=cotangent))
    assert isinstance(outcome, Returned)
    assert outcome.gradients is not None
    leaf = x.clone().requires_grad_()
    (expected,) = torch.autograd.grad(torch.exp(1j * leaf), leaf, cotangent)
    assert torch.equal(outcome.gradients[0], expected)


def test_a_detached_result_has_no_gradients_at_all(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(x): return x.detach() * 2\n")
    outcome = worker.call(Call("lab", "f", (torch.ones(2),), wrt=(0,), cotangent=torch.ones(2)))
    assert isinstance(outcome, Returned)
    assert outcome.gradients == {}


def test_a_result_of_another_shape_has_a_value_and_no_gradients(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(x): return x[:1]\n")
    outcome = worker.call(Call("lab", "f", (torch.ones(2),), wrt=(0,), cotangent=torch.ones(2)))
    assert isinstance(outcome, Returned)
    assert outcome.value.equal(torch.ones(1))
    assert outcome.gradients is None


def test_grad_mode_switched_off_by_one_call_is_on_in_the_next(open_worker: OpenWorker) -> None:
    worker = open_worker("import torch\ndef off(): torch.set_grad_enabled(False)\ndef f(x): return x * 2\n")
    worker.call(Call("lab", "off"))
    outcome = worker.call(Call("lab", "f", (torch.ones(1),), wrt=(0,), cotangent=torch.ones(1)))
    assert isinstance(outcome, Returned)
    assert outcome.gradients == {0: torch.tensor([2.0])}


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ("x.add_(1)", (0,)),
        ("x.t_()", (0,)),
        ("x[0, 0] = float('nan')", (0,)),
        ("p['w'].mul_(2)", ((1, "w"),)),
        ("p['new'] = 1", ((1, "new"),)),
        ("del p['w']", ((1, "w"),)),
        ("p['w'] = p['w'] * 2", ((1, "w"),)),
        ("cache.append(x)", ("cache",)),
        ("cache[0].zero_()", (("cache", 0),)),
        ("x.data.zero_(); p['w'].zero_()", (0, (1, "w"))),
        ("x + 1; x.add_(0)", ()),
        ("cache.append(cache)", ("cache",)),
    ],
)
def test_arguments_changed_in_place_are_named(open_worker: OpenWorker, body: str, places: tuple[object, ...]) -> None:
    worker = open_worker(f"def f(x, p, *, cache):\n    {body}\n    return 1\n")
    outcome = worker.call(Call("lab", "f", (torch.ones(2, 2), {"w": torch.ones(2)}), {"cache": [torch.ones(1)]}))
    assert isinstance(outcome, Returned)
    assert outcome.changed_inputs == places


def test_nan_in_an_argument_is_not_a_change(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(x, y): return x\n")
    outcome = worker.call(Call("lab", "f", (torch.full((2,), math.nan), math.nan)))
    assert isinstance(outcome, Returned)
    assert outcome.changed_inputs == ()


def test_a_result_that_a_later_call_changes_is_stale(open_worker: OpenWorker) -> None:
    worker = open_worker(
        """
        import torch
        buffer = torch.zeros(2)
        def reused(x):
            buffer.copy_(x)
            return [buffer]
        def fresh(x):
            return [x.clone()]
        """
    )
    outcomes = [
        worker.call(Call("lab", name, (torch.full((2,), number),)))
        for name, number in (("reused", 1.0), ("reused", 1.0), ("reused", 2.0), ("fresh", 3.0), ("fresh", 4.0))
    ]
    assert [outcome.stale for outcome in outcomes] == [False, False, True, False, False]


def test_a_transposed_argument_is_transposed_in_the_worker(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(x): return [x.is_contiguous(), list(x.stride()), x.contiguous()]\n")
    x = torch.arange(6.0).reshape(2, 3).t()
    contiguous, strides, back = value(worker.call(Call("lab", "f", (x,))))
    assert (contiguous, strides) == (False, [1, 3])
    assert back.equal(x)


def test_opaque_parts_stay_in_the_worker_and_come_back_as_arguments(open_worker: OpenWorker) -> None:
    worker = open_worker(
        """
        class State:
            steps = 0
        def start():
            return 0, State()
        def step(state):
            state.steps += 1
            return state.steps, state
        """
    )
    _, state = value(worker.call(Call("lab", "start", opaque=(1,))))
    assert isinstance(state, Opaque)
    for expected in (1, 2):
        steps, state = value(worker.call(Call("lab", "step", (state,), opaque=(1,))))
        assert steps == expected


def test_a_state_that_stays_is_meant_to_change(open_worker: OpenWorker) -> None:
    worker = open_worker("import torch\ndef start(): return 0, {'m': torch.zeros(2)}\ndef step(s):\n    s['m'] += 1\n")
    _, state = value(worker.call(Call("lab", "start", opaque=(1,))))
    outcome = worker.call(Call("lab", "step", (state,)))
    assert isinstance(outcome, Returned)
    assert (outcome.changed_inputs, outcome.stale) == ((), False)


def test_a_token_of_another_worker_is_refused(open_worker: OpenWorker) -> None:
    source = "def start(): return 0, object()\ndef take(x): return 1\n"
    _, state = value(open_worker(source).call(Call("lab", "start", opaque=(1,))))
    with pytest.raises(ValueError, match="an opaque token of another worker"):
        open_worker(source).call(Call("lab", "take", (state,)))


def test_a_returned_function_can_be_called(open_worker: OpenWorker) -> None:
    worker = open_worker("def make(n):\n    return lambda x: x + n\n")
    function = value(worker.call(Call("lab", "make", (2,))))
    assert isinstance(function, Remote)
    assert function.label == "a function"
    assert value(worker.call(Call("lab", function, (3,)))) == 5
    with pytest.raises(RuntimeError, match=r"Worker\.call"):
        function(3)


def test_output_belongs_to_the_call_that_printed_it(open_worker: OpenWorker) -> None:
    worker = open_worker(
        """
        import os, sys
        def f(n):
            print("out", n)
            print("err", n, file=sys.stderr)
            os.write(1, b"raw\\n")
            sys.stdout.write("no newline")
        """
    )
    assert [worker.call(Call("lab", "f", (n,))).output for n in (1, 2)] == [
        f"out {n}\nerr {n}\nraw\nno newline" for n in (1, 2)
    ]


def test_output_beyond_the_limit_is_counted_and_dropped(ask: Ask) -> None:
    outcome = ask("def attack():\n    for _ in range(1000): print('x' * 1023)\n", limits=Limits(output_kb=2))
    assert isinstance(outcome, Returned)
    kept, _, note = outcome.output.rpartition("\n")
    assert len(kept) == 2048
    assert note == f"[{1_024_000 - 2048} more bytes of output]"


def test_every_worker_draws_the_same_numbers(open_worker: OpenWorker) -> None:
    source = "import random, torch\ndef f(): return [random.random(), torch.rand(3)]\n"
    first, second = (value(open_worker(source).call(Call("lab", "f"))) for _ in range(2))
    assert first[0] == second[0]
    assert first[1].equal(second[1])
    torch.manual_seed(0)
    assert first[1].equal(torch.rand(3))


def test_arguments_that_cannot_cross_are_the_callers_mistake(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(x): return 1\n")
    with pytest.raises(ValueError, match="a set"):
        worker.call(Call("lab", "f", ({1},)))
    assert value(worker.call(Call("lab", "f", (1,)))) == 1


def test_effects_beside_the_value_are_told(open_worker: OpenWorker) -> None:
    worker = open_worker(
        """
        import torch
        def draws(): return torch.randn(2)
        def own(): return torch.randn(2, generator=torch.Generator().manual_seed(1))
        def asks(): return {"w": [torch.ones(2, requires_grad=True)]}
        """
    )
    effects = [worker.call(Call("lab", name)).effects for name in ("draws", "own", "asks")]
    assert effects == [("random-state",), (), ("requires-grad",)]


def test_a_gradient_in_a_fresh_worker_does_not_import_symbolic_algebra(open_worker: OpenWorker) -> None:
    """Half a second of it, if torch is asked in the wrong way."""
    worker = open_worker("import sys\ndef f(x): return x * x\ndef loaded(): return 'sympy' in sys.modules\n")
    if worker.call(Call("lab", "loaded")) == Returned(True):
        pytest.skip("this torch imports it at once")
    worker.call(Call("lab", "f", (torch.ones(2),), wrt=(0,), cotangent=torch.ones(2)))
    assert worker.call(Call("lab", "loaded")) == Returned(False)
