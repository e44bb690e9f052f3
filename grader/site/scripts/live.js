// What the server has graded since: verdicts take their places in the page without a reload.
"use strict";

(() => {
  const EVERY = 300, PATIENCE = 3000;
  const lesson = document.body.dataset.lesson;
  let version = null, seen = {}, missed = 0;

  const announce = (words, tone = "") => {
    const line = document.querySelector("#live-told");
    if (line && line.textContent !== words) {
      line.textContent = words;
      line.dataset.tone = tone;
    }
  };

  // Verdicts come as HTML that the server has escaped.
  const place = (html) => {
    const holder = document.createElement("template");
    holder.innerHTML = html;
    for (const article of holder.content.querySelectorAll("[id^='result-']")) {
      const old = document.querySelector(`[data-result="${article.id.slice("result-".length)}"] > article`);
      if (old) renew(old, article);
    }
  };

  const refresh = async (state) => {
    if (lesson && state.lessons[lesson] !== undefined && state.lessons[lesson] !== seen[lesson]) {
      const answer = await fetch(`lesson/${lesson}/results`, { credentials: "same-origin" });
      if (answer.ok) place(await answer.text());
    }
    if (document.querySelector("[data-grade]")) {
      const standings = await (await fetch("standings", { credentials: "same-origin" })).json();
      for (const spot of document.querySelectorAll("[data-grade]")) {
        spot.textContent = standings[spot.dataset.grade] ?? "";
      }
    }
    seen = state.lessons;
    version = state.version;
    // At first too: something may have been graded while the page was on its way.
    document.dispatchEvent(new CustomEvent("anatomy:saved"));
  };

  const tell = (state) => {
    if (state.fault) announce(state.fault, "fault");
    else if (state.grading.length) announce(`Grading ${state.grading.join(", ")}\u2026`);
    else announce(state.says ?? "");
  };

  const poll = async () => {
    let wait = EVERY;
    if (document.visibilityState === "visible") {
      try {
        const answer = await fetch(`live?since=${version ?? 0}`, { credentials: "same-origin" });
        if (answer.status === 403) return announce("This page belongs to an earlier run of `anatomy serve`. Open the address that it printed last.", "fault");
        const state = await answer.json();
        if (state.version !== version) await refresh(state);
        tell(state);
        missed = 0;
      } catch {
        missed += 1;
        if (missed > 1) announce("The server does not answer. Is `anatomy serve` still running?", "fault");
        if (missed > 1) wait = PATIENCE;
      }
    }
    setTimeout(poll, wait);
  };

  document.addEventListener("DOMContentLoaded", poll);
})();
