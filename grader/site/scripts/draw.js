// Drawing: bars, lines and cells in SVG, as wide as their place, with texts that stay readable at every width.
"use strict";

anatomy.draw = (() => {
  const SVG = "http://www.w3.org/2000/svg";

  const node = (tag, attributes = {}, text = "") => {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== "") made.textContent = text;
    return made;
  };

  // An empty drawing of a height in pixels, as wide as its place (at most `most`). label: what it is, in a few words.
  const sheet = (place, height, label, most = 900) => {
    const width = Math.min(Math.max(place.clientWidth, 240), most);
    const svg = node("svg", { viewBox: `0 0 ${width} ${height}`, width, height, class: "drawing" });
    if (label) svg.dataset.label = label;
    place.append(svg);
    svg.across = width;
    return svg;
  };

  const text = (svg, x, y, words, attributes = {}) => {
    const made = node("text", { x, y, ...attributes }, words);
    svg.append(made);
    return made;
  };

  const scale = (low, high, from, to) => (value) =>
    from + ((Math.min(Math.max(value, low), high) - low) / (high - low || 1)) * (to - from);

  // Round numbers that divide a range into a few steps.
  const ticks = (low, high, about = 5) => {
    const raw = (high - low) / about || 1;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= raw);
    const found = [];
    for (let tick = Math.ceil(low / step) * step; tick <= high + step / 1e6; tick += step) {
      found.push(Number(tick.toPrecision(12)));
    }
    return found;
  };

  // Horizontal bars from zero. rows: {label, value, words, mine, tone}; mine is drawn as an outline beside it.
  const bars = (place, rows, { label, low = 0, high, digits = 2, labels = 110 } = {}) => {
    const all = rows.flatMap((row) => [row.value, row.mine]).filter(Number.isFinite);
    const bottom = Math.min(low, ...all), top = high ?? Math.max(...all, 1e-9);
    const pitch = 30, svg = sheet(place, rows.length * pitch + 8, label);
    const wide = Math.min(labels, svg.across * 0.34), room = 64;
    const x = scale(bottom, top, wide, svg.across - room);
    rows.forEach((row, number) => {
      const y = number * pitch + 6;
      text(svg, wide - 8, y + 14, row.label, { "text-anchor": "end", class: "name" });
      const finite = Number.isFinite(row.value);
      const from = x(Math.max(0, bottom)), to = finite ? x(row.value) : from;
      svg.append(node("rect", {
        x: Math.min(from, to), y, width: Math.max(Math.abs(to - from), finite && row.value !== 0 ? 1 : 0), height: 18,
        class: `rod ${row.tone ?? ""}`,
      }));
      if (row.mine !== undefined) {
        const own = Number.isFinite(row.mine) ? x(row.mine) : from;
        svg.append(node("rect", {
          x: Math.min(from, own), y: y + 20, width: Math.max(Math.abs(own - from), 1), height: 4,
          class: anatomy.differs(row.mine, row.value) ? "own differs" : "own",
        }));
      }
      const end = Math.max(from, to) + 6;
      text(svg, end, y + 14, row.words ?? anatomy.fixed(row.value, digits), { class: "value" });
    });
    if (bottom < 0) svg.append(node("line", { x1: x(0), x2: x(0), y1: 0, y2: rows.length * pitch, class: "axis" }));
    return svg;
  };

  // Lines over a common axis. series: {name, points: [[x, y], ...], kind: "a" | "b" | ..., own: true for a learner's}.
  const lines = (place, series, { label, xLabel, yLabel, mark, low, high, height = 260, left = 56 } = {}) => {
    const svg = sheet(place, height, label);
    const points = series.flatMap((each) => each.points).filter(([, y]) => Number.isFinite(y));
    const xs = points.map(([x]) => x), ys = points.map(([, y]) => y);
    const lowest = low ?? Math.min(...ys), highest = high ?? Math.max(...ys);
    const x = scale(Math.min(...xs), Math.max(...xs), left, svg.across - 12);
    const y = scale(lowest, highest, height - 40, 12);
    for (const tick of ticks(lowest, highest)) {
      svg.append(node("line", { x1: left, x2: svg.across - 12, y1: y(tick), y2: y(tick), class: "grid" }));
      text(svg, left - 6, y(tick) + 4, String(tick), { "text-anchor": "end", class: "tick" });
    }
    for (const tick of ticks(Math.min(...xs), Math.max(...xs), svg.across < 480 ? 4 : 8)) {
      text(svg, x(tick), height - 22, String(tick), { "text-anchor": "middle", class: "tick" });
    }
    if (xLabel) text(svg, (left + svg.across) / 2, height - 4, xLabel, { "text-anchor": "middle", class: "name" });
    if (yLabel) text(svg, 4, 10, yLabel, { class: "name" });
    series.forEach((each, number) => {
      const path = each.points.filter(([, value]) => Number.isFinite(value))
        .map(([px, py], place_) => `${place_ ? "L" : "M"}${x(px).toFixed(1)} ${y(py).toFixed(1)}`).join("");
      svg.append(node("path", { d: path, class: `line kind-${each.kind ?? number % 6}${each.own ? " own" : ""}` }));
    });
    if (mark !== undefined) svg.append(node("line", { x1: x(mark), x2: x(mark), y1: 12, y2: height - 40, class: "mark-line" }));
    return svg;
  };

  // What the lines mean: the same dash and colour beside each name.
  const legend = (place, series) => {
    const list = anatomy.element("ul", { class: "legend" });
    series.forEach((each, number) => {
      const key = node("svg", { width: 34, height: 12, viewBox: "0 0 34 12", "aria-hidden": "true" });
      key.append(node("path", { d: "M1 6L33 6", class: `line kind-${each.kind ?? number % 6}${each.own ? " own" : ""}` }));
      list.append(anatomy.element("li", {}, key, ` ${each.name}`));
    });
    place.append(list);
  };

  // A matrix of cells. shade(y, x) -> 0 to 1, or null for an empty cell; words(y, x) -> text in it; chosen: [y, x] or [y].
  const cells = (place, rows, columns, { label, shade, words, chosen, wrong, onEnter } = {}) => {
    const wide = Math.min(96, place.clientWidth * 0.22);
    const pitch = Math.max(18, Math.min(56, (Math.min(place.clientWidth, 900) - wide - 4) / columns.length));
    const svg = sheet(place, rows.length * Math.min(pitch, 40) + 34, label);
    const tall = Math.min(pitch, 40);
    columns.forEach((name, x) => {
      if (pitch >= 34 || x % 2 === 0) {
        text(svg, wide + (x + 0.5) * pitch, 14, name, { "text-anchor": "middle", class: "tick" });
      }
    });
    rows.forEach((name, y) => {
      text(svg, wide - 8, 24 + (y + 0.5) * tall + 4, name, { "text-anchor": "end", class: "name" });
      columns.forEach((_, x) => {
        const value = shade(y, x);
        const rect = node("rect", {
          x: wide + x * pitch + 1, y: 24 + y * tall + 1, width: pitch - 2, height: tall - 2,
          class: value === null ? "cell empty" : `cell shade-${Math.round(Math.max(0, Math.min(1, value)) * 10)}`,
        });
        if (wrong?.(y, x)) rect.classList.add("differs");
        if (onEnter) rect.addEventListener("pointerenter", (event) => onEnter(y, x, event));
        svg.append(rect);
        const said = words?.(y, x);
        if (said && pitch >= 30) {
          svg.classList.add("worded");
          text(svg, wide + (x + 0.5) * pitch, 24 + (y + 0.5) * tall + 4, said, {
            "text-anchor": "middle", class: "in-cell", "pointer-events": "none",
          });
        }
      });
      if (chosen?.length === 1 && chosen[0] === y) {
        svg.append(node("rect", {
          x: wide - 1, y: 24 + y * tall - 1, width: columns.length * pitch + 2, height: tall + 2, class: "chosen",
        }));
      }
    });
    return svg;
  };

  return { node, sheet, text, scale, ticks, bars, lines, legend, cells };
})();
