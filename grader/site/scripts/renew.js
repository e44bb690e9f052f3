// A piece of the page that the server has made anew takes the old one's place, if it says anything else.
"use strict";

const renew = (() => {
  const bare = (piece) => {
    const copy = piece.cloneNode(true);
    for (const each of copy.querySelectorAll("details")) each.open = false;
    return copy.outerHTML;
  };

  // What a reader has opened in it stays open.
  return (old, fresh) => {
    if (bare(old) === bare(fresh)) return;
    const opened = new Set([...old.querySelectorAll("details[open] > summary")].map((each) => each.textContent));
    for (const each of fresh.querySelectorAll("summary")) {
      if (opened.has(each.textContent)) each.parentElement.open = true;
    }
    old.replaceWith(document.adoptNode(fresh));
  };
})();
