"""The trained model run on the reference's functions with one of them changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from grader.capstone.corpus import windows
from grader.capstone.model import load
from grader.course.load import load_course
from grader.places import reference_folder
from grader.run.decoder import Decoder
from grader.run.functions import Learner
from grader.run.generation import Sampling
from grader.run.performance import Performance, perform
from grader.run.walk import Walk, walk
from grader.sandbox import Zygote
from grader.workspace import read_submission

GREEDY = Sampling()
Changes = dict[str, tuple[str, str]]
"""By lesson: a text of the reference, and what stands in its place."""


def write(folder: Path, changes: Changes) -> Path:
    """The reference's modules in a folder, changed."""
    for lesson in load_course().lessons:
        text = (reference_folder() / f"{lesson.slug}.py").read_text("utf-8")
        if lesson.slug in changes:
            old, new = changes[lesson.slug]
            assert old in text, f"{lesson.slug} has no {old!r}"
            text = text.replace(old, new, 1)
        (folder / f"{lesson.slug}.py").write_text(text, "utf-8")
    return folder


@pytest.fixture
def changed(tmp_path: Path) -> Callable[[Changes], Path]:
    return lambda changes: write(tmp_path, changes)


@pytest.fixture
def run(zygote: Zygote, changed: Callable[[Changes], Path]) -> Callable[..., Performance]:
    """Everything: the three texts and the walk."""

    def run(changes: Changes, prompt: str = "the cat", most: int = 8, sampling: Sampling = GREEDY) -> Performance:
        course = load_course()
        submission = read_submission(changed(changes), course)
        return perform(course, submission, zygote, load(), prompt, most, sampling)

    return run


@pytest.fixture(scope="session")
def follow(zygote: Zygote, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Changes], Walk]:
    """The walk alone, along a beginning of ten words."""
    course, model = load_course(), load()
    decoder = Decoder.of(model.config, model.weights)
    tokens = windows(seed=5, batch=1, length=10)

    def follow(changes: Changes) -> Walk:
        submission = read_submission(write(tmp_path_factory.mktemp("learner"), changes), course)
        with Learner(course, zygote, submission.sources()) as learner:
            return walk(course, learner, decoder, tokens, 3)

    return follow
