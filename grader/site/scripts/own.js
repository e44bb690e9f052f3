// A learner's own functions in the pictures: asked of the server, which runs them in the sandbox.
"use strict";

(() => {
  const WAIT = 300;

  const watch = (panel) => {
    const box = panel.place.querySelector('[data-do="own"]');
    if (!box) return;
    const told = panel.place.querySelector(".own-told");
    let asking = 0, shown = null;  // of which sources

    const say = (...lines) => told.replaceChildren(...lines.map((line) => anatomy.element("p", { class: "trouble" }, line)));

    // How much differs depends on where the controls stand.
    const compared = () => {
      const wrong = panel.place.querySelectorAll(".numbers .differs").length;
      const thin = panel.place.querySelector(".drawing rect.own") ? " Yours are the thin bars, red where they differ." : "";
      const words = wrong ? `${wrong} of the numbers shown ${wrong === 1 ? "differs" : "differ"}.`
        : "none of the numbers shown here differs. Whether a function is right, its verdict says.";
      return `Drawn beside the reference: ${words}${thin}`;
    };

    const show = (answer) => {
      shown = answer.sources;
      if (answer.state === "none") {
        panel.showOwn(null);
        return say(answer.says);
      }
      const computed = Object.entries(answer.parts).filter(([, part]) => "data" in part);
      const lacking = Object.values(answer.parts).filter((part) => "trouble" in part);
      panel.showOwn(computed.length ? Object.fromEntries(computed.map(([name, part]) => [name, part.data])) : null);
      say(...(computed.length ? [compared()] : []), ...lacking.map((part) => `${part.exercise}: ${part.trouble}`));
    };

    const ask = async (turn) => {
      let answer = null;
      try {
        answer = await (await fetch(`mine/${panel.name}`, { credentials: "same-origin" })).json();
      } catch {
        shown = null;
        if (turn === asking) say("The server does not answer. Is `anatomy serve` still running?");
        return;
      }
      if (turn !== asking || !box.checked) return;
      if (answer.state === "working") {
        shown = null;
        say("Computing with your functions\u2026");
        setTimeout(() => turn === asking && ask(turn), WAIT);
      } else if (answer.sources === undefined || answer.sources !== shown) show(answer);
    };

    const again = () => {
      asking += 1;
      if (box.checked) ask(asking);
      else {
        shown = null;
        panel.showOwn(null);
        say();
      }
    };
    box.addEventListener("change", again);
    document.addEventListener("anatomy:saved", () => box.checked && again());
    panel.place.addEventListener("anatomy:moved", () => {
      if (panel.mine && shown) told.firstElementChild.textContent = compared();
    });
  };

  document.addEventListener("DOMContentLoaded", () => {
    for (const panel of anatomy.panels.values()) watch(panel);
  });
})();
