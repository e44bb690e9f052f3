// The scale of the activations.
"use strict";

(() => {
  const { number, stated, fixed, draw } = anatomy;
  const place = (state) => Math.round(state.scale * 10) - 1;
  const spread = (values, digits) => `from ${fixed(Math.min(...values), digits)} to ${fixed(Math.max(...values), digits)}`;

  anatomy.define("normalization", {
    table(state, { given, layer_norm, rms_norm }) {
      const at = place(state);
      return {
        caption: `One token's vector at scale ${fixed(state.scale, 1)}`,
        columns: ["", "raw", "LayerNorm", "RMSNorm"],
        rows: given.raw[at].map((raw, feature) => [
          `feature ${feature}`, stated(raw), number(layer_norm?.[at][feature]), number(rms_norm?.[at][feature]),
        ]),
      };
    },
    said(state, { given, layer_norm, rms_norm }) {
      const at = place(state);
      return `At scale ${fixed(state.scale, 1)} the raw values run ${spread(given.raw[at], 1)}; `
        + `after LayerNorm ${spread(layer_norm[at], 2)}, after RMSNorm ${spread(rms_norm[at], 2)}.`;
    },
    picture(into, state, { given, layer_norm, rms_norm }, mine) {
      const at = place(state);
      const largest = Math.max(...given.raw.flat().map(Math.abs));
      const rows = (values, own) => values.map((value, feature) => ({
        label: `feature ${feature}`, value, mine: own?.[at][feature],
      }));
      const columns = [
        ["raw", rows(given.raw[at]), largest], ["LayerNorm", rows(layer_norm[at], mine?.layer_norm), 2.5],
        ["RMSNorm", rows(rms_norm[at], mine?.rms_norm), 2.5],
      ];
      into.append(...columns.map(([name]) => anatomy.element("div", { class: "third" }, anatomy.element("h4", {}, name))));
      columns.forEach(([name, bars, high], number_) => {
        draw.bars(into.children[number_], bars, { label: `${name} values`, low: -high, high, labels: 80 });
      });
    },
    words: { scale: (scale) => fixed(scale, 1) },
    guess: (state, { layer_norm }) => Math.max(...layer_norm[place(state)]),
  });
})();
