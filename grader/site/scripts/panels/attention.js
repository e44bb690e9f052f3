// What each position of causal attention sees, how evenly it reads, and the signal that it trains on.
"use strict";

(() => {
  const { number, fixed, draw, element, differs } = anatomy;
  const SHOWN = 5, TALLEST = 40, TOP = 24;

  const size = ({ source }, { given }) => given.positions[source === "example" ? source : "heads"];
  // The rows of the chosen source: of the example, or of one head, whose value is "block.head".
  const rows = ({ source }, part, kind) => {
    if (source === "example") return part?.example[kind];
    const [block, head] = source.split(".").map(Number);
    return part?.heads[kind][block][head];
  };
  const kind = ({ mask }) => (mask ? "causal" : "open");
  const seen = ({ source }, mask) => mask?.[source === "example" ? source : "heads"];
  const bound = (state, data, place) => data.given.bounds[state.mask ? place : size(state, data) - 1];
  const mean = ({ source }, loss) => loss?.mean[source === "example" ? source : "heads"];
  const quoted = (word) => `\u201c${word}\u201d`;
  const word = (id, { words, ids }) => words[ids.indexOf(id)] ?? `id ${id}`;
  const named = ({ source }) =>
    (source === "example" ? "The worked example" : `Block ${source[0]}, head ${source[2]}, of the trained model`);

  const shares = (weights, words, most) => {
    const all = weights.map((weight, key) => [key, weight]);
    if (all.length <= most) return all.map(([key, weight]) => `${words[key]} ${fixed(weight, 2)}`).join(", ");
    const largest = all.sort(([, one], [, other]) => other - one).slice(0, 3);
    return `above all ${largest.map(([key, weight]) => `${words[key]} (${key}) ${fixed(weight, 2)}`).join(", ")}`;
  };

  const masked = (state, data) => {
    const { given, weights, entropy, probability, loss } = data, at = state.position;
    const visible = rows(state, weights, "causal")[at].slice(0, at + 1);
    return `Position ${at}, ${quoted(given.words[at])}, sees ${at + 1} of ${size(state, data)} tokens: `
      + `${shares(visible, given.words, SHOWN)}. `
      + `Entropy ${fixed(rows(state, entropy, "causal")[at], 2)} bits, of at most ${fixed(given.bounds[at], 2)} (log2 ${at + 1}). `
      + `Next word ${quoted(given.words[at + 1])}: probability ${fixed(probability[at], 3)}, loss ${fixed(loss.each[at], 3)} nats.`;
  };

  const unmasked = (state, data) => {
    const { given, weights, entropy } = data, at = state.position, all = size(state, data);
    const most = fixed(bound(state, data, at), 2), bits = fixed(rows(state, entropy, "open")[at], 2);
    const who = `Without the mask position ${at}, ${quoted(given.words[at])}, sees all ${all} tokens`;
    if (at === all - 1) {
      return `${who}, as it does with it: none is ahead. Entropy ${bits} bits, of at most ${most} (log2 ${all}, now in every row).`;
    }
    return `${who}; those ahead take ${fixed(rows(state, weights, "ahead")[at], 2)} of its weight. `
      + `Entropy ${bits} bits, of at most ${most} (log2 ${all}, in every row); `
      + `with the mask ${fixed(rows(state, entropy, "causal")[at], 2)}, of at most ${fixed(given.bounds[at], 2)}.`;
  };

  // The slider ends where the tokens do: five of the example, ten of a head.
  let panel = null, pointer = "";
  const ready = (ours) => {
    panel = ours;
    const slider = panel.controls.get("position"), longest = slider.max;
    const { set, update } = panel;
    panel.set = (values) => {
      slider.max = longest;
      set.call(panel, values);
    };
    panel.update = () => {
      slider.max = size(panel.state, panel.data) - 1;
      update.call(panel);
    };
    panel.picture.addEventListener("pointermove", (event) => { pointer = spot(event); });
  };
  const spot = (event) => `${event.clientX} ${event.clientY}`;
  // A row drawn anew under a resting pointer is entered too; only a pointer that has moved may choose, or it would
  // take back what the keyboard just did.
  const enter = (row, _, event) => {
    if (spot(event) === pointer) return;
    pointer = spot(event);
    if (row !== panel.state.position) panel.set({ position: row });
  };

  const map = (place, state, data, mine) => {
    const { given } = data, all = size(state, data), which = kind(state);
    const weights = rows(state, data.weights, which), own = rows(state, mine?.weights, which);
    const visible = seen(state, data.mask), ownVisible = seen(state, mine?.mask);
    const hidden = (y, x) => state.mask && !visible[y][x];
    const words = given.words.slice(0, all), numbered = words.map((name, at) => `${at} ${name}`);
    const narrow = place.clientWidth < 110 + all * 40;
    const columns = all > SHOWN ? words.map((name, at) => (narrow ? String(at) : name)) : numbered;
    const svg = draw.cells(place, numbered, columns, {
      label: `Weights. ${named(state)}, ${state.mask ? "with the causal mask" : "without a mask"}`,
      shade: (y, x) => (hidden(y, x) ? null : weights[y][x]),
      words: (y, x) => (hidden(y, x) ? "hidden" : fixed(weights[y][x], 2)),
      chosen: [state.position],
      wrong: (y, x) => (own && differs(own[y][x], weights[y][x]))
        || (state.mask && ownVisible !== undefined && Boolean(ownVisible[y][x]) !== visible[y][x]),
      onEnter: enter,
    });
    svg.classList.add("pointed");
    if (!state.mask) {
      steps(svg, all);
      place.append(element("p", { class: "quiet" }, "Beyond the dotted steps: the tokens ahead, which the causal mask hides."));
    }
    return svg;
  };

  // Where the future begins in each row.
  const steps = (svg, all) => {
    const rects = svg.querySelectorAll(".cell");
    const corner = (at) => {
      const box = rects[at * all + at];
      const [x, y, wide, tall] = ["x", "y", "width", "height"].map((name) => Number(box.getAttribute(name)));
      return `V${y - 1}H${x + wide + 1}V${y + tall + 1}`;
    };
    const start = rects[0], path = Array.from({ length: all - 1 }, (_, at) => corner(at)).join("");
    svg.append(draw.node("path", {
      d: `M${Number(start.getAttribute("x")) - 1} ${TOP}${path}`, class: "mark-line", fill: "none", "pointer-events": "none",
    }));
  };

  // The entropy of each row inside the most it could be, in rows as tall as those of the map.
  const entropies = (place, state, data, mine, tall) => {
    const { given } = data, all = size(state, data), which = kind(state);
    const bits = rows(state, data.entropy, which), own = rows(state, mine?.entropy, which);
    const svg = draw.sheet(place, TOP + all * tall + 10, `Entropies. ${named(state)}`);
    svg.classList.add("pointed");
    const wide = 64, room = 92;
    const x = draw.scale(0, given.bounds[all - 1], wide, svg.across - room);
    bits.forEach((each, row) => {
      const y = TOP + row * tall, thick = Math.min(18, tall - 10), top = y + (tall - thick) / 2, most = bound(state, data, row);
      const surface = draw.node("rect", { x: 1, y: y + 1, width: svg.across - 2, height: tall - 2, class: "surface" });
      surface.addEventListener("pointerenter", (event) => enter(row, 0, event));
      svg.append(surface);
      draw.text(svg, wide - 8, y + tall / 2 + 4, `${row} ${given.words[row]}`, { "text-anchor": "end", class: "name" });
      svg.append(draw.node("rect", { x: wide, y: top, width: Math.max(x(most) - wide, 1), height: thick, class: "rod faint" }));
      svg.append(draw.node("rect", { x: wide, y: top, width: Math.max(x(each) - wide, 0), height: thick, class: "rod" }));
      svg.append(draw.node("line", { x1: x(most), x2: x(most), y1: top - 3, y2: top + thick + 3, class: "axis" }));
      if (own?.[row] !== undefined) {
        const mark = Number.isFinite(own[row]) ? x(own[row]) : wide;
        svg.append(draw.node("rect", {
          x: wide, y: top + thick + 1, width: Math.max(mark - wide, 1), height: 4,
          class: differs(own[row], each) ? "own differs" : "own",
        }));
      }
      draw.text(svg, x(most) + 8, y + tall / 2 + 4, `${fixed(each, 2)} of ${fixed(most, 2)}`, { class: "value" });
    });
    svg.append(draw.node("rect", {
      x: 1, y: TOP + state.position * tall, width: svg.across - 2, height: tall, class: "chosen",
    }));
  };

  const signal = (place, state, data, mine) => {
    const { given, targets, probability, loss } = data, all = size(state, data);
    const narrow = place.clientWidth < 300;
    place.append(element("p", { class: "quiet" }, "The course\u2019s trained model, with its causal mask, predicts the next word at "
      + `every position${narrow ? "" : "; p is what it gave that word"}. The mean loss is ${fixed(mean(state, loss), 3)} nats.`));
    draw.bars(place, targets.slice(0, all).map((target, at) => ({
      label: `${at === state.position ? "\u25b8 " : ""}${narrow ? at : given.words[at]} \u2192 ${word(target, given)}`,
      value: loss.each[at], mine: mine?.loss?.each[at], tone: at === state.position ? "strong" : "",
      words: `${fixed(loss.each[at], 3)} nats${narrow ? "" : `, p ${fixed(probability[at], 3)}`}`,
    })), { label: "The loss at each position, in nats", high: 7, labels: 116 });
    const wrong = mine?.targets?.slice(0, all);
    if (wrong?.some((target, at) => target !== targets[at])) {
      place.append(element("p", { class: "quiet" }, `Your targets \u2260: ${wrong.map((id) => word(id, given)).join(", ")}.`));
    }
  };

  anatomy.define("attention", {
    ready,
    table(state, data) {
      const { given, mask, weights, entropy, targets, probability, loss } = data;
      const at = state.position, which = kind(state), visible = seen(state, mask);
      const places = given.words.slice(0, size(state, data));
      return {
        caption: `${named(state)}, ${state.mask ? "with" : "without"} the causal mask; the trained model's next words`,
        columns: [
          "position", `seen from ${at} (1) or hidden (0)`, `weight from ${at}`, "entropy (bits)", "at most (bits)",
          "next word", "its id", "its probability", "its loss (nats)",
        ],
        rows: [
          ...places.map((name, place) => [
            `${place} ${name}`,
            state.mask ? number(visible && Number(visible[at][place]), 0) : anatomy.stated(1, 0),
            number(rows(state, weights, which)?.[at][place]), number(rows(state, entropy, which)?.[place]),
            anatomy.stated(bound(state, data, place)), given.words[place + 1], number(targets?.[place], 0),
            number(probability?.[place], 3), number(loss?.each[place], 3),
          ]),
          ["mean of all", "", "", "", "", "", "", "", number(mean(state, loss), 3)],
        ],
      };
    },
    said: (state, data) => (state.mask ? masked(state, data) : unmasked(state, data)),
    picture(into, state, data, mine) {
      const all = size(state, data);
      const places = [
        ["half", "Weights: a row reads the columns"], ["half", "Entropy in bits, within the most it can be"],
        ["whole", `Training signal: one pass over these ${all} positions gives ${all} losses`],
      ].map(([name, heading]) => element("div", { class: name }, element("h4", {}, heading)));
      into.append(...places);
      const svg = map(places[0], state, data, mine);
      const tall = Math.min(TALLEST, Number(svg.querySelector(".cell").getAttribute("height")) + 2);
      entropies(places[1], state, data, mine, tall);
      signal(places[2], state, data, mine);
    },
    words: { position: (position, { given }) => `${position}: ${given.words[position]}` },
    guess: (state, { entropy }) => rows(state, entropy, kind(state))[state.position],
  });
})();
