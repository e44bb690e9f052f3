// Scores of one query and one key against their distance, under three ways to tell positions.
"use strict";

(() => {
  const { number, stated, fixed, differs, element, draw } = anatomy;
  const ARMS = ["no positions", "sinusoidal", "RoPE", "ALiBi"];
  const place = (state, given) => [given.queries.indexOf(state.query), Number(state.head)];
  const points = (scores) => scores.map((score, distance) => [distance, score]);

  anatomy.define("positions", {
    table(state, { given, sinusoidal, angles, rope, alibi, slopes }) {
      const [p, h] = place(state, given);
      const columns = [
        [sinusoidal?.added, h], [sinusoidal?.alone, 0], [rope, h], [alibi, h],
      ].map(([part, head]) => ({ change: part?.change[p][head], scores: part?.scores[p][head] }));
      const turned = Array.from({ length: given.pairs }, (_, pair) => angles?.[p][pair]);
      return {
        caption: `Query at position ${state.query}, head ${h}`,
        columns: ["", "no positions", "sinusoidal", "sinusoidal, encodings alone", "RoPE", "ALiBi"],
        rows: [
          [`most a score differs from that of query ${given.last_trained}`, "",
            ...columns.map(({ change }) => number(change, 4))],
          ["slope of the head", "", "", "", "", number(slopes?.[h], 4)],
          ...turned.map((angle, pair) => [`angle of pair ${pair} at the query`, "", "", "", number(angle, 3), ""]),
          ...given.record.loss[0].map((_, step) => {
            const [none, table, rotated, biased] = given.record.loss.map((losses) => stated(losses[step], 3));
            const first = given.record.trained * step;
            return [`lab: loss at ${first} to ${first + given.record.trained - 1}`, none, table, "", rotated, biased];
          }),
          ...Array.from({ length: state.query + 1 }, (_, distance) => [
            `score at distance ${distance}`, stated(given.content[h], 3),
            ...columns.map(({ scores }) => number(scores?.[distance], 3)),
          ]),
        ],
      };
    },
    said(state, { given, sinusoidal, rope, alibi }) {
      const [p, h] = place(state, given);
      const start = `Query at position ${state.query}, head ${h}. `;
      if (state.query === given.last_trained) return `${start}It is the last trained position; the others are compared with it.`;
      const [table, rotated, biased] = [sinusoidal.added, rope, alibi].map((part) => fixed(part.change[p][h], 4));
      return `${start}Against the query at ${given.last_trained}, a score at the same distance differs by up to ${table} `
        + `with the sinusoidal table, ${rotated} with RoPE and ${biased} with ALiBi.`;
    },
    picture(into, state, { given, sinusoidal, angles, rope, alibi, slopes }, mine) {
      const [p, h] = place(state, given);
      const far = state.query > given.last_trained;
      const line = (part, head, options, query = p) => ({ points: points(part.scores[query][head]), ...options });
      const own = (part, head, kind) => (part ? [line(part, head, { name: "yours", kind, own: true })] : []);
      const mark = given.queries.indexOf(given.last_trained);
      const twice = (part) => [
        line(part, h, { name: `query at ${state.query}`, kind: 0 }),
        ...(p === mark ? [] : [line(part, h, { name: `query at ${given.last_trained}`, kind: 2 }, mark)]),
      ];
      const charts = [
        ["Sinusoidal", sinusoidal.added, [
          ...twice(sinusoidal.added), line(sinusoidal.alone, 0, { name: "encodings alone", kind: 1 }),
          ...own(mine?.sinusoidal?.added, h, 0), ...own(mine?.sinusoidal?.alone, 0, 1),
        ]],
        ["RoPE", rope, [...twice(rope), ...own(mine?.rope, h, 0)]],
        ["ALiBi", alibi, [...twice(alibi), ...own(mine?.alibi, h, 0)]],
      ];
      const places = charts.map(([name]) => element("div", { class: "third" }, element("h4", {}, `${name}: score`)));
      into.append(...places);
      charts.forEach(([name, part, series], number_) => {
        draw.lines(places[number_], series, {
          label: `${name}: score against distance`, xLabel: "distance", height: 230, left: 44,
          mark: far ? given.last_trained : undefined,
        });
        draw.legend(places[number_], series);
        const check = state.query === given.last_trained ? "The other queries are compared with this one."
          : `Moved from ${given.last_trained} to ${state.query}: differs by up to ${fixed(part.change[p][h], 4)}.`;
        places[number_].append(element("p", { class: "quiet" }, check));
      });
      const wrong = [
        mine?.angles && angles[p].some((angle, pair) => differs(mine.angles[p][pair], angle))
          && "Your rope_angles gives other angles at this query (see the numbers).",
        mine?.slopes && differs(mine.slopes[h], slopes[h])
          && `Your alibi_slopes gives this head ${fixed(mine.slopes[h], 4)}, not ${fixed(slopes[h], 4)}.`,
      ].filter(Boolean);
      into.append(...wrong.map((words) => element("p", { class: "trouble" }, words)));

      const { trained, loss } = given.record;
      const arms = ARMS.map((name, arm) => ({
        name, kind: [3, 0, 1, 2][arm], points: loss[arm].map((value, step) => [trained * (step + 0.5), value]),
      }));
      const record = element("div", {}, element("h4", {},
        `From the lab's record: small decoders trained on ${trained} positions, their loss by position`));
      into.append(record);
      draw.lines(record, arms, {
        label: "Loss by position, four ways to tell positions", xLabel: "position", yLabel: "nats", low: 0,
        height: 240, left: 44, mark: trained,
      });
      draw.legend(record, arms);
      into.append(element("p", { class: "quiet" },
        "The dotted upright marks the end of training. Each point is a mean over "
        + `${trained} positions and three seeds of the experiment \u201clength\u201d.`));
    },
    words: { query: (position) => `${position}` },
    guess: (state, { given, rope }) => {
      const [p, h] = place(state, given);
      return rope.change[p][h];
    },
  });
})();
