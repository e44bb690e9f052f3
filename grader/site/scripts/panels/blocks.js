// What each block of the course's model adds: the text, the lens after each stage, what is added, how far it reads.
"use strict";

(() => {
  const { number, fixed, differs, element, draw } = anatomy;
  const PLACES = ["1st", "2nd", "3rd", "4th", "5th"];
  const PARTS = ["attention", "network"];

  const word = ({ vocabulary, tokens }, position) => vocabulary[tokens[position]];
  const quoted = (given, position) => `\u201c${word(given, position)}\u201d`;
  const numbers = (values, at, digits = 2, count = 5) =>
    Array.from({ length: count }, (_, index) => number(values?.[index]?.[at], digits));

  // A word of the text chooses its position, as the slider does.
  const text = (into, state, given) => {
    const holder = element("p", { class: "story" });
    given.tokens.forEach((_, position) => {
      const part = position < state.position ? "read" : position === state.position ? "last" : "unread";
      const made = element(part === "last" ? "mark" : "span", { class: part, "data-position": position }, word(given, position));
      holder.append(made, " ");
    });
    holder.addEventListener("click", (event) => {
      const position = Number(event.target.dataset.position);
      if (position < given.tokens.length - 1) anatomy.panels.get("blocks").set({ position });
    });
    into.append(holder);
  };

  // Columns are stages, rows the most probable tokens; below them what became of the word that really comes. Shades go
  // by the root, so that small shares show, and up to half, on which dark text can be read in both themes.
  const lens = (into, state, data, mine) => {
    const { given, lens: shown, distance } = data, at = state.position, own = mine?.lens, blocks = mine?.blocks;
    const feet = [
      ["rank of next", (stage) => fixed(shown.rank[stage][at], 0), (stage) => own && differs(own.rank[stage][at], shown.rank[stage][at])],
      ["its loss", (stage) => fixed(shown.loss[stage][at], 2), (stage) => own && differs(own.loss[stage][at], shown.loss[stage][at])],
      ["mean loss", (stage) => fixed(shown.mean_loss[stage], 2), (stage) => own && differs(own.mean_loss[stage], shown.mean_loss[stage])],
      ["looks back", (stage) => (stage ? fixed(distance.text[stage - 1][at], 1) : ""),
        (stage) => stage && mine?.distance && differs(mine.distance.text[stage - 1][at], distance.text[stage - 1][at])],
    ];
    if (own) feet.push(["your loss", (stage) => fixed(own.loss[stage][at], 2), () => false]);
    if (blocks) {
      feet.push(["your block", (stage) => (stage ? fixed(blocks[stage - 1][at], 2) : ""),
        (stage) => stage && differs(blocks[stage - 1][at], data.blocks[stage - 1][at])]);
    }
    const tall = 38, top = 24, line = 22, foot = top + 5 * tall + 20;
    const svg = draw.sheet(into, foot + feet.length * line, "The most probable next tokens after each stage");
    const roomy = svg.across >= 520, left = roomy ? 96 : 0, pitch = (svg.across - left) / given.stages.length;
    const middle = (stage) => left + (stage + 0.5) * pitch;
    given.stages.forEach((name, stage) => {
      draw.text(svg, middle(stage), 14, roomy ? name : stage ? String(stage - 1) : "emb.", { "text-anchor": "middle", class: "tick" });
      PLACES.forEach((_, row) => {
        const token = shown.top[stage][at][row], share = shown.probability[stage][at][row], y = top + row * tall;
        const right = token === given.tokens[at + 1];
        const cell = draw.node("rect", {
          x: left + stage * pitch + 1, y: y + 1, width: pitch - 2, height: tall - 2, class: `cell shade-${Math.round(5 * share ** 0.5)}`,
        });
        const off = own && (own.top[stage][at][row] !== token || differs(own.probability[stage][at][row], share));
        if (off) cell.classList.add("differs");
        svg.append(cell);
        if (right && !off) {
          svg.append(draw.node("rect", { x: left + stage * pitch + 2, y: y + 2, width: pitch - 4, height: tall - 4, class: "chosen" }));
        }
        draw.text(svg, middle(stage), y + 16, given.vocabulary[token], {
          "text-anchor": "middle", class: right ? "in-cell right" : "in-cell",
        });
        draw.text(svg, middle(stage), y + 30, fixed(share, 2), { "text-anchor": "middle", class: "in-cell" });
      });
    });
    if (roomy) PLACES.forEach((place, row) => {
      draw.text(svg, left - 8, top + row * tall + 23, place, { "text-anchor": "end", class: "name" });
    });
    feet.forEach(([name, words, wrong], row) => {
      const y = foot + row * line;
      if (roomy) draw.text(svg, left - 8, y, name, { "text-anchor": "end", class: "name" });
      given.stages.forEach((_, stage) => {
        draw.text(svg, middle(stage), y, `${wrong(stage) ? "\u2260" : ""}${words(stage)}`, {
          "text-anchor": "middle", class: roomy ? "value" : "value in-cell",
        });
      });
    });
    if (!roomy) {
      into.append(element("p", { class: "quiet" }, `Columns: the embedding, blocks 0 to 4. Rows below the words: ${feet.map(([name]) => name).join("; ")}.`));
    }
  };

  const added = (into, at, data, mine) => {
    into.append(element("h4", {}, "How much each half adds, if the stream before the block has size 1"));
    draw.bars(into, [0, 1, 2, 3, 4].flatMap((block) => PARTS.map((part) => ({
      label: `${block} ${part}`, value: data[part][block][at], mine: mine?.[part]?.[block][at],
      tone: part === "network" ? "strong" : "",
    }))), { label: "The size of what attention and network of each block add", labels: 90 });
  };

  const reach = (into, { given, reach: rises }, mine) => {
    into.append(element("h4", {}, "How the mean loss rises when one block alone sees only the last 2 to 32 words"));
    draw.cells(into, rises.map((_, block) => `block ${block}`), given.spans.map(String), {
      label: "The rise of the loss for each block and each number of words that it may see",
      shade: (block, span) => 0.5 * Math.min(1, Math.max(0, rises[block][span]) ** 0.5),
      words: (block, span) => fixed(rises[block][span], 2),
      wrong: (block, span) => mine?.reach && differs(mine.reach[block][span], rises[block][span]),
    });
  };

  anatomy.define("blocks", {
    table({ position: at }, { given, lens: shown, blocks, attention, network, distance, reach: rises }) {
      const rows = PLACES.flatMap((place, row) => [
        [`${place} token`, ...given.stages.map((_, stage) => given.vocabulary[shown?.top[stage][at][row]] ?? "")],
        [`${place} probability`, ...given.stages.map((_, stage) => number(shown?.probability[stage][at][row], 3))],
      ]);
      rows.push(
        [`rank of ${quoted(given, at + 1)}`, ...numbers(shown?.rank, at, 0, 6)],
        ["its probability", ...numbers(shown?.of_next, at, 3, 6)],
        ["its loss", ...numbers(shown?.loss, at, 2, 6)],
        ["mean loss of the text", ...given.stages.map((_, stage) => number(shown?.mean_loss[stage]))],
        ["its loss, by llama_block", "", ...numbers(blocks, at)],
        ["attention adds", "", ...numbers(attention, at)],
        ["network adds", "", ...numbers(network, at)],
        ["looks back, tokens", "", ...numbers(distance?.text, at)],
        ["the same, held-out texts", "", ...[0, 1, 2, 3, 4].map((block) => number(distance?.held_out[block]))],
        ...given.spans.map((span, column) => [`loss rises, last ${span} only`, "", ...numbers(rises, column, 3)]),
      );
      return { caption: `After ${quoted(given, at)}, word ${at}`, columns: ["", ...given.stages], rows };
    },
    said({ position: at }, { given, lens: { rank, loss } }) {
      return `After ${quoted(given, at)} comes ${quoted(given, at + 1)}. Its rank after the embedding and each block: `
        + `${rank.map((stage) => stage[at]).join(", ")}. Its loss ${loss[5][at] < loss[0][at] ? "falls" : "goes"} `
        + `from ${fixed(loss[0][at], 2)} to ${fixed(loss[5][at], 2)} nats.`;
    },
    picture(into, state, data, mine) {
      text(into, state, data.given);
      const wide = element("div"), left = element("div", { class: "half" }), right = element("div", { class: "half" });
      into.append(wide, left, right);
      lens(wide, state, data, mine);
      added(left, state.position, data, mine);
      reach(right, data, mine);
    },
    words: { position: (position, { given }) => word(given, position) },
    guess: ({ position }, { lens: { of_next } }) => of_next[4][position],
  });
})();
