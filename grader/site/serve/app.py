"""The routes: pages, verdicts, the state of the grading, the learner's code in the pictures, and quizzes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from flask import Flask, Response, request
from markupsafe import Markup
from werkzeug.exceptions import HTTPException, NotFound

from grader.course.model import Course, UnknownName
from grader.errors import GraderFault, UserError
from grader.site.serve.bench import Bench
from grader.site.serve.fault import fault_line
from grader.site.serve.guard import BODY_MOST, Guard
from grader.site.serve.live import Live
from grader.site.serve.rendering import fragment, policy_of, whole
from grader.site.serve.results import Results

HOME = "index"
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
NOT_FOUND = "There is no such page here. The start page has links to all there are."


class Site(Protocol):
    """Makes the pages. Called from several threads."""

    def page(self, name: str) -> str | None:
        """The page of that name, `index` or a lesson's slug for example; None if there is none."""


class QuizRoom(Protocol):
    """Holds quizzes. Each method makes the piece of a page that comes next. Called from several threads.

    form: what was filled in, by the names of the fields; of a field that stands there more than once all values.
    """

    def show(self, slug: str, practice: bool) -> Markup: ...

    def begin(self, slug: str, practice: bool) -> Markup: ...

    def answer(self, slug: str, practice: bool, form: Mapping[str, Sequence[str]]) -> Markup: ...


def create_app(
    *,
    course: Course,
    site: Site,
    live: Live,
    results: Results,
    bench: Bench,
    quiz: QuizRoom | None,
    guard: Guard,
    complain: Callable[[str], None],
) -> Flask:
    """The application, behind its guard. complain: is told of faults that nobody has foreseen, in one line."""
    app = Flask("grader.site.serve", static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = BODY_MOST
    app.wsgi_app = guard.wrap(app.wsgi_app)  # type: ignore[method-assign, assignment]  # as Flask's own documentation has it

    def the_page(name: str) -> Response:
        text = site.page(name) if _NAME.fullmatch(name) else None
        if text is None:
            raise NotFound
        return Response(text, headers={"Content-Security-Policy": policy_of(text)})

    @app.get("/")
    def home() -> Response:
        return the_page(HOME)

    @app.get("/<name>.html")
    def page(name: str) -> Response:
        return the_page(name)

    @app.get("/favicon.ico")
    def icon() -> Response:
        return Response(status=204)  # browsers ask for it by themselves, and note what is not found

    @app.get("/live")
    def state() -> Response:
        return _json(live.state(request.args.get("since", 0, type=int)))

    @app.get("/lesson/<slug>/results")
    def verdicts(slug: str) -> Response:
        return Response(results.piece(slug))

    @app.get("/standings")
    def standings() -> Response:
        return _json(results.standings())

    @app.get("/mine/<panel>")
    def mine(panel: str) -> Response:
        try:
            return _json(bench.panel(panel))
        except KeyError:
            raise NotFound from None

    if quiz is not None:
        _add_quiz(app, course, quiz)

    @app.errorhandler(UnknownName)
    def unknown(_: UnknownName) -> Response:
        return _trouble(NOT_FOUND, 404)

    @app.errorhandler(UserError)
    def unable(error: UserError) -> Response:
        return _trouble(str(error), 409)

    @app.errorhandler(GraderFault)
    def fault(error: GraderFault) -> Response:
        return _trouble(f"Grader fault, not yours: {error}", 500)

    @app.errorhandler(HTTPException)
    def refused(error: HTTPException) -> Response:
        code = error.code or 500
        says = {
            404: NOT_FOUND,
            405: "This address is asked in another way: by the pages themselves.",
            413: f"A form of more than {BODY_MOST // 1024} kB is not read. Send a shorter answer.",
        }
        return _trouble(says.get(code, "This request could not be understood. Go back to the page it came from."), code)

    @app.errorhandler(Exception)
    def unforeseen(error: Exception) -> Response:
        line = fault_line(error)
        complain(f"Grader fault at {request.method} {request.path!r}: {line}. Please report this line.")
        return _trouble("Something went wrong, by no fault of yours; the terminal says what. Please report it.", 500)

    return app


def _add_quiz(app: Flask, course: Course, quiz: QuizRoom) -> None:
    @app.get("/quiz/<slug>")
    def question(slug: str) -> Response:
        return answered(slug, quiz.show(course.lesson(slug).slug, _practice()))

    @app.post("/quiz/<slug>/begin")
    def begin(slug: str) -> Response:
        return answered(slug, quiz.begin(course.lesson(slug).slug, _practice()))

    @app.post("/quiz/<slug>/answer")
    def answer(slug: str) -> Response:
        return answered(slug, quiz.answer(course.lesson(slug).slug, _practice(), request.form.to_dict(flat=False)))

    def answered(slug: str, piece: Markup) -> Response:
        title = course.lesson(slug).title
        return _in_a_page(piece, f"Quiz: {title}", [(f"/{slug}.html", f"The lesson: {title}")], heading="From memory")


def _practice() -> bool:
    return request.values.get("practice") == "1"


def _wants_a_piece() -> bool:
    """Whether a script asks, which puts what it gets into the page that is open."""
    return request.headers.get("X-Fragment") == "1"


def _in_a_page(
    piece: Markup, title: str, back: list[tuple[str, str]], status: int = 200, heading: str = ""
) -> Response:
    """The piece as it is for a script, and as a page of its own for a browser that runs none.

    heading: stands between the page's title and a piece that has headings of its own.
    """
    if _wants_a_piece():
        return Response(piece, status)
    text, policy = whole("alone.html", title=title, back=[*back, ("/", "Start page")], heading=heading, fragment=piece)
    return Response(text, status, {"Content-Security-Policy": policy})


def _trouble(says: str, status: int) -> Response:
    return _in_a_page(fragment("trouble.html", says=says), "That did not work", [], status)


def _json(record: Any) -> Response:
    text = record if isinstance(record, str) else json.dumps(record, separators=(",", ":"))
    return Response(text, mimetype="application/json")
