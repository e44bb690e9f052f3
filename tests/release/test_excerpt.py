"""The public part of a suite: the marked tests with what they need, and nothing else of the file."""

import ast

from grader.course.load import load_course
from grader.places import suites_folder
from grader.release.excerpt import excerpt

SUITE = '''\
"""Hidden words about the suite."""

import math
from collections.abc import Iterator, Sequence

import pytest
import torch

from grader.suite import Check, Draw, exercise, public, value

SIZES = (2, 3)  # never 4, where the secret shows
OTHER = 5
EACH = pytest.mark.parametrize("n", [1, 2])


def used(values: Sequence[int]) -> int:
    """What it does."""
    # a hint at the answer
    return inner(values) + SIZES[0]


def inner(values):
    return math.prod(values)


def unused() -> Iterator[int]:
    yield OTHER


class Shared:
    """Hidden words about what is shared."""

    width = 4
    depth = 9

    def made(self, draw):
        return self.shaped(draw, self.width)

    def shaped(self, draw, width):
        return draw.tidy(width)

    def secret(self):
        return self.depth

    @public
    @value(3)
    def test_shared(self, check, draw):
        """Shared."""
        check(self.made(draw))

    @value(1)
    def test_hidden_in_the_base(self, check):
        check(self.secret())


@exercise("one")
class TestOne(Shared):
    # what nobody should read
    @value(1)
    def test_hidden(self, check: Check, draw: Draw) -> None:
        """A secret."""
        check(torch.ones(1), unused())

    @public
    @value(2)
    @EACH
    def test_own(self, check: Check, n: int) -> None:
        """Own."""
        check(used([n]))  # and this


@exercise("two")
class TestTwo:
    @value(1)
    def test_all_hidden(self, check):
        check(1)
'''
PUBLIC = '''\
"""Public checks of the lesson made. The instructor's grading asks more than these."""


import math
from collections.abc import Sequence

import pytest

from grader.suite import Check, exercise, public, value


SIZES = (2, 3)

EACH = pytest.mark.parametrize("n", [1, 2])

def used(values: Sequence[int]) -> int:
    """What it does."""

    return inner(values) + SIZES[0]


def inner(values):
    return math.prod(values)


class Shared:
    width = 4

    def made(self, draw):
        return self.shaped(draw, self.width)

    def shaped(self, draw, width):
        return draw.tidy(width)

    @public
    @value(3)
    def test_shared(self, check, draw):
        """Shared."""
        check(self.made(draw))


@exercise("one")
class TestOne(Shared):
    @public
    @value(2)
    @EACH
    def test_own(self, check: Check, n: int) -> None:
        """Own."""
        check(used([n]))

'''


def test_marked_tests_and_what_they_need() -> None:
    found = excerpt(SUITE, "made")
    assert found.text == PUBLIC
    assert found.tests == {("TestOne", "test_shared"), ("TestOne", "test_own")}


def test_every_exercise_has_public_tests() -> None:
    """Two to five each, the first of values; the names that they use are all there."""
    for lesson in load_course().lessons:
        found = excerpt((suites_folder() / f"test_{lesson.slug}.py").read_text("utf-8"), lesson.slug)
        tree = ast.parse(found.text)
        nodes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.decorator_list]
        marks = {node: node.decorator_list[0] for node in nodes}
        classes = {node: mark for node, mark in marks.items() if isinstance(mark, ast.Call) and len(mark.args) == 1}
        asked = [ast.literal_eval(mark.args[0]) for mark in classes.values()]
        assert asked == [exercise.name for exercise in lesson.exercises]
        for node in classes:
            assert 2 <= sum(name == node.name for name, _ in found.tests) <= 5, node.name
        assert "reference" not in {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
