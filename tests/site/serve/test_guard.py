"""Only the browser that was given this run's token is answered, and no page of anybody else's can send requests."""

import re

import pytest
from made_serve import ORIGIN, PORT, Made

HOST = f"127.0.0.1:{PORT}"
ELSEWHERE = "http://evil.example"


@pytest.fixture
def made(made_course):
    return Made(made_course)


@pytest.fixture
def browser(made):
    return made.browser()


def asked(client, path="/", method="GET", **headers):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return client.open(path, method=method, headers={"Host": HOST, **named})


def cookie_of(made):
    cookie = made.browser().get_cookie(f"anatomy-{PORT}", domain="127.0.0.1")
    return f"{cookie.key}={cookie.value}"


def test_the_token_is_swapped_for_a_cookie_and_leaves_the_address(made):
    client = made.stranger()
    answer = asked(client, f"/?token={made.guard.token}", Sec_Fetch_Site="none")
    assert answer.status_code == 303
    assert answer.headers["Location"] == "/"
    name, _, rest = answer.headers["Set-Cookie"].partition("=")
    assert name == f"anatomy-{PORT}"
    assert set(rest.split("; ")[1:]) == {"HttpOnly", "SameSite=Strict", "Path=/"}
    assert made.guard.token not in rest
    assert asked(client).status_code == 200


def test_the_address_holds_the_token_and_this_host(made):
    assert made.guard.address == f"http://{HOST}/?token={made.guard.token}"


def test_a_browser_that_we_start_gets_an_address_that_opens_once(made):
    path = made.guard.address_for_once().removeprefix(f"http://{HOST}")
    first = made.stranger()
    assert asked(first, path).status_code == 303
    assert asked(first).status_code == 200
    assert asked(made.stranger(), path).status_code == 403


def test_who_is_known_may_open_an_old_address(made, browser):
    answer = asked(browser, "/?token=of-another-run")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/")
    assert "Set-Cookie" not in answer.headers


@pytest.mark.parametrize("path", ["/", "/first.html", "/live", "/lesson/first/results", "/mine/entropy", "/nothing"])
def test_without_the_cookie_every_path_is_refused(made, path):
    answer = asked(made.stranger(), path)
    assert answer.status_code == 403
    assert "anatomy serve" in answer.text


@pytest.mark.parametrize(
    "token", ["", "x", "%00", "%ff%fe", "\u00e9", "a&token=b", "{right}x", " {right}", "{right}%0a"]
)
def test_a_wrong_token_is_refused(made, token):
    answer = asked(made.stranger(), f"/?token={token.format(right=made.guard.token)}")
    assert answer.status_code == 403
    assert "Set-Cookie" not in answer.headers


def test_the_token_counts_at_the_start_page_only(made):
    assert asked(made.stranger(), f"/live?token={made.guard.token}").status_code == 403


def test_token_and_cookie_of_another_run_are_refused(made, made_course):
    other = Made(made_course)
    assert asked(made.stranger(), f"/?token={other.guard.token}").status_code == 403
    client = made.app.test_client(use_cookies=False)
    assert asked(client, Cookie=cookie_of(other)).status_code == 403
    assert asked(client, Cookie=cookie_of(made)).status_code == 200


def test_a_cookie_that_another_port_has_put_before_ours_does_no_harm(made):
    client = made.app.test_client(use_cookies=False)
    assert asked(client, Cookie=f"anatomy-{PORT}=wrong; {cookie_of(made)}").status_code == 200
    assert asked(client, Cookie=cookie_of(made).replace(str(PORT), "9999")).status_code == 403


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:9999", f"127.0.0.1.evil.example:{PORT}",
     f"0.0.0.0:{PORT}", f"[::1]:{PORT}", f"{HOST}, evil.example", f"{HOST}.", ""],
)  # fmt: skip
def test_a_name_that_is_made_to_point_here_is_refused(browser, host):
    assert asked(browser, Host=host).status_code == 421


def test_what_a_proxy_might_say_of_the_host_does_not_count(browser):
    assert asked(browser, Host="evil.example", X_Forwarded_Host=HOST).status_code == 421
    assert asked(browser, X_Forwarded_Host="evil.example").status_code == 200


