"""Functions cross in both directions, and so do the gradients of what they compute."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.sandbox import Call, Died, Limits, Outcome, Raised, Returned, Worker

OpenWorker = Callable[..., Worker]


def doubles(*shape: int, seed: int = 1) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def returned(outcome: Outcome) -> Returned:
    assert isinstance(outcome, Returned), outcome
    return outcome


def local_gradients(
    function: Callable[..., Any], args: tuple[Any, ...], cotangent: Tensor, wrt: tuple[int, ...]
) -> Any:
    """What the same call gives when everything runs in this process."""
    args = tuple(arg.clone() if isinstance(arg, Tensor) else arg for arg in args)
    leaves = [args[position].requires_grad_() for position in wrt]
    value = function(*args)
    return value.detach(), torch.autograd.grad(value, leaves, cotangent, allow_unused=True)


def in_this_process(source: str, name: str) -> Callable[..., Any]:
    scope: dict[str, Any] = {}
    exec(source, scope)  # noqa: S102  # the test's own text
    function: Callable[..., Any] = scope[name]
    return function


def assert_same_as_local(
    open_worker: OpenWorker, source: str, args: tuple[Any, ...], wrt: tuple[int, ...], **settings: Any
) -> None:
    expected = in_this_process(source, "f")
    shape = expected(*(arg.clone() if isinstance(arg, Tensor) else arg for arg in args)).shape
    cotangent = doubles(*shape, seed=99)
    value, gradients = local_gradients(expected, args, cotangent, wrt)
    outcome = returned(open_worker(source, **settings).call(Call("lab", "f", args, wrt=wrt, cotangent=cotangent)))
    assert outcome.value.equal(value)
    assert outcome.gradients is not None
    for position, gradient in zip(wrt, gradients, strict=True):
        found = outcome.gradients[position]
        assert (found is None) == (gradient is None)
        if gradient is not None:
            assert found.equal(gradient)


def pre_norm(h: Tensor, norm: Callable[[Tensor], Tensor], sublayer: Callable[[Tensor], Tensor]) -> Tensor:
    return h + sublayer(norm(h))


def test_a_function_of_the_grader_is_called_with_nested_values(open_worker: OpenWorker) -> None:
    seen = []

    def here(values: dict[str, Any], *, flag: bool) -> tuple[Any, ...]:
        seen.append((values, flag))
        return values["x"] * 2, [flag, {"n": 1}]

    worker = open_worker(
        "def f(g, x):\n    y, rest = g({'x': x, 'more': (1, None)}, flag=True)\n    return [y, rest]\n"
    )
    found = returned(worker.call(Call("lab", "f", (here, torch.ones(2))))).value
    assert found[0].equal(torch.full((2,), 2.0))
    assert found[1] == [True, {"n": 1}]
    assert seen[0][0]["more"] == (1, None)


def test_a_function_that_comes_back_is_the_same_object(open_worker: OpenWorker) -> None:
    def here() -> None: ...

    worker = open_worker("def f(g): return [g, g]\n")
    assert returned(worker.call(Call("lab", "f", (here,)))).value == [here, here]


def test_the_gradient_of_a_function_of_the_grader(open_worker: OpenWorker) -> None:
    source = "def f(x, w, g): return g(x @ w).sin() @ w\n"
    args = (doubles(3, 4), doubles(4, 4, seed=2), lambda z: z.exp() * z)
    assert_same_as_local(open_worker, source, args, (0, 1))


def test_a_result_that_the_function_detaches_has_no_gradient(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(x, g): return g(x)\n")
    outcome = worker.call(Call("lab", "f", (doubles(2), Tensor.detach), wrt=(0,), cotangent=doubles(2)))
    assert returned(outcome).gradients == {}


def test_some_results_of_a_function_may_have_gradients_and_others_not(open_worker: OpenWorker) -> None:
    source = "def f(x, g):\n    kept, stopped, count = g(x)\n    return kept * stopped * count\n"
    assert_same_as_local(open_worker, source, (doubles(3), lambda x: (x * x, x.detach(), 3)), (0,))


def test_no_grad_around_a_call_of_the_grader_holds_there(open_worker: OpenWorker) -> None:
    source = "import torch\ndef f(x, g):\n    with torch.no_grad():\n        y = g(x)\n    return x * y\n"
    assert_same_as_local(open_worker, source, (doubles(3), lambda x: x * x), (0,))


def test_gradients_through_the_learners_functions_inside_the_graders(open_worker: OpenWorker) -> None:
    """The learner's lambdas close over weights that no argument of the grader's function names."""
    source = """
def f(h, gain, w, pre_norm):
    return pre_norm(h, lambda z: z * gain, lambda z: (z @ w).tanh() * gain)
"""
    assert_same_as_local(
        open_worker, source, (doubles(2, 3), doubles(3, seed=2), doubles(3, 3, seed=3), pre_norm), (0, 1, 2)
    )


def test_gradients_when_only_closed_over_tensors_need_them(open_worker: OpenWorker) -> None:
    source = "def f(h, w, pre_norm):\n    return pre_norm(h, lambda z: z, lambda z: z @ w)\n"
    assert_same_as_local(open_worker, source, (doubles(2, 3), doubles(3, 3, seed=3), pre_norm), (1,))


def test_gradients_through_a_stack_of_calls(open_worker: OpenWorker) -> None:
    source = """
def f(h, w, pre_norm):
    for layer in range(3):
        u = w * (layer + 1)
        h = pre_norm(h, lambda z: z / 2, lambda z, u=u: (z @ u).sigmoid())
    return h
