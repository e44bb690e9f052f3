"""All of the server put together, where there is no workspace: reading goes on, and nothing is graded."""

from __future__ import annotations

import json
import sys
import threading
import urllib.request
from http.cookiejar import CookieJar

import pytest

from grader.course.load import load_course
from grader.review.learner import records_here
from grader.site.serve.guard import Guard
from grader.site.serve.house import Hooks, House
from grader.site.serve.server import bound


@pytest.fixture
def opened():
    """The addresses of a server without a workspace, opened."""
    hooks = Hooks(records_here(), lambda _: [], lambda report: report, lambda _: None, pytest.fail)
    with bound(0) as listening:
        guard = Guard(listening.getsockname()[1])
        house = House(load_course(), None, listening, guard, hooks)
        thread = threading.Thread(target=house.run)
        thread.start()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))
        with browser.open(guard.address, timeout=60) as page:
            assert page.status == 200

        def ask(path):
            with browser.open(f"http://127.0.0.1:{guard.port}{path}", timeout=60) as answer:
                return answer.read().decode()

        yield ask
        house.leave()
        thread.join(60)
        assert not thread.is_alive()


def test_lessons_are_read_and_nothing_is_graded_or_computed(opened):
    before = sys.getswitchinterval()
    assert "rms_norm" in opened("/normalization.html")
    assert json.loads(opened("/live")) == {"version": 0, "grading": [], "lessons": {}, "fault": None, "says": ""}
    assert "There is no workspace here" in json.loads(opened("/mine/normalization"))["says"]
    assert json.loads(opened("/standings")) == {}
    assert before < 0.005
