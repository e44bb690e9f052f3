"""The routes: pieces for scripts, pages for browsers without, and a sentence for whatever goes wrong."""

import re

import pytest
from made_pages import report_of
from made_serve import ORIGIN, PORT, Made

from grader.course.load import load_course
from grader.errors import GraderFault, UserError
from grader.records import clock
from grader.records.kinds import GRADING
from grader.records.log import Log
from grader.report import ExerciseResult, Report
from grader.site.serve.results import last_verdicts

HOST = f"127.0.0.1:{PORT}"
SCRIPT = {"Host": HOST, "Origin": ORIGIN, "X-Fragment": "1"}
FORM = {"Host": HOST, "Origin": ORIGIN}
HOSTILE = "</article></script><script>alert(1)</script> \u2028 <img src=x onerror=alert(1)> `<b onclick=x>`"


@pytest.fixture
def made(made_course):
    return Made(made_course)


@pytest.fixture
def browser(made):
    return made.browser()


def text_of(browser, path, **headers):
    return browser.get(path, headers={"Host": HOST, **headers}).text


def test_pages_have_the_names_that_they_have_as_files(browser):
    assert "<title>index</title>" in text_of(browser, "/")
    assert "<title>index</title>" in text_of(browser, "/index.html")
    assert "<title>first</title>" in text_of(browser, "/first.html")
    assert browser.get("/second.html", headers=FORM).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "said"),
    [
        ("GET", "/quiz/first", "show first False"),
        ("GET", "/quiz/first?practice=1", "show first True"),
        ("POST", "/quiz/first/begin?practice=1", "begin first True"),
        ("POST", "/quiz/first/answer?practice=0", "answer first False 2.5"),
    ],
)
def test_a_script_gets_the_piece_and_a_bare_browser_a_page_around_it(browser, method, path, said):
    form = {"given": "2.5"} if "answer" in path else None
    piece = browser.open(path, method=method, data=form, headers=SCRIPT)
    page = browser.open(path, method=method, data=form, headers=FORM)
    assert piece.text == f"<p id='piece'>{said}</p>"
    assert piece.text in page.text
    assert page.text.startswith("<!doctype html>")
    assert 'href="/first.html"' in page.text
    assert "form-action 'self'" in page.headers["Content-Security-Policy"]
    assert "script-src 'none'" in page.headers["Content-Security-Policy"]


def test_practice_may_stand_in_the_form(browser):
    answer = browser.post("/quiz/first/answer", data={"practice": "1", "given": ["a", "b"]}, headers=SCRIPT)
    assert "answer first True a,b" in answer.text


@pytest.mark.parametrize("path", ["/quiz/nowhere", "/lesson/nowhere/results", "/mine/nowhere", "/quiz/first/begin/x"])
def test_an_unknown_name_is_a_plain_sentence(browser, path):
    answer = browser.get(path, headers=FORM)
    assert answer.status_code == 404
    assert "There is no such page here" in answer.text
    assert "nowhere" not in answer.text


def test_what_a_person_can_put_right_is_told_in_its_own_words(made, browser):
    made.quiz.error = UserError("This could not be recorded: the disk is full. Free some <space>.")
    answer = browser.post("/quiz/first/begin", headers=SCRIPT)
    assert answer.status_code == 409
    assert "Free some &lt;space&gt;." in answer.text
    assert 'role="alert"' in answer.text
    assert not made.complaints


def test_a_fault_of_the_graders_is_called_one(made, browser):
    made.quiz.error = GraderFault("the keys are damaged")
    answer = browser.get("/quiz/first", headers=SCRIPT)
    assert (answer.status_code, "Grader fault, not yours: the keys are damaged" in answer.text) == (500, True)


def test_what_nobody_has_foreseen_is_one_line_in_the_terminal_and_no_traceback_in_the_page(made, browser):
    made.quiz.error = RuntimeError("a secret\nin two lines")
    answer = browser.get("/quiz/first", headers=FORM)
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    [line] = made.complaints
    assert "RuntimeError: a secret in two lines" in line
    assert "made_serve.py, line" in line
    assert "\n" not in line


