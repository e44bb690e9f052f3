"""What the tests of born items share."""

import pytest
import torch

from grader.course.load import load_course
from grader.course.model import Course


@pytest.fixture(scope="session")
def course() -> Course:
    """The real course: what is born here is born of its catalogue."""
    torch.set_num_threads(1)
    return load_course()
