// Shapes through a block.
"use strict";

(() => {
  const { number, element, draw } = anatomy;
  const PLACES = ["1st", "2nd", "3rd", "4th"];
  const SHEETS = 8;

  const sizesOf = (entry) => entry.shape.split(" x ").map(Number);
  const written = (sizes) => `(${sizes.join(", ")}${sizes.length === 1 ? "," : ""})`;
  const whole = (value) => String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  const axesOf = (name, given) => given.axes[name].split(" ");

  // A tensor as sheets of its last two axes, one behind the other; sides grow with the logarithm of their axis.
  const sheets = (place, sizes, axes, label, tone) => {
    const [tall, wide] = [sizes.at(-2) ?? 1, sizes.at(-1) ?? 1].map((size) => 14 + 9.5 * Math.log2(Math.max(size, 1)));
    const heads = sizes.length > 3 ? sizes.at(-3) : 1;
    const rows = sizes.length > 3 ? sizes.at(-4) : sizes.at(-3) ?? 1;
    const [drawnHeads, drawnRows] = [Math.min(heads, SHEETS), Math.min(rows, 3)];
    const back = (row, head) => row * (drawnHeads * 5 + 14) + head * 5;
    const deep = back(drawnRows - 1, drawnHeads - 1);
    const left = 74, top = 24;
    const svg = draw.sheet(place, top + deep + tall + 26, label, 420);
    for (let row = drawnRows - 1; row >= 0; row -= 1) {
      for (let head = drawnHeads - 1; head >= 0; head -= 1) {
        const far = back(row, head);
        svg.append(draw.node("rect", {
          x: left + far, y: top + deep - far, width: wide, height: tall, rx: 2, class: `tensor ${tone}`,
        }));
      }
    }
    const name = (axis) => (axes ? `${axes.at(axis)} = ${whole(sizes.at(axis))}` : whole(sizes.at(axis)));
    draw.text(svg, left - 8, top + deep + tall / 2 + 4, sizes.length > 1 ? name(-2) : "", { "text-anchor": "end", class: "name" });
    draw.text(svg, left + wide / 2, top + deep + tall + 18, sizes.length ? name(-1) : "one number", { "text-anchor": "middle", class: "name" });
    const behind = sizes.slice(0, -2).map((_, axis) => name(axis - sizes.length)).join(", ");
    draw.text(svg, left, top - 8, behind, { class: "name" });
    return svg;
  };

  const boxed = (title, sizes, axes, label, tone) => {
    const holder = element("div", { class: "third" }, element("p", { class: "box-name" }, title), element("p", { class: "quiet" }, written(sizes)));
    return { holder, paint: () => sheets(holder, sizes, axes, label, tone) };
  };

  anatomy.define("shapes", {
    table(state, { given, trace }) {
      const { name, values } = given.models[state.model];
      return {
        caption: `The tensors of one block: ${name}, ${values}`,
        columns: ["", "axes", ...PLACES, "numbers in all"],
        rows: Object.keys(given.axes).map((tensor, place) => {
          const entry = trace?.[state.model][place];
          const sizes = entry ? sizesOf(entry) : [];
          const axes = axesOf(tensor, given);
          const cells = PLACES.map((_, axis) => (axis < axes.length ? number(sizes[axis], 0) : "none"));
          return [tensor, `(${axes.join(", ")})`, ...cells, number(entry?.numbers, 0)];
        }),
      };
    },
    said(state, { given, trace }) {
      const entry = trace[state.model][state.step - 1];
      return `${state.step} of ${trace[state.model].length}: ${entry.name}, (${axesOf(entry.name, given).join(", ")}) = `
        + `${written(sizesOf(entry))}, ${whole(entry.numbers)} numbers. ${given.words[entry.name]}`;
    },
    picture(into, state, { given, trace }, mine) {
      const tensors = trace[state.model], entry = tensors[state.step - 1];
      const found = (name) => tensors.find((each) => each.name === name);
      const steps = element("ol", { class: "tensors", "aria-hidden": "true" }, ...tensors.map((each, place) =>
        element("li", { class: place === state.step - 1 ? "now" : given.from[entry.name].includes(each.name) ? "source" : "" }, each.name)));
      const boxes = given.from[entry.name].map((name, place) => boxed(
        `${place ? "and" : "from"} ${name}`, sizesOf(found(name)), axesOf(name, given), `the tensor ${name}`, "faint",
      ));
      boxes.push(boxed(entry.name, sizesOf(entry), axesOf(entry.name, given), `the tensor ${entry.name}`, ""));
      const own = mine?.trace?.[state.model]?.[state.step - 1];
      if (own && (own.shape !== entry.shape || own.name !== entry.name)) {
        const sizes = own.shape === "" ? [] : sizesOf(own);
        if (sizes.some(Number.isNaN)) {
          boxes.push({ holder: element("p", { class: "bad" }, `yours ≠ ${own.name} (${own.shape})`), paint: () => {} });
        } else boxes.push(boxed(`yours ≠ ${own.name}`, sizes, null, `your tensor ${own.name}`, "differs"));
      }
      const link = element("a", { href: `decoder.html#stage-${given.stage[entry.name]}` }, `${entry.name} in the diagram of the decoder`);
      into.append(steps, ...boxes.map(({ holder }) => holder), element("p", { class: "below" }, link));
      if (own && own.shape === entry.shape && own.name === entry.name) {
        into.append(element("p", { class: "below" }, `Yours is ${written(sizesOf(own))} too.`));
      }
      for (const { paint } of boxes) paint();
    },
    words: { step: (step, { trace }) => `${step} of ${trace.course.length}: ${trace.course[step - 1].name}` },
    guess: (state, { trace }) => trace[state.model][state.step - 1].numbers / 1e6,
  });
})();
