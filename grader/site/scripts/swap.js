// Forms that ask the server for a piece of the page: the answer takes the piece's place, and the page stays where it is.
// Without this script the same forms lead to pages of their own.
"use strict";

(() => {
  const troubled = (place, words) => {
    let note = place.querySelector(".fragment-trouble");
    if (!note) {
      note = anatomy.element("p", { class: "fragment-trouble", role: "alert" });
      place.append(note);
    }
    note.textContent = words;
  };

  const swap = async (place, address, body) => {
    place.setAttribute("aria-busy", "true");
    try {
      const answer = await fetch(address, {
        method: body ? "POST" : "GET", body, headers: { "X-Fragment": "1" }, credentials: "same-origin",
      });
      const text = await answer.text();
      // The server has escaped whatever people wrote; the page's policy forbids scripts besides.
      const holder = document.createElement("template");
      holder.innerHTML = text;
      if (!answer.ok) {
        const said = holder.content.querySelector("main") ?? holder.content;  // a refusal is a whole page
        return troubled(place, said.textContent.trim());
      }
      const fresh = holder.content.firstElementChild;
      const first = fresh.querySelector("[autofocus]") ?? fresh.querySelector("[tabindex='-1']");
      first?.removeAttribute("autofocus");  // it is for pages of their own; here the browser would refuse it, and say so
      place.replaceWith(fresh);
      first?.focus();
    } catch {
      troubled(place, "The server does not answer. Is `anatomy serve` still running? What you typed is still here.");
    } finally {
      place.removeAttribute("aria-busy");
    }
  };

  document.addEventListener("submit", (event) => {
    const form = event.target;
    const place = form.closest("[data-fragment]");
    if (!place || !form.hasAttribute("data-swap")) return;
    event.preventDefault();
    if (place.getAttribute("aria-busy")) return;
    const fields = new URLSearchParams(new FormData(form, event.submitter));
    if (form.method === "get") swap(place, `${form.getAttribute("action")}?${fields}`, null);
    else swap(place, form.getAttribute("action"), fields);
  });

  anatomy.swap = swap;
})();
