// A budget of words: which tiles stay, by which rule, and what the model loses on the words that follow.
"use strict";

(() => {
  const { number, stated, fixed, element, draw } = anatomy;
  const REASONS = { s: "sink", r: "recent", b: "sink, recent", x: "score", ".": "dropped" };
  const find = (tree, { budget, sinks, recent }) => tree?.[budget / 2][sinks][recent / 2];
  const refusal = ({ budget, sinks, recent }) =>
    `retain refuses this: ${sinks} sinks and ${recent} recent tiles are more than the budget of ${budget}.`;
  const tilesOf = (kept) => (typeof kept === "string" ? new Set(kept.split(" ").filter(Boolean)) : undefined);
  const count = (reasons, ...marks) => [...reasons].filter((mark) => marks.includes(mark)).length;
  const tile = (word, words, classes) =>
    element("li", { class: `tile ${classes}` }, element("span", { class: "word" }, word), " ", element("small", {}, words));

  anatomy.define("budget", {
    table(state, { given, retain }) {
      const row = find(given.set, state), refused = row === null;
      const kept = tilesOf(find(retain, state));
      const cell = (value, digits) => (refused ? "refused" : stated(value, digits));
      return {
        caption: `Budget ${state.budget}, ${state.sinks} sinks, ${state.recent} recent`,
        columns: ["", "attention received", "kept", "loss, all tiles", "loss, these tiles"],
        rows: [
          ["mean loss", "", "", stated(given.means[0], 3), cell(given.means[row], 3)],
          ["more, mean of 16 other texts", "", "", "", cell(find(given.elsewhere, state), 3)],
          ...given.tiles.map((word, place) => [
            `tile ${place}: ${word}`, stated(given.scores[place]), refused ? "refused" : number(kept && Number(kept.has(String(place))), 0), "", "",
          ]),
          ...given.following.map((word, place) => [
            `word ${given.tiles.length + 1 + place}: ${word}`, "", "", stated(given.losses[0][place]),
            cell(given.losses[row]?.[place]),
          ]),
        ],
      };
    },
    said(state, { given }) {
      const row = find(given.set, state), reasons = find(given.reasons, state);
      if (row === null) return refusal(state);
      return `${reasons.length - count(reasons, ".")} of ${reasons.length} tiles stay: ${count(reasons, "s", "b")} as sinks, `
        + `${count(reasons, "r")} as recent, ${count(reasons, "x")} by score. The loss on the words that follow is `
        + `${fixed(given.means[row], 2)} nats, ${fixed(given.more[row], 2)} more than with all tiles; `
        + `in the mean of 16 other texts ${fixed(find(given.elsewhere, state), 2)} more.`;
    },
    picture(into, state, { given, retain }, mine) {
      const row = find(given.set, state), reasons = find(given.reasons, state);
      if (row === null) {
        const tiles = given.tiles.map((word, place) => tile(word, fixed(given.scores[place], 2), ""));
        into.append(element("h4", {}, "Nothing is chosen; each word with the attention that it received"),
          element("ol", { class: "tiles" }, ...tiles));
        return;
      }
      const kept = tilesOf(find(retain, state)), own = tilesOf(find(mine?.retain, state));
      into.append(
        element("h4", {}, "The 24 words that were read, and the attention that each received"),
        element("ol", { class: "tiles" }, ...given.tiles.map((word, place) => {
          const stays = kept.has(String(place));
          const other = own && own.has(String(place)) !== stays;
          const made = tile(word, `${REASONS[reasons[place]]} ${fixed(given.scores[place], 2)}`, stays ? "kept" : "dropped");
          if (other) {
            made.classList.add("differs");
            made.append(element("small", { class: "bad" }, stays ? "yours drops it" : "yours keeps it"));
          }
          return made;
        })),
      );
      if (own && find(mine.retain, state) !== find(retain, state)) {
        into.append(element("p", { class: "trouble" }, `Your retain returns: ${find(mine.retain, state) || "nothing"}.`));
      }
      into.append(
        element("h4", {}, "The words that follow, and how much more the loss of each one is"),
        element("ol", { class: "tiles" }, ...given.following.map((word, place) => {
          const more = given.grown[row][place];
          return tile(word, Math.abs(more) < 0.05 ? "0.0" : `${more > 0 ? "+" : "\u2212"} ${fixed(Math.abs(more), 1)}`,
            more >= 0.5 ? "hurt" : "");
        })),
      );
      const means = element("div", {}, element("h4", {}, "Mean loss on them, in nats"));
      into.append(means);
      draw.bars(means, [
        { label: "all tiles", value: given.means[0], tone: "strong" }, { label: "these tiles", value: given.means[row] },
      ], { label: "Mean loss with all tiles and with these", high: Math.max(...given.means) });
    },
    words: { budget: (value) => `${value} of 24 tiles` },
    guess: (state, { given }) => given.more[find(given.set, state)],
  });
})();