"""
    assert_same_as_local(open_worker, source, (doubles(2, 3), doubles(3, 3, seed=3), pre_norm), (0, 1))


def test_gradients_when_an_inner_call_closes_over_the_argument_of_an_outer_one(open_worker: OpenWorker) -> None:
    source = "def f(x, apply):\n    return apply(lambda z: apply(lambda u: u * z, z * z), x)\n"
    assert_same_as_local(open_worker, source, (doubles(3), lambda g, x: g(x * 2) + x), (0,))


def test_gradients_when_a_closure_holds_the_result_of_another_call(open_worker: OpenWorker) -> None:
    source = "def f(x, g, apply):\n    y = g(x)\n    return apply(lambda z: z * y, x)\n"
    assert_same_as_local(open_worker, source, (doubles(3), torch.sin, lambda g, x: g(x * 2)), (0,))


def test_the_grader_may_call_a_function_of_the_worker_that_it_got_in_a_callback(open_worker: OpenWorker) -> None:
    def here(square: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        assert not x.requires_grad
        return square(square(x))

    worker = open_worker("def f(x, g): return g(lambda z: z * z, x)\n")
    assert returned(worker.call(Call("lab", "f", (torch.tensor([3.0]), here)))).value.equal(torch.tensor([81.0]))


@pytest.mark.parametrize("kind", [ValueError, IndexError, RuntimeError, TypeError, NotImplementedError, AttributeError])
def test_what_the_graders_function_raises_is_raised_in_the_learners_code(
    open_worker: OpenWorker, kind: type[Exception]
) -> None:
    def here() -> None:
        raise kind("the reason")

    worker = open_worker(
        f"def caught(g):\n    try: g()\n    except {kind.__name__} as error: return str(error)\ndef f(g): g()\n"
    )
    assert returned(worker.call(Call("lab", "caught", (here,)))).value == "the reason"
    failed = worker.call(Call("lab", "f", (here,)))
    assert isinstance(failed, Raised)
    assert (failed.type_name, failed.message, failed.module, failed.line) == (kind.__name__, "the reason", "lab", 4)


def test_any_other_exception_of_the_graders_function_is_the_graders_own(open_worker: OpenWorker) -> None:
    class OurFault(Exception): ...

    def here() -> None:
        raise OurFault("a missing file")

    worker = open_worker("def f(g):\n    try: g()\n    except BaseException: return 1\n")
    with pytest.raises(OurFault, match="a missing file"):
        worker.call(Call("lab", "f", (here,)))
    assert not worker.alive


def test_what_the_learners_function_raises_passes_through_the_graders(open_worker: OpenWorker) -> None:
    worker = open_worker(
        """
        class Mine(Exception): ...
        def fails(x):
            raise Mine('here')
        def f(g):
            g(fails)
        def caught(g):
            try: g(fails)
            except Mine: return 'the same object'
        """
    )
    failed = worker.call(Call("lab", "f", (lambda h: h(1),)))
    assert isinstance(failed, Raised)
    assert (failed.type_name, failed.message, failed.line) == ("Mine", "here", 4)
    assert returned(worker.call(Call("lab", "caught", (lambda h: h(1),)))).value == "the same object"


def test_a_value_that_cannot_be_handed_over_is_a_type_error_in_the_learners_code(open_worker: OpenWorker) -> None:
    failed = open_worker("def f(g): return g({1, 2})\n").call(Call("lab", "f", (lambda x: x,)))
    assert isinstance(failed, Raised)
    assert (failed.type_name, failed.message) == ("TypeError", "this function cannot be given a set")


def test_calls_of_given_functions_are_counted(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(g, n):\n    for _ in range(n): g()\n    return n\n", Limits(callbacks=20))
    assert returned(worker.call(Call("lab", "f", (lambda: None, 20)))).value == 20
    died = worker.call(Call("lab", "f", (lambda: None, 21)))
    assert isinstance(died, Died)
    assert died.reason == "protocol"
    assert "more than 20 calls" in died.detail


def test_endless_mutual_recursion_ends_as_an_exception(open_worker: OpenWorker) -> None:
    failed = open_worker("def f(g): return g(f)\n").call(Call("lab", "f", (lambda f: f(again),)))
    assert isinstance(failed, Raised)
    assert failed.type_name == "RuntimeError"
    assert "nest deeper" in failed.message


def again(f: Callable[..., Any]) -> Any:
    return f(again)


def test_recursion_of_the_learners_own_around_a_given_function_is_a_recursion_error(open_worker: OpenWorker) -> None:
    worker = open_worker("def f(g):\n    g(1)\n    return f(g)\n", Limits(callbacks=100_000, seconds=20))
    failed = worker.call(Call("lab", "f", (lambda x: x,)))
    assert isinstance(failed, Raised)
    assert failed.type_name == "RecursionError"
    assert worker.call(Call("lab", "missing")) != failed
    assert worker.alive


def test_the_graders_own_time_is_not_the_learners(open_worker: OpenWorker) -> None:
    matrix = doubles(700, 700)

    def slow() -> int:
        for _ in range(40):
            torch.linalg.eigvals(matrix[:150, :150])
        return 1

    assert (
        returned(open_worker("def f(g): return g()\n", Limits(seconds=0.15)).call(Call("lab", "f", (slow,)))).value == 1
    )


def test_a_thread_of_the_learners_cannot_call_a_given_function(open_worker: OpenWorker) -> None:
    worker = open_worker(
        """
        import threading
        def f(g):
            found = []
            def run():
                try: g()
                except RuntimeError as error: found.append(str(error))
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
            return found
        """
    )
    found = returned(worker.call(Call("lab", "f", (lambda: 1,)))).value
    assert found == ["a function that was handed to you can only be called while your function runs"]
