// What all pictures share: their controls, their numbers, what they say, and a learner's own numbers beside them.
"use strict";

const anatomy = (() => {
  const specs = new Map();

  // A picture is defined by its name and
  //   table(state, data) -> {caption, columns, rows}: a cell is a text, or number(value, digits), or stated(value, digits)
  //     for what no function of a learner's gives
  //   said(state, data) -> a sentence
  //   picture(place, state, data, mine): draws into an element; mine has the same parts, those that could be computed
  //   guess(state, data) -> the number that was to be guessed
  //   words: {control: (value, data) -> text}, optional: how the value of a slider reads
  //   ready(panel), optional: for what no control of the usual kind does
  // data holds the parts as Python computed them and `given`. No number is computed here.
  const define = (name, spec) => specs.set(name, spec);

  const number = (value, digits = 2) => ({ value, digits });

  // A number that no function of a learner's computes: nothing stands beside it.
  const stated = (value, digits = 2) => ({ value, digits, stated: true });

  const fixed = (value, digits) => {
    if (value === undefined || value === null) return "not there";
    if (Number.isNaN(value)) return "no number";
    if (!Number.isFinite(value)) return value > 0 ? "infinite" : "minus infinite";
    const text = value.toFixed(digits);
    return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
  };

  const spelled = (value) => {
    if (value === undefined || value === null) return "";
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
    return String(value);
  };

  const WORDS = { inf: Infinity, "-inf": -Infinity, nan: NaN };
  const revive = (value) => {
    if (typeof value === "string") return Object.hasOwn(WORDS, value) ? WORDS[value] : value;
    if (Array.isArray(value)) return value.map(revive);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, revive(each)]));
    }
    return value;
  };

  const revived = (data) => {
    const { given, ...parts } = data;
    return { given, ...revive(parts) };
  };

  // Beyond this two numbers differ: as far as float32 reaches, which is what a learner's function must.
  const differs = (mine, right) => {
    if (Object.is(mine, right) || (Number.isNaN(mine) && Number.isNaN(right))) return false;
    if (!Number.isFinite(mine) || !Number.isFinite(right)) return mine !== right;
    return Math.abs(mine - right) > 1e-5 * Math.max(1, Math.abs(right));
  };

  const element = (tag, attributes = {}, ...children) => {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  };

  class Panel {
    constructor(place, spec) {
      this.place = place;
      this.spec = spec;
      this.name = place.dataset.panel;
      this.data = revived(JSON.parse(place.querySelector(".panel-data").textContent));
      this.mine = null;
      this.title = place.querySelector(".panel-title").lastChild.textContent.trim();
      this.controls = new Map();
      for (const holder of place.querySelectorAll("[data-control]")) {
        this.controls.set(holder.dataset.control, holder.querySelector("input, select"));
      }
      // A reload would bring a box back as it was left, and HTML has no attribute against that.
      for (const box of place.querySelectorAll('input[type="checkbox"]')) box.checked = box.defaultChecked;
      for (const input of this.controls.values()) input.addEventListener("input", () => this.update());
      for (const hidden of place.querySelectorAll(".needs-script")) hidden.hidden = false;
      this.picture = place.querySelector(".picture");
      this.drawnWidth = 0;
      new ResizeObserver(() => this.draw()).observe(this.picture);
      this.offerGuess();
      if (spec.ready) spec.ready(this);
      this.update();
    }

    get state() {
      const values = {};
      for (const [name, input] of this.controls) {
        if (input.type === "checkbox") values[name] = input.checked;
        else values[name] = input.type === "range" ? Number(input.value) : input.value;
      }
      return values;
    }

    // Move controls, as a person would.
    set(values) {
      for (const [name, value] of Object.entries(values)) {
        const input = this.controls.get(name);
        if (input.type === "checkbox") input.checked = value;
        else input.value = value;
      }
      this.update();
    }

    update() {
      const state = this.state;
      for (const [name, input] of this.controls) {
        const shown = input.parentElement.querySelector("output");
        if (!shown) continue;
        const words = this.spec.words?.[name]?.(state[name], this.data);
        shown.textContent = words ?? `${input.value}${input.dataset.unit ? ` ${input.dataset.unit}` : ""}`;
        if (words) input.setAttribute("aria-valuetext", words);
      }
      const said = this.place.querySelector(".said");
      const sentence = this.spec.said(state, this.data);
      if (said.textContent !== sentence) said.textContent = sentence;
      this.tabulate(state);
      this.drawnWidth = 0;
      this.draw();
      this.place.dispatchEvent(new CustomEvent("anatomy:moved"));
    }

    draw() {
      if (this.picture.hidden) return;  // to ask for its width would lay out the whole page
      const width = this.picture.clientWidth;
      if (!width || width === this.drawnWidth) return;
      this.drawnWidth = width;
      this.picture.replaceChildren();
      this.spec.picture(this.picture, this.state, this.data, this.mine);
      for (const svg of this.picture.querySelectorAll("svg")) {
        svg.setAttribute("role", "img");
        svg.setAttribute("aria-label", svg.dataset.label ?? this.title);
        svg.setAttribute("aria-describedby", `panel-${this.name}-said`);
      }
    }

    tabulate(state) {
      const table = this.spec.table(state, this.data);
      const own = this.mine ? this.spec.table(state, { ...emptied(this.data), ...this.mine }) : null;
      const holder = this.place.querySelector(".numbers table");
      holder.caption.textContent = table.caption;
      const head = element("tr");
      for (const column of table.columns) head.append(column ? element("th", { scope: "col" }, column) : element("td"));
      holder.tHead.replaceChildren(head);
      holder.tBodies[0].replaceChildren(...table.rows.map((row, y) => element("tr", {}, ...row.map((cell, x) => {
        if (x === 0) return element("th", { scope: "row" }, cell);
        if (typeof cell === "string") return element("td", {}, cell);
        return own && !cell.stated ? besideOwn(cell, own.rows[y]?.[x]) : figure(cell);
      }))));
    }

    offerGuess() {
      const form = this.place.querySelector(".guess");
      if (!form) return;
      form.addEventListener("submit", (event) => {
        event.preventDefault();
        const told = form.querySelector(".guess-told");
        const typed = form.querySelector("input").value.trim().replace(",", ".");
        const digits = Number(form.dataset.digits);
        if (typed === "" || !Number.isFinite(Number(typed))) {
          told.textContent = "Type a number, as in 1.5.";
          return;
        }
        this.set(JSON.parse(form.dataset.at));
        const right = this.spec.guess(this.state, this.data);
        const off = Number(typed) - right;
        const how = Math.abs(off) < 0.5 * 10 ** -digits ? "just that"
          : `${fixed(Math.abs(off), digits)} too ${off > 0 ? "high" : "low"}`;
        told.textContent = `You guessed ${typed}; it is ${fixed(right, digits)}: ${how}.`;
      });
    }

    // A learner's own numbers: parts that could be computed, and what became of the others.
    showOwn(parts) {
      this.mine = parts && revive(parts);
      this.update();
    }
  }

  const emptied = (data) => {
    const { given, ...parts } = data;
    return { given, ...Object.fromEntries(Object.keys(parts).map((name) => [name, undefined])) };
  };

  const figure = (cell) =>
    element("td", { class: "number", "data-value": spelled(cell.value) }, fixed(cell.value, cell.digits));

  const besideOwn = (cell, own) => {
    const td = figure(cell);
    const known = own && typeof own !== "string" && own.value !== undefined;
    const wrong = known && differs(own.value, cell.value);
    const words = known ? `yours ${wrong ? "\u2260 " : ""}${fixed(own.value, cell.digits)}` : "yours: none";
    td.append(element("span", { class: wrong ? "mine differs" : "mine", "data-own": known ? spelled(own.value) : "" }, words));
    return td;
  };

  const panels = new Map();
  const start = () => {
    for (const place of document.querySelectorAll("[data-panel]")) {
      const spec = specs.get(place.dataset.panel);
      if (spec) panels.set(place.dataset.panel, new Panel(place, spec));
    }
  };
  document.addEventListener("DOMContentLoaded", start);

  return { define, number, stated, fixed, spelled, differs, element, panels };
})();
