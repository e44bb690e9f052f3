"""One zygote for the whole session; each test gets fresh workers."""

import os
import select
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from grader.sandbox import Call, Limits, Outcome, Worker, Zygote


@pytest.fixture(scope="session")
def zygote() -> Iterator[Zygote]:
    """Started once; not closed by any test."""
    with Zygote() as started:
        yield started


@pytest.fixture(scope="session")
def zygote_without(zygote: Zygote) -> Iterator[Callable[..., Zygote]]:
    """Zygotes with these layers off, each started once."""
    started: dict[frozenset[str], Zygote] = {frozenset(): zygote}

    def get(*layers: str) -> Zygote:
        key = frozenset(layers)
        if key not in started:
            started[key] = Zygote(without=key)
        return started[key]

    yield get
    for key, each in started.items():
        if key:
            each.close()


@pytest.fixture
def open_worker(zygote: Zygote) -> Iterator[Callable[..., Worker]]:
    """Makes workers from the text of a module called `lab`, or of several by slug; closes them when the test ends."""
    opened: list[Worker] = []

    def make(
        sources: str | dict[str, str],
        limits: Limits | None = None,
        *,
        replace: dict[str, dict[str, Callable[..., Any]]] | None = None,
        synthetic: tuple[str, ...] = (),
    ) -> Worker:
        worker = zygote.worker(limits)
        opened.append(worker)
        texts = {"lab": sources} if isinstance(sources, str) else sources
        worker.load({slug: textwrap.dedent(text) for slug, text in texts.items()}, replace, synthetic)
        return worker

    yield make
    for worker in opened:
        worker.close()


@pytest.fixture
def ask(open_worker: Callable[..., Worker]) -> Callable[..., Outcome]:
    """Call `attack(*args)` of a source text in a worker of its own."""

    def run(source: str, *args: Any, limits: Limits | None = None) -> Outcome:
        return open_worker(source, limits).call(Call("lab", "attack", args))

    return run


@pytest.fixture
def gone() -> Callable[[int], bool]:
    """Whether the process behind a pidfd ends within ten seconds; closes the pidfd."""

    def wait(handle: int) -> bool:
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        try:
            return bool(poll.poll(10_000))
        finally:
            os.close(handle)

    return wait
