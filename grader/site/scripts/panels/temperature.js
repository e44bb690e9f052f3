// Temperature, top-k and top-p on eight words, and the loss of the one that was correct.
"use strict";

(() => {
  const { number, stated, fixed, element, draw } = anatomy;
  const WORDS = 8;
  const at = (state) => ({
    t: Math.round(state.temperature * 10), k: state.top_k - 1, p: Math.round(state.top_p * 20) - 1,
  });
  const place = (state, given) => {
    const { t, k, p } = at(state);
    return { t, k, p, n: Number(given.kept[k][p][t]) - 1, c: given.words.indexOf(state.correct) };
  };
  const marksOf = (marks, t) => marks && [...marks.slice(WORDS * t, WORDS * t + WORDS)];
  // What a filter gives, from its mark: the logit as it was, minus infinity, or a number that is not kept here.
  const filtered = (mark, before) => ({ 1: before, 0: -Infinity })[mark];
  const logit = (value) => (value === "-inf" ? -Infinity : value);
  const bound = (state) =>
    `temperature ${fixed(state.temperature, 1)}, top-k ${state.top_k} and top-p ${fixed(state.top_p, 2)}`;

  const why = (state, given, topK, topP, word, t) => {
    if (state.temperature === 0 && logit(given.scaled[t][word]) === -Infinity) return "not the highest";
    if (topK[word] === "0") return "cut by top-k";
    return topP[word] === "0" ? "cut by top-p" : "";
  };
  // A small probability is none that is 0.
  const share = (value) => (value > 0 && value < 0.001 ? "below 0.001" : fixed(value, 3));
  const YOURS = { 1: "yours keeps it", 0: "yours drops it", x: "yours changes it" };

  anatomy.define("temperature", {
    table(state, { given, temperature, top_k, top_p, softmax, loss, perplexity, entropy }) {
      const { t, k, p, n, c } = place(state, given);
      const afterK = marksOf(top_k?.[k], t), afterP = marksOf(top_p?.[k][p], t);
      const rows = given.words.map((word, w) => {
        const before = logit(given.scaled[t][w]);
        return [
          word, stated(given.logits[w]), number(temperature?.[t][w]), number(afterK && filtered(afterK[w], before)),
          number(afterP && filtered(afterP[w], before)), number(softmax?.[t][n][w], 3),
        ];
      });
      const blank = ["", "", "", ""];
      return {
        caption: `Temperature ${fixed(state.temperature, 1)}, top-k ${state.top_k}, top-p ${fixed(state.top_p, 2)}`,
        columns: ["", "logit", "after temperature", "after top-k", "after top-p", "probability"],
        rows: [
          ...rows,
          [`loss of ${state.correct}, nats`, ...blank, number(loss?.[t][n][c], 3)],
          ["perplexity", ...blank, number(perplexity?.[t][n][c], 2)],
          ["entropy, bits", ...blank, number(entropy?.[t][n], 3)],
        ],
      };
    },
    said(state, { given, softmax, loss, perplexity, entropy }) {
      const { t, n, c } = place(state, given);
      const nats = loss[t][n][c];
      const outcome = Number.isFinite(nats)
        ? `has probability ${share(softmax[t][n][c])}: a loss of ${fixed(nats, 2)} nats, `
          + `perplexity ${fixed(perplexity[t][n][c], 2)}.`
        : "has probability 0: the loss is infinite, and so is the perplexity.";
      return `At ${bound(state)} leave ${n + 1} of 8 words. The correct token \u201c${state.correct}\u201d ${outcome} `
        + `Entropy: ${fixed(entropy[t][n], 2)} bits.`;
    },
    picture(into, state, { given, temperature, top_k, top_p, softmax, loss, entropy }, mine) {
      const { t, k, p, n, c } = place(state, given);
      const [topK, topP] = [marksOf(top_k[k], t), marksOf(top_p[k][p], t)];
      const [ownK, ownP] = [marksOf(mine?.top_k?.[k], t), marksOf(mine?.top_p?.[k][p], t)];
      const label = (w) => (w === c ? `\u2192 ${given.words[w]}` : given.words[w]);
      const edge = 2 * Math.max(...given.logits);
      const divided = given.words.map((_, w) => {
        const value = temperature[t][w];
        return { label: label(w), value, mine: mine?.temperature?.[t][w],
          words: Number.isFinite(value) ? `${fixed(value, 1)}${value > edge ? " \u00bb" : ""}` : undefined };
      });
      const shares = (row, own, extra) => given.words.map((_, w) => ({
        label: label(w), value: row[w], mine: own?.[w], tone: w === c ? "strong" : "", words: extra?.(w),
      }));
      const told = (w) => {
        const cut = why(state, given, topK, topP, w, t);
        const other = [[ownK, topK], [ownP, topP]].find(([own, right]) => own && own[w] !== right[w]);
        return [cut || share(softmax[t][n][w]), ...(other ? [`(${YOURS[other[0][w]]})`] : [])].join(" ");
      };
      const columns = [
        ["Logits \u00f7 temperature", divided, { high: edge }],
        ["Softmax, nothing dropped", shares(softmax[t][WORDS - 1], mine?.softmax?.[t][WORDS - 1]), { high: 1, digits: 3 }],
        ["After top-k and top-p", shares(softmax[t][n], mine?.softmax?.[t][n], told), { high: ownK || ownP ? 2.2 : 1 }],
      ];
      into.append(...columns.map(([name]) => element("div", { class: "third" }, element("h4", {}, name))));
      columns.forEach(([name, rows, options], place_) => {
        draw.bars(into.children[place_], rows, { label: name, labels: 80, ...options });
      });
      into.append(element("p", { class: "quiet" }, "\u2192 is the correct token; \u00bb runs on beyond the edge."));

      const along = (value) => given.kept[k][p].split("").map((count, step) => [step / 10, value(step, Number(count) - 1)]);
      const series = [
        { name: `loss of \u201c${state.correct}\u201d in nats (infinite where the line is missing)`, kind: 0,
          points: along((step, left) => loss[step][left][c]) },
        { name: "entropy in bits", kind: 1, points: along((step, left) => entropy[step][left]) },
      ];
      if (mine?.loss) series.push({ name: "your loss", kind: 0, own: true, points: along((step, left) => mine.loss[step][left][c]) });
      if (mine?.entropy) series.push({ name: "your entropy", kind: 1, own: true, points: along((step, left) => mine.entropy[step][left]) });
      const chart = element("div", {}, element("h4", {}, "The same top-k and top-p at every temperature"));
      into.append(chart);
      draw.lines(chart, series, { label: "Loss and entropy against the temperature", xLabel: "temperature",
        mark: state.temperature, low: 0, height: 220, left: 40 });
      draw.legend(chart, series);
    },
    words: {
      temperature: (value) => (value === 0 ? "0 (greedy)" : fixed(value, 1)),
      top_k: (value) => `${value} of 8`,
      top_p: (value) => fixed(value, 2),
    },
    guess: (state, { given }) => place(state, given).n + 1,
  });
})();
