// How pre-norm and post-norm decoders train as they grow deeper, from a record of the lab.
"use strict";

(() => {
  const { stated: cell, fixed, draw, element } = anatomy;
  const known = (value, digits = 3) => (value === null ? "not finite" : cell(value, digits));
  const loss = (value) => (value === null ? "not finite" : fixed(value, 2));

  const series = ({ depths, arms, by_depth }, column) => arms.map((name, arm) => ({
    name, kind: arm, points: depths.map((depth, at) => [depth, by_depth[at][arm][column] ?? NaN]),
  }));

  const titled = (name, heading) => element("div", { class: name }, element("h4", {}, heading));

  const curves = (place, heading, lines, options) => {
    draw.lines(place, lines, { label: heading, xLabel: "blocks", ...options });
    draw.legend(place, lines);
  };

  anatomy.define("stability", {
    table({ depth }, { given }) {
      const rows = given.by_depth[depth];
      return {
        caption: `${given.depths[depth]} blocks, after ${given.steps} steps: held-out loss in nats a word`,
        columns: [
          "order", ...rows[0].runs.map(({ seed }) => `loss, seed ${seed}`), "mean loss", `learned, of ${given.seeds}`,
          "gradient of the first block before training",
        ],
        rows: [
          ...given.arms.map((arm, at) => [
            arm, ...rows[at].runs.map((run) => known(run.loss)), known(rows[at].loss), known(rows[at].learned, 0),
            known(rows[at].first_block_gradient),
          ]),
          ["word frequencies alone", ...rows[0].runs.map(() => ""), known(given.word_frequency_loss), "", ""],
        ],
      };
    },
    said({ depth }, { given }) {
      const told = given.arms.map((arm, at) => {
        const row = given.by_depth[depth][at];
        return `${arm} ${loss(row.loss)} (${row.learned} of ${given.seeds} learned)`;
      }).join("; ");
      return `At ${given.depths[depth]} blocks, mean loss after ${given.steps} steps: ${told}. `
        + `Word frequencies alone give ${loss(given.word_frequency_loss)}.`;
    },
    picture(into, { depth }, { given }) {
      const level = {
        name: "word frequencies alone", kind: 5, points: given.depths.map((blocks) => [blocks, given.word_frequency_loss]),
      };
      const mark = given.depths[depth];
      const titles = ["Mean loss after training (nats a word)", "First block: gradient before training"];
      const halves = titles.map((title) => titled("half", title));
      const thirds = given.arms.map((arm) => titled("third", arm));
      into.append(...halves, titled("whole", `Every run of ${mark} blocks: loss after training (nats a word)`), ...thirds);
      curves(halves[0], titles[0], [...series(given, "loss"), level], { mark, low: 1.5, high: 4.5 });
      // The warm-up changes no weight before the first step: two orders, two lines.
      curves(halves[1], titles[1], series(given, "first_block_gradient").slice(0, 2), { mark, low: 0, high: 0.25 });
      given.arms.forEach((arm, at) => {
        draw.bars(thirds[at], given.by_depth[depth][at].runs.map((run) => ({
          label: `seed ${run.seed}`, value: run.loss ?? NaN, words: loss(run.loss),
        })), { label: `Loss of each run: ${arm}`, high: 5, labels: 64 });
      });
    },
    words: { depth: (at, { given }) => `${given.depths[at]} blocks` },
    guess: ({ depth }, { given }) => given.by_depth[depth][2].learned,
  });
})();
