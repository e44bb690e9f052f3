"""How long each page of the site takes to be ready for use in headless Chromium, beside an empty page.

Ready for use: the document is parsed, every handler of DOMContentLoaded has run, and, in the frame after that, the
first thing that can be operated answers: a slider that moves (the sentence of its picture changes), or else a closed
detail that opens. Each round loads every page once in a new tab, the empty one among them; medians are shown.

    .venv/bin/python tests/benchmarks/pages.py [ROUNDS]
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from browser.chromium import find

from grader.course.load import load_course
from grader.site.build import build_site

BARE = "a bare page"
BARE_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Bare</title></head>
<body><p>Bare.</p></body>
</html>
"""
FLAGS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")

READY = """
async () => {
  const frame = () => new Promise(requestAnimationFrame);
  await frame();
  const slider = [...document.querySelectorAll('.panel input[type="range"]')].find((each) => each.checkVisibility());
  const detail = document.querySelector("details:not([open])");
  let operated = "nothing to operate";
  if (slider) {
    const said = slider.closest(".panel").querySelector(".said");
    const before = said.textContent;
    slider.value = slider.value === slider.max ? slider.min : slider.max;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    operated = said.textContent === before ? "a slider that does not answer" : "a slider";
  } else if (detail) {
    detail.querySelector("summary").click();
    operated = detail.open ? "a detail" : "a detail that does not open";
  }
  await frame();
  const loaded = performance.getEntriesByType("navigation")[0];
  return [performance.now(), loaded.domContentLoadedEventEnd, operated];
}
"""


def measured(browser: Browser, file: Path) -> tuple[float, float, str]:
    """Milliseconds from the navigation to an answer, those to the end of the handlers, and what was operated."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    tab.goto(file.as_uri(), wait_until="domcontentloaded")
    answered, handled, operated = tab.evaluate(READY)
    tab.close()
    return answered, handled, operated


def main(rounds: int) -> None:
    course = load_course()
    names = ["index", "decoder", *(lesson.slug for lesson in course.lessons)]
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        site = Path(folder) / "site"
        build_site(site, course)
        files = {BARE: Path(folder) / "bare.html", **{name: site / f"{name}.html" for name in names}}
        files[BARE].write_text(BARE_PAGE, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=find(), args=list(FLAGS))
        measured(browser, files[BARE])  # the first tab of a browser waits for the browser
        runs: dict[str, list[tuple[float, float, str]]] = {name: [] for name in files}
        for _ in range(rounds):
            for name, file in files.items():
                runs[name].append(measured(browser, file))
        browser.close()
        sizes = {name: file.stat().st_size for name, file in files.items()}
    bare = statistics.median(run[0] for run in runs[BARE])
    print(f"medians of {rounds} rounds; ready: an answer was drawn\n")
    print("| page | kB | handlers done, ms | ready, ms | times a bare page | operated |")
    print("|---|---|---|---|---|---|")
    for name, found in runs.items():
        answered, handled = (statistics.median(run[place] for run in found) for place in (0, 1))
        operated = " / ".join(sorted({run[2] for run in found}))
        row = (
            name,
            f"{sizes[name] / 1e3:.0f}",
            f"{handled:.0f}",
            f"{answered:.0f}",
            f"{answered / bare:.1f}",
            operated,
        )
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