def test_a_panel_with_the_learners_code_is_json(browser):
    answer = browser.get("/mine/entropy", headers=FORM)
    assert answer.json == {"state": "done", "sources": "abc", "parts": {}}
    assert answer.mimetype == "application/json"


@pytest.mark.parametrize("since", ["0", "-1", "x", "", "9" * 40])
def test_the_state_is_told_at_once_whatever_is_asked(made, browser, since):
    made.live.begin("first")
    answer = browser.get(f"/live?since={since}", headers=FORM)
    assert answer.json["grading"] == ["first"]
    assert answer.json["version"] == 1


def graded(*results):
    return Report("x", 1, (), tuple(ExerciseResult(f"first.{name}", *rest) for name, *rest in results))


def test_each_exercise_has_its_verdict_in_an_article_of_its_own(made, browser):
    assert "Not graded in this session" in text_of(browser, "/lesson/first/results")
    made.live.finish("first", graded(("double", "passed", 10, 10), ("shared", "failed", 0, 4)), ["Lesson complete."])
    text = text_of(browser, "/lesson/first/results")
    assert '<article class="good brief" id="result-double"' in text
    assert '<article class="bad" id="result-shared"' in text
    assert "10 of 14 points" in text
    assert "Lesson complete." in text
    assert list(made.results.articles("first")) == ["double", "shared"]
    assert browser.get("/standings", headers=FORM).json["first.double"] == "passed, 10 of 10 points"


def test_a_lesson_that_is_graded_again_says_so(made, browser):
    made.live.finish("first", graded(("double", "passed", 10, 10)))
    made.live.begin("first")
    assert "Grading again." in text_of(browser, "/lesson/first/results")


def test_before_the_first_grading_the_log_tells_the_last_verdict(made_course, home):
    log = Log(home)
    for status in ("failed", "passed"):
        verdicts = {"first.double": {"status": status, "earned": 0, "possible": 10, "misconception": None}}
        log.append(GRADING, {"seed": 1, "exercises": verdicts}, clock.now())
    made = Made(made_course, lambda: log.read().events)
    text = text_of(made.browser(), "/lesson/first/results")
    assert "not graded in this session" in text
    assert 'last: passed on <time datetime="2026-03-01">' in text
    assert text.count("last:") == 1
    assert made.results.standings() == {"first.double": "passed on 2026-03-01"}
    assert set(last_verdicts(log.read().events)) == {"first.double"}


def test_a_log_that_cannot_be_read_is_told_and_hides_nothing(made_course):
    def events():
        raise UserError("Your records in <x> cannot be read.")

    text = text_of(Made(made_course, events).browser(), "/lesson/first/results")
    assert "Your records in &lt;x&gt; cannot be read." in text
    assert 'id="result-double"' in text


def test_a_section_to_read_is_a_link_to_its_place_in_the_pages(made, browser):
    result = ExerciseResult("first.double", "failed", 0, 10, section="lessons/second/lesson.md#halving-it")
    made.live.finish("first", Report("x", 1, (), (result,)))
    assert '<a href="/second.html#halving-it">halving it</a>' in text_of(browser, "/lesson/first/results")


def test_nothing_that_a_learners_code_says_becomes_markup():
    course = load_course()
    made = Made(course)
    report = report_of(HOSTILE)
    harmless = Made(course)
    for slug in ("normalization", "attention", "heads"):
        for each, of in ((made, report), (harmless, report_of("words"))):
            results = tuple(result for result in of.exercises if result.lesson == slug)
            each.live.finish(slug, Report(HOSTILE, 1, (), results, of.problems, None, of.lab_report), [HOSTILE])
        text = made.results.piece(slug)
        assert "<script" not in text
        assert "<img" not in text
        assert "<b " not in text
        assert "&lt;script&gt;alert(1)" in text
        assert tags(text) <= tags(harmless.results.piece(slug)) | {"code", "pre"}
    made.live.fault("desk", HOSTILE)
    answer = made.browser().get("/live", headers=FORM)
    assert answer.json["fault"] == HOSTILE
    assert answer.mimetype == "application/json"


def tags(text):
    return set(re.findall(r"<(\w+)", text))
