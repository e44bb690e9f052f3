"""A server of made pages, for tests: what it was asked is kept, and nothing is graded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from flask.testing import FlaskClient
from markupsafe import Markup, escape

from grader.course.model import Course
from grader.records.event import Event
from grader.site.serve.app import create_app
from grader.site.serve.guard import Guard
from grader.site.serve.live import Live
from grader.site.serve.results import Results

PORT = 8765
ORIGIN = f"http://127.0.0.1:{PORT}"
PAGE = (
    '<!doctype html><meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;; '
    'script-src &#39;sha256-abc=&#39;"><title>{}</title>'
)


class MadeSite:
    """Two pages."""

    def page(self, name: str) -> str | None:
        return PAGE.format(name) if name in ("index", "first") else None


class MadeQuiz:
    """Echoes what it is asked, or raises what it was given."""

    def __init__(self) -> None:
        self.error: Exception | None = None

    def show(self, slug: str, practice: bool) -> Markup:
        return self._said(f"show {slug} {practice}")

    def begin(self, slug: str, practice: bool) -> Markup:
        return self._said(f"begin {slug} {practice}")

    def answer(self, slug: str, practice: bool, form: Mapping[str, Sequence[str]]) -> Markup:
        return self._said(f"answer {slug} {practice} {','.join(form['given'])}")

    def _said(self, text: str) -> Markup:
        if self.error is not None:
            raise self.error
        return Markup("<p id='piece'>{}</p>").format(escape(text))


class MadeBench:
    """Has one panel."""

    def panel(self, name: str) -> dict[str, Any] | str:
        return {"entropy": '{"state":"done","sources":"abc","parts":{}}'}[name]


class Made:
    """The server, and a browser that has opened it."""

    def __init__(self, course: Course, events: Callable[[], Iterable[Event]] = tuple, port: int = PORT) -> None:
        self.live, self.quiz, self.guard = Live(), MadeQuiz(), Guard(port)
        self.complaints: list[str] = []
        self.results = Results(course, self.live, events)
        self.app = create_app(
            course=course,
            site=MadeSite(),
            live=self.live,
            results=self.results,
            bench=MadeBench(),  # type: ignore[arg-type]
            quiz=self.quiz,
            guard=self.guard,
            complain=self.complaints.append,
        )

    def stranger(self) -> FlaskClient:
        """A browser that has not been given the token."""
        made = self.app.test_client()
        made.environ_base["HTTP_HOST"] = f"127.0.0.1:{self.guard.port}"
        return made

    def browser(self) -> FlaskClient:
        """One that has opened the address."""
        made = self.stranger()
        made.get(f"/?token={self.guard.token}", headers={"Host": f"127.0.0.1:{self.guard.port}"})
        return made


def zygote(alive: bool = True) -> Any:
    """What the desk asks of a zygote."""
    return SimpleNamespace(alive=alive)
