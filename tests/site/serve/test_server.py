"""The socket: this machine only, a port that is said, and many requests at a time."""

import http.client
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from made_serve import Made

from grader.errors import UserError
from grader.site.serve import server
from grader.site.serve.server import Server, bound


def port_of(listening):
    return listening.getsockname()[1]


def test_only_this_machine_can_reach_it():
    with bound(0) as listening:
        assert listening.getsockname()[0] == "127.0.0.1"


def test_a_port_that_was_asked_for_and_is_in_use_is_refused_in_one_sentence():
    with bound(0) as other, pytest.raises(UserError, match=rf"Port {port_of(other)} cannot be used: another program"):
        bound(port_of(other))


def test_if_none_was_asked_for_the_next_free_one_is_taken(monkeypatch):
    with bound(0) as other:
        monkeypatch.setattr(server, "PORT", port_of(other))
        with bound(None) as listening:
            assert port_of(listening) != port_of(other)


def test_a_port_is_free_again_at_once(made_course):
    listening = bound(0)
    port = port_of(listening)
    serving = Server(Made(made_course, port=port).app, listening)
    answer(port, "/")
    serving.close()
    bound(port).close()


@pytest.fixture
def served(made_course):
    listening = bound(0)
    made = Made(made_course, port=port_of(listening))
    serving = Server(made.app, listening)
    yield made
    serving.close()


def answer(port, path, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", path, headers=headers)
        got = connection.getresponse()
        return got.status, got.headers, got.read()
    finally:
        connection.close()


def cookie_of(made):
    _, headers, _ = answer(made.guard.port, f"/?token={made.guard.token}")
    return headers["Set-Cookie"].partition(";")[0]


def test_three_hundred_requests_at_once_are_all_answered(served):
    cookie, gate = cookie_of(served), threading.Barrier(50)

    def ask(number):
        if number < 50:
            gate.wait(60)
        return answer(served.guard.port, "/live", Cookie=cookie if number % 2 else "")[0]

    with ThreadPoolExecutor(50) as pool:
        statuses = list(pool.map(ask, range(300)))
    assert statuses == [403, 200] * 150
    assert not served.complaints


def test_a_request_that_never_ends_keeps_nobody_waiting(served):
    cookie = cookie_of(served)
    stuck = [socket.create_connection(("127.0.0.1", served.guard.port)) for _ in range(20)]
    try:
        for each in stuck:
            each.sendall(b"POST /quiz/first/answer HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf")
        assert answer(served.guard.port, "/live", Cookie=cookie)[0] == 200
    finally:
        for each in stuck:
            each.close()


def test_it_does_not_say_what_program_it_is(served):
    _, headers, _ = answer(served.guard.port, "/")
    assert "Server" not in headers


@pytest.mark.parametrize(
    "line", ["GET http://evil.example/ HTTP/1.1", "GET //evil.example/ HTTP/1.1", "GET / HTTP/1.0"]
)
def test_the_host_is_looked_for_where_it_counts(served, line):
    with socket.create_connection(("127.0.0.1", served.guard.port), timeout=60) as connection:
        connection.sendall(f"{line}\r\nHost: evil.example\r\nConnection: close\r\n\r\n".encode())
        assert connection.makefile("rb").readline().split()[1] == b"421"
