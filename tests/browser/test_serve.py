"""`anatomy serve` in a real browser: who gets in, and what a save does to the pages that are open."""

from __future__ import annotations

from collections.abc import Callable

from browser.live_server import LiveServer, Visitor
from browser.standards import COLOURS, OPEN_ALL, OVERFLOW, THIN_OUT
from playwright.sync_api import Browser, Locator, Page, expect

Visit = Callable[..., Visitor]
WAIT = 20_000
"""Milliseconds after which nothing more is expected to come; on a quiet machine it comes within one second."""
EPS_OUTSIDE = ("torch.sqrt(mean_square + eps)", "(torch.sqrt(mean_square) + eps)")
NO_BIAS = ("normed * gamma + beta", "normed * gamma")
HOSTILE = '</script><script>window.ran=1</script><img src=x onerror="window.ran=1">\u2028[x](javascript:window.ran=1)'
HOSTILE_MODULE = f'''
import torch

HOSTILE = {HOSTILE!r}

def standardize(x, eps=1e-5):
    """{HOSTILE}"""
    raise type(HOSTILE, (ValueError,), {{}})(HOSTILE)

standardize.__name__ = standardize.__qualname__ = HOSTILE

def layer_norm(x, gamma, beta, eps=1e-5):
    return standardize(x, eps) * gamma + beta

def rms_norm(x, weight, eps=1e-6):
    print(HOSTILE)
    return x
'''


def result(tab: Page, exercise: str) -> Locator:
    """The verdict on an exercise in its lesson's page."""
    return tab.locator(f"#result-{exercise}")


def stays(*tabs: Page) -> None:
    """Leave a mark on pages that is gone when they are loaded again."""
    for tab in tabs:
        tab.evaluate("() => { window.stays = true; }")


def stayed(*tabs: Page) -> bool:
    return all(tab.evaluate("() => window.stays === true") for tab in tabs)


def test_the_address_lets_a_browser_in_and_its_tabs_and_nobody_else(
    visitor: Visit, live_server: LiveServer, browser: Browser
) -> None:
    let_in = visitor()
    tab = let_in.open(live_server.address)
    assert tab.url == live_server.root  # the token is in no history
    expect(tab.locator("h1")).to_have_text(live_server.course.title)
    (cookie,) = let_in.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"], cookie["expires"]) == (True, "Strict", -1)
    assert tab.evaluate("() => document.cookie") == ""
    expect(let_in.lesson("normalization").locator("h1")).to_be_visible()
    stranger = browser.new_page()
    answer = stranger.goto(live_server.root)
    assert answer is not None
    assert answer.status == 403
    expect(stranger.locator("main")).to_contain_text("Open the address that anatomy serve printed")
    stranger.close()


def test_a_save_changes_the_verdicts_where_they_stand_in_every_page(visitor: Visit, live_server: LiveServer) -> None:
    visit = visitor()
    lesson, home, decoder = visit.lesson("normalization"), visit.open(live_server.root), visit.lesson("decoder")
    stays(lesson, home, decoder)
    live_server.save("normalization", live_server.right("normalization", EPS_OUTSIDE, NO_BIAS))
    wrong = result(lesson, "rms_norm")
    expect(wrong).to_contain_text("eps is added after the root is taken", timeout=WAIT)
    read = wrong.get_by_role("link")
    section = str(read.get_attribute("href")).partition("#")[2]
    read.click()
    assert lesson.url == f"{live_server.root}normalization.html#{section}"
    expect(lesson.locator(f"#{section}")).to_be_in_viewport()
    standing = home.locator("table.standings tr").filter(has_text="Normalization")
    expect(standing).to_contain_text("1 of 3", timeout=WAIT)
    grade = decoder.locator('[data-grade="normalization.rms_norm"]').first
    expect(grade).to_contain_text("of 12 points", timeout=WAIT)

    opened = [lesson.locator("details.numbers").first, home.locator("#study ~ details")]
    for details in opened:
        details.locator("summary").first.click()
    live_server.save("normalization", live_server.right("normalization", NO_BIAS))
    expect(wrong).to_contain_text("passed", timeout=WAIT)
    expect(standing).to_contain_text("2 of 3", timeout=WAIT)
    expect(grade).to_have_text("passed, 12 of 12 points", timeout=WAIT)
    for details in opened:
        expect(details).to_have_attribute("open", "")
    assert stayed(lesson, home, decoder)


def test_three_tabs_and_many_saves_end_with_the_same_verdict(visitor: Visit, live_server: LiveServer) -> None:
    visit = visitor()
    tabs = [visit.lesson("normalization") for _ in range(3)]
    stays(*tabs)
    for changes in ([EPS_OUTSIDE], [NO_BIAS], [EPS_OUTSIDE, NO_BIAS], [NO_BIAS], [EPS_OUTSIDE]):
        live_server.save("normalization", live_server.right("normalization", *changes))
    for tab in tabs:
        expect(result(tab, "rms_norm")).to_contain_text("eps is added after the root", timeout=WAIT)
        expect(result(tab, "layer_norm")).to_contain_text("passed", timeout=WAIT)
        expect(tab.locator("#live-told")).to_contain_text("Graded normalization", timeout=WAIT)
    assert (
        len(
            {
                tab.locator("[data-result]").evaluate_all("(all) => all.map((each) => each.innerHTML).join()")
                for tab in tabs
            }
        )
        == 1
    )
    assert stayed(*tabs)


def test_what_a_learners_code_says_is_text_in_a_page_that_keeps_nobody_out(
    visitor: Visit, live_server: LiveServer, axe: Callable[..., list[str]]
) -> None:
    visit = visitor(390, color_scheme="light", reduced_motion="reduce")
    tab = visit.lesson("normalization")
    live_server.save("normalization", HOSTILE_MODULE)
    expect(result(tab, "standardize")).to_contain_text('<img src=x onerror="window.ran=1">', timeout=WAIT)
    expect(result(tab, "rms_norm")).to_contain_text("</script><script>window.ran=1</script>", timeout=WAIT)
    tab.get_by_label("Draw it with my own functions too").check()
    told = tab.locator(".own-told")
    expect(told).to_contain_text("7 of the numbers shown differ", timeout=WAIT)
    expect(told).to_contain_text('<img src=x onerror="window.ran=1">')
    quiz = tab.locator("#quiz")
    quiz.get_by_role("button", name="Begin to practise").click()
    expect(quiz.get_by_role("button", name="I don\u2019t know")).to_be_visible()
    for each in (tab, visit.open(live_server.root)):
        assert each.evaluate("() => [window.ran, document.querySelectorAll('img, script:not([type])').length]") == [
            None,
            1,
        ]
    tab.evaluate(OPEN_ALL)
    tab.evaluate(THIN_OUT)
    assert axe(tab) == []
    assert tab.evaluate(OVERFLOW) <= 0
    quiz.get_by_role("button", name="I don\u2019t know").click()
    expect(quiz.locator(".quiz-verdict")).to_contain_text("Not yet.", timeout=WAIT)
    tab.emulate_media(color_scheme="dark")
    tab.set_viewport_size({"width": 1280, "height": 900})
    assert axe(tab, COLOURS) == []
