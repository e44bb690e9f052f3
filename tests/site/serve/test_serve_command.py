"""`anatomy serve` as a person runs it: one process from the address to Ctrl-C."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.cli import main
from grader.course.load import load_course
from grader.records.log import Log
from grader.site.serve import server
from grader.site.serve.house import House
from grader.site.serve.server import bound
from grader.workspace import start

ANATOMY = [sys.executable, "-m", "grader.cli", "serve", "--port", "0"]
ROOT = Path(__file__).parents[3]
SECONDS = 120
HOSTILE = "</article><script>alert(1)</script>\\u2028<img src=x>"
WRONG = f'''
def standardize(x, eps=1e-5):
    """{HOSTILE}"""
    raise ValueError("{HOSTILE}")
'''


class Running:
    """The command, and a browser that has opened what it printed."""

    def __init__(self, folder: Path, home: Path) -> None:
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self.process = subprocess.Popen(
            ANATOMY, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": path, "ANATOMY_HOME": str(home)},
        )  # fmt: skip
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline()
        port, token = re.search(r"http://127\.0\.0\.1:(\d+)/(\?token=\S+)", self.said).groups()
        self.port = int(port)
        self.headers: dict[str, str] = {}
        _, headers, _ = self.ask(f"/{token}")
        self.headers["Cookie"] = headers["Set-Cookie"].partition(";")[0]

    def ask(self, path):
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)) as connection:
            connection.request("GET", path, headers=self.headers)
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read().decode()

    def live(self, since=0):
        return json.loads(self.ask(f"/live?since={since}")[2])

    def graded(self, slug, since=0):
        """The state as soon as the lesson has been graded after a version; asked as the pages ask."""
        until = time.monotonic() + SECONDS
        while slug not in (state := self.live(since))["lessons"]:
            assert time.monotonic() < until, f"{slug} was not graded: {state}"
            time.sleep(0.02)
        return state

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.communicate(timeout=SECONDS)

    def clear_away(self):
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("work")
    start(made, load_course())
    return made


@pytest.fixture(scope="module")
def log_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
def running(folder, log_folder):
    made = Running(folder, log_folder)
    yield made
    made.clear_away()


def test_the_lessons_are_there_and_graded_once(running):
    assert running.ask("/normalization.html")[0] == 200
    running.graded(load_course().lessons[-1].slug)
    text = running.ask("/lesson/normalization/results")[2]
    assert 'id="result-standardize"' in text
    assert "not started" in text


def test_a_saved_file_is_graded_shown_and_recorded(running, folder, log_folder):
    state = running.live()
    path = folder / "student" / "normalization.py"
    stub = path.read_text("utf-8")
    right = (ROOT / "reference" / "normalization.py").read_text("utf-8")
    replace(path, right)
    state = running.graded("normalization", state["version"])
    assert "passed" in running.ask("/lesson/normalization/results")[2]
    replace(path, stub + WRONG)
    running.graded("normalization", state["version"])
    text = running.ask("/lesson/normalization/results")[2]
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script" not in text
    assert "<img" not in text
    verdicts = [event.payload["exercises"] for event in Log(log_folder).read().events]
    assert [each["normalization.standardize"]["status"] for each in verdicts] == ["passed", "error"]


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are looked up in /proc")
def test_ctrl_c_ends_it_with_everything_that_it_started(running):
    children = descendants(running.process.pid)
    assert children, "it has started its zygote"
    out, err = running.end()
    assert running.process.returncode == 0
    assert out == ""
    assert "what you save is graded" in err
    assert err.endswith("Stopped.\n")
    assert "Traceback" not in err
    assert [pid for pid in children if Path(f"/proc/{pid}").exists()] == []


def test_a_port_in_use_is_one_sentence(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with bound(0) as other:
        port = other.getsockname()[1]
        done = CliRunner().invoke(main, ["serve", "--port", str(port)])
    assert done.exit_code == 2
    assert done.output == (
        f"Error: Port {port} cannot be used: another program uses it. Choose another --port, or leave it out.\n"
    )


def test_outside_a_workspace_it_says_that_nothing_is_graded(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(House, "run", lambda _: None)
    with bound(0) as other:
        monkeypatch.setattr(server, "PORT", port := other.getsockname()[1])
        done = CliRunner().invoke(main, ["serve"])
    assert done.exit_code == 0
    assert "so nothing is graded: `anatomy start` makes one." in done.output
    assert f"Port {port} is in use by another program" in done.output
    assert re.search(r"^The course is at http://127\.0\.0\.1:\d+/\?token=\S{40,}$", done.output, re.MULTILINE)


def replace(path: Path, text: str) -> None:
    """Save as careful editors do: the file is never half written."""
    draft = path.with_suffix(".draft")
    draft.write_text(text, "utf-8")
    draft.replace(path)


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            found += [int(child), *descendants(int(child))]
    return found
