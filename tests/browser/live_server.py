"""`anatomy serve` in a workspace of its own, and a browser that has opened the address it printed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from playwright.sync_api import Browser, BrowserContext, Page

from grader.course.load import load_course
from grader.workspace import start

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "reference"
ENDING = 30


class LiveServer:
    """The command as a person runs it. Its clock stands still, as that of all tests does."""

    def __init__(self, folder: Path, now: str) -> None:
        self.course = load_course()
        self.folder = start(folder / "work", self.course).workspace.student_dir
        self._stubs = {path.stem: path.read_text("utf-8") for path in self.folder.glob("*.py")}
        path = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        self._process = subprocess.Popen(
            [sys.executable, "-m", "grader.cli", "serve", "--port", "0", "--no-browser"],
            cwd=folder / "work", stdout=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONPATH": path, "ANATOMY_HOME": str(folder / "home"), "ANATOMY_NOW": now},
        )  # fmt: skip
        assert self._process.stdout is not None
        self.address = self._process.stdout.readline().rpartition(" ")[2].strip()
        self.root = self.address.partition("?")[0]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.send_signal(signal.SIGINT)
        self._process.communicate(timeout=ENDING)

    def save(self, slug: str, text: str) -> None:
        """Save a module as careful editors do: the file is never half written."""
        draft = self.folder / f"{slug}.draft"
        draft.write_text(text, "utf-8")
        draft.replace(self.folder / f"{slug}.py")

    def put_back(self, *slugs: str) -> None:
        """Save the stubs of these lessons, as nobody had written anything."""
        for slug in slugs:
            self.save(slug, self._stubs[slug])

    def right(self, slug: str, *changes: tuple[str, str]) -> str:
        """The reference's module, with these texts of it changed."""
        text = (REFERENCE / f"{slug}.py").read_text("utf-8")
        for old, new in changes:
            assert old in text, old
            text = text.replace(old, new)
        return text


class Visitor:
    """One browser with the cookie. What its tabs say to the console is kept, and what they ask for in vain."""

    def __init__(self, browser: Browser, server: LiveServer, **context: Any) -> None:
        self.context: BrowserContext = browser.new_context(**context)
        self.said: list[str] = []
        self.server = server
        self.open(server.address).close()

    def open(self, address: str) -> Page:
        """A tab that shows an address."""
        tab = self.context.new_page()
        tab.on("console", lambda message: self.said.append(f"{message.type}: {message.text}"))
        tab.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        tab.on("requestfailed", lambda request: self.said.append(f"no answer: {request.url}"))
        tab.goto(address)
        return tab

    def lesson(self, slug: str) -> Page:
        """A tab that shows a lesson."""
        return self.open(f"{self.server.root}{slug}.html")
