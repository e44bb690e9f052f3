// The home page while a learner works: after each grading its pieces are renewed from the server, those that changed.
"use strict";

(() => {
  let asked = 0;

  const ask = async () => {
    const answer = await fetch("index.html", { credentials: "same-origin" });
    return answer.ok ? answer.text() : null;
  };

  document.addEventListener("anatomy:saved", async () => {
    const turn = asked += 1;
    const text = await ask().catch(() => null);  // that the server is gone is told above
    if (text === null || turn !== asked) return;
    // Parsed into a document of its own, in which nothing runs; the server has escaped whatever people wrote.
    const fresh = new DOMParser().parseFromString(text, "text/html");
    for (const piece of document.querySelectorAll("[data-renewed]")) {
      const other = fresh.querySelector(`[data-renewed="${piece.dataset.renewed}"]`);
      if (other) renew(piece, other);
    }
  });
})();
