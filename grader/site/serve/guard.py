"""Who may talk to the server: the browser that was given this run's token, and no other page, host or program.

It stands before Flask, so that nothing of the pages runs for a request that is refused. What it keeps off: a foreign
page that sends requests here (Origin, Sec-Fetch-Site, the cookie's SameSite), a foreign name that is made to point here
(Host), another account on this machine (the token), and framing.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from werkzeug.datastructures import Headers
from werkzeug.wrappers import Request, Response

from grader.site.serve.rendering import BARE, fragment, whole

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

HOST = "127.0.0.1"
METHODS = ("GET", "HEAD", "POST")
BODY_MOST = 256 * 1024
"""Bytes of a form. The longest answer that a quiz takes is a line."""
_HTTP = 80
_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # Not `no-referrer`: with that, browsers send `Origin: null` along with a plain form, which is refused here.
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
}
OPEN_IT = "Open the address that `anatomy serve` printed when it was started; it holds a token that is new each time."
BY_HAND = "This request came from another page. Paste the address that `anatomy serve` printed into the browser."


class Guard:
    """The rules for one run on one port. token: of the address that is printed, good for as long as the run lasts."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.token = secrets.token_urlsafe()
        self.cookie = f"anatomy-{port}"
        self._secret = secrets.token_urlsafe()
        self._tickets: set[str] = set()
        names = (HOST, "localhost")
        self._hosts = {f"{name}:{port}" for name in names} | (set(names) if port == _HTTP else set())

    @property
    def address(self) -> str:
        """What a person opens."""
        return self._address(self.token)

    def address_for_once(self) -> str:
        """An address that opens the pages once. What a browser is started with can be read by every account of the
        machine while it runs, as arguments are no secret."""
        ticket = secrets.token_urlsafe()
        self._tickets.add(ticket)
        return self._address(ticket)

    def _address(self, token: str) -> str:
        return f"http://{HOST}:{self.port}/?token={token}"

    def wrap(self, app: WSGIApplication) -> WSGIApplication:
        """The application behind this guard."""

        def guarded(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
            request = Request(environ)
            answer = self._refusal(request) or self._swap(request)
            if answer is None and not self._known(request):
                answer = _refused(request, 403, OPEN_IT)
            if answer is not None:
                _add_headers(answer.headers)
                return answer(environ, start)

            def start_with_headers(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> object:
                all_headers = Headers(headers)
                _add_headers(all_headers)
                return start(status, all_headers.to_wsgi_list(), exc_info)  # type: ignore[arg-type]

            return app(environ, start_with_headers)  # type: ignore[arg-type]

        return guarded

    def _refusal(self, request: Request) -> Response | None:
        """Why the request is refused whatever it knows, None if it is not."""
        host = request.environ.get("HTTP_HOST", "").lower()
        if host not in self._hosts:
            return _refused(request, 421, f"This server answers to {HOST} and localhost only. {OPEN_IT}")
        if request.method not in METHODS:
            return _refused(
                request, 405, "Pages are read and forms are sent here; nothing else.", {"Allow": ", ".join(METHODS)}
            )
        if request.headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none"):
            return _refused(request, 403, BY_HAND)
        origin = request.headers.get("Origin")
        if origin is None and request.method == "POST":  # every browser sends it; what does not is no page of ours
            return _refused(request, 403, BY_HAND)
        if origin is not None and origin != f"http://{host}":
            return _refused(request, 403, BY_HAND)
        if (request.content_length or 0) > BODY_MOST:
            return _refused(
                request, 413, f"A form of more than {BODY_MOST // 1024} kB is not read. Send a shorter answer."
            )
        return None

    def _swap(self, request: Request) -> Response | None:
        """For the right token a cookie, and an address without the token, which is then in no history and no picture
        of the screen."""
        # The rules of HTML allow for `;`, `&` and broken escapes: what cannot be read is no token.
        given = parse_qs(request.environ.get("QUERY_STRING", ""), errors="replace").get("token")
        if request.method == "POST" or request.path != "/" or given is None:
            return None
        right = _same(given[0], self.token) or self._spend(given[0])
        if not right and not self._known(request):
            return None
        answer = Response(status=303, headers={"Location": "/", "Content-Security-Policy": BARE})
        if right:
            answer.set_cookie(self.cookie, self._secret, httponly=True, samesite="Strict", path="/")
        answer.autocorrect_location_header = False
        return answer

    def _spend(self, given: str) -> bool:
        ticket = next((each for each in tuple(self._tickets) if _same(given, each)), None)
        try:
            self._tickets.remove(ticket or "")  # of two requests at once, one finds it
        except KeyError:
            return False
        return True

    def _known(self, request: Request) -> bool:
        # Pages on other ports of this machine can set cookies of this name too: one that is right is enough.
        return any(_same(value, self._secret) for value in request.cookies.getlist(self.cookie))


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogatepass"), right.encode("utf-8"))


def _refused(request: Request, status: int, says: str, headers: dict[str, str] | None = None) -> Response:
    if request.headers.get("X-Fragment") == "1":  # a script puts it into its page, and would show a whole page's style
        page, policy = str(fragment("trouble.html", says=says)), BARE
    else:
        page, policy = whole("refused.html", says=says)
    return Response(page, status, {"Content-Security-Policy": policy, **(headers or {})}, mimetype="text/html")


def _add_headers(headers: Headers) -> None:
    for name, value in _ALWAYS.items():
        headers.setdefault(name, value)
    headers.setdefault("Content-Security-Policy", BARE)