def test_localhost_is_this_machine_too(made):
    client = made.stranger()
    host = {"Host": f"localhost:{PORT}"}
    client.get(f"/?token={made.guard.token}", headers=host, base_url=f"http://localhost:{PORT}")
    assert client.get("/", headers=host, base_url=f"http://localhost:{PORT}").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "null"}, {"Origin": ELSEWHERE}, {"Origin": f"https://{HOST}"}, {"Origin": "http://127.0.0.1"},
     {"Origin": "http://127.0.0.1:9999"}, {"Origin": f"http://localhost:{PORT}"}, {"Origin": f"{ORIGIN}/"},
     {"Origin": ""}, {"Sec_Fetch_Site": "cross-site"}, {"Sec_Fetch_Site": "same-site"}, {"Sec_Fetch_Site": "x"},
     {"Origin": ORIGIN, "Sec_Fetch_Site": "cross-site"}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_request_from_another_page_is_refused_though_the_cookie_is_right(made, browser, headers, method):
    path = "/" if method == "GET" else "/quiz/first/begin"
    assert asked(browser, path, method, **headers).status_code == 403
    assert asked(browser, f"/?token={made.guard.token}", method, **headers).status_code == 403


def test_a_form_must_say_from_where_it_comes(browser):
    assert asked(browser, "/quiz/first/begin", "POST").status_code == 403
    assert asked(browser, "/quiz/first/begin", "POST", Origin=ORIGIN, Sec_Fetch_Site="same-origin").status_code == 200


@pytest.mark.parametrize("method", ["PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "GET\u00e9"])
def test_no_other_method_is_known(browser, method):
    assert asked(browser, "/", method, Origin=ORIGIN).status_code == 405


def test_a_method_cannot_be_replaced_by_a_header_or_a_field(browser):
    answer = asked(browser, "/quiz/first/begin?_method=POST", X_HTTP_Method_Override="POST", X_Method_Override="POST")
    assert answer.status_code == 405


@pytest.mark.parametrize("length", [256 * 1024 + 1, 10**12])
def test_a_huge_form_is_not_read(browser, length):
    headers = {"Host": HOST, "Origin": ORIGIN}
    answer = browser.post("/quiz/first/answer", headers=headers, environ_overrides={"CONTENT_LENGTH": str(length)})
    assert answer.status_code == 413
    assert "256 kB" in answer.text


@pytest.mark.parametrize(
    "path",
    ["/../secret.html", "/..%2f..%2fetc%2fpasswd.html", "/%2e%2e/x.html", "/first%00.html", "/%00", "/first.html/..",
     "/%2fevil.example/first.html", "/first.html.html", "/FIRST.html", "/.html", "/%ff.html", "/\\..\\x.html",
     "/lesson/..%2ffirst/results", "/quiz/%00", "/mine/..", "/lesson/" + "a" * 5000 + "/results"],
)  # fmt: skip
def test_a_path_that_leads_elsewhere_leads_nowhere(browser, path):
    answer = asked(browser, path)
    assert answer.status_code in (404, 308)
    if answer.status_code == 308:  # two slashes are made one, on this server
        assert answer.headers["Location"].startswith(f"{ORIGIN}/")


@pytest.mark.parametrize(
    ("client", "path", "status"),
    [("browser", "/", 200), ("browser", "/live", 200), ("browser", "/none", 404), ("browser", "/quiz/first", 200),
     ("stranger", "/", 403), ("stranger", "/?token={}", 303), ("browser", "/favicon.ico", 204)],
)  # fmt: skip
def test_every_answer_forbids_framing_guessing_and_keeping(made, client, path, status):
    answer = asked(getattr(made, client)(), path.format(made.guard.token))
    assert answer.status_code == status
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "DENY"
    assert answer.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert answer.headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer.headers["Referrer-Policy"] == "same-origin"
    assert answer.headers["Cache-Control"] == "no-store"
    assert len(answer.headers.getlist("Content-Security-Policy")) == 1
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_a_page_has_the_policy_that_it_names_itself(browser):
    policy = asked(browser).headers["Content-Security-Policy"]
    assert policy == "default-src 'none'; script-src 'sha256-abc='; frame-ancestors 'none'"


def test_a_refusal_says_nothing_of_the_machine(made, tmp_path):
    text = asked(made.stranger(), "/first.html").text
    body = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    for secret in (str(tmp_path), "first", "student", made.guard.token, "Python", "werkzeug", "waitress"):
        assert secret.lower() not in body.lower()


@pytest.mark.parametrize(("method", "status"), [("GET", 403), ("POST", 403), ("PUT", 405)])
def test_a_script_is_refused_in_a_sentence_that_can_stand_in_its_page(made, method, status):
    answer = asked(made.stranger(), "/quiz/first", method, X_Fragment="1", Origin=ORIGIN)
    assert answer.status_code == status
    assert re.fullmatch(r'<p class="alert" role="alert">[^<]*(<code>[^<]*</code>[^<]*)*</p>', answer.text)
