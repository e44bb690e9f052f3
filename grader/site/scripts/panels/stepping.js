// One token at a time: the text so far, the next token's distribution, and what a step costs with a cache and without.
"use strict";

(() => {
  const { number, fixed, differs, element, draw } = anatomy;
  const MOST = 8;
  const WAYS = [["llama", "plain"], ["attend_cached", "cached"], ["generate", "loop"]];

  const way = (state) => (state.cache ? "cached" : "plain");
  const whole = (value) => (Number.isFinite(value) ? value.toLocaleString("en") : fixed(value, 0));
  const spell = (given, token) => given.vocabulary[token] ?? "nothing";
  const millions = (value) => fixed(value / 1e6, 2);

  // The first step at which two stories choose another token; none if they are the same.
  const parting = (mine, right) => right.findIndex((token, step) => mine[step] !== token);

  const text = (into, state, { given, plain }) => {
    const words = [...given.prompt, ...plain.chosen.slice(0, state.step - 1)];
    const computed = given.positions[way(state)][state.step - 1];
    const holder = element("p", { class: "story" });
    words.forEach((token, position) => {
      const now = position >= words.length - computed;
      holder.append(element("span", { class: now ? "computed" : "kept" }, spell(given, token)), " ");
    });
    holder.append(element("mark", {}, spell(given, plain.chosen[state.step - 1])));
    // The room of the words to come, so that nothing below moves while the story grows.
    for (const token of plain.chosen.slice(state.step)) {
      holder.append(" ", element("span", { class: "to-come", "aria-hidden": "true" }, spell(given, token)));
    }
    into.append(holder, element("p", { class: "quiet story-key" },
      "Solid line: computed in this step.", state.cache ? " Dotted line: its keys and values are in the cache." : "",
      " Filled: the token that is chosen."));
  };

  // A learner's stories: one line for each that is the same, the words from where they part for the others.
  const stories = (into, { given, plain }, mine) => {
    for (const [name, part] of WAYS) {
      const chosen = mine[part]?.chosen;
      if (!chosen) continue;
      const at = parting(chosen, plain.chosen);
      const said = element("p", { class: "story own-story" }, `With your ${name}: `);
      if (at < 0) said.append("the same story, token by token.");
      else {
        const rest = chosen.slice(at + 1).filter((token) => token !== null).map((token) => spell(given, token));
        said.append(`from step ${at + 1} on another story, \u201c${spell(given, chosen[at])}\u201d for `
          + `\u201c${spell(given, plain.chosen[at])}\u201d: \u2026 `
          + `${chosen.slice(Math.max(0, at - 4), at).map((token) => spell(given, token)).join(" ")} `);
        said.append(element("strong", { class: "differs" }, spell(given, chosen[at])), ` ${rest.join(" ")}`);
      }
      into.append(said);
    }
  };

  const distribution = (into, state, data, mine) => {
    const at = state.step - 1, shown = data[way(state)], own = mine?.[way(state)];
    // After a parting the learner's story is another one: its distribution answers another question.
    const apart = own ? parting(own.chosen, data.plain.chosen) : -1;
    const alike = own && (apart < 0 || apart >= at);
    const rows = shown.top[at].map((token, rank) => {
      const place = alike ? own.top[at].indexOf(token) : -1;
      return {
        label: spell(data.given, token), value: shown.probability[at][rank],
        mine: alike && place >= 0 ? own.probability[at][place] : undefined, tone: token === shown.chosen[at] ? "strong" : "",
      };
    });
    rows.push({ label: "all others", value: shown.others[at], mine: alike ? own.others[at] : undefined, tone: "faint" });
    into.append(element("h4", {}, "Distribution of the next token"));
    draw.bars(into, rows, { label: "The most probable next tokens", high: 1, digits: 3, labels: 90 });
    if (own && !alike) into.append(element("p", { class: "quiet" }, `Your story is another one since step ${apart + 1}.`));
  };

  const cost = (into, state, data, mine) => {
    const { flops, given } = data, at = state.step - 1, name = way(state);
    const points = (values) => values.map((value, step) => [step + 1, value / 1e6]);
    const series = [
      { name: "without a cache", points: points(flops.plain), kind: 0 },
      { name: "with a cache", points: points(flops.cached), kind: 1 },
    ];
    if (mine?.flops) series.push(
      { name: "without, by your forward_flops", points: points(mine.flops.plain), kind: 0, own: true },
      { name: "with, by your forward_flops", points: points(mine.flops.cached), kind: 1, own: true },
    );
    into.append(element("h4", {}, "Operations of each step, in millions"));
    draw.lines(into, series, { label: "Operations of each step with a cache and without", xLabel: "step", mark: state.step, low: 0, height: 220, left: 34 });
    draw.legend(into, series);
    const yours = (mine_, right) => (mine_ === undefined || !differs(mine_, right) ? "" : ` (yours \u2260 ${whole(mine_)})`);
    const facts = [
      ["Positions computed", whole(given.positions[name][at])],
      ["Operations of this step", `${millions(flops[name][at])} million`],
      ["Operations so far", `${millions(flops[`${name}_sum`][at])} million`],
      ["Numbers kept", state.cache ? whole(data.kept[at]) + yours(mine?.kept?.[at], data.kept[at]) : "none"],
      ["Bytes kept, in float32", state.cache ? whole(data.bytes[at]) + yours(mine?.bytes?.[at], data.bytes[at]) : "none"],
    ];
    into.append(element("dl", { class: "step-facts" }, ...facts.flatMap(([term, words]) =>
      [element("dt", {}, term), element("dd", {}, words)])));
  };

  anatomy.define("stepping", {
    table({ step }, { given, plain, cached, kept, bytes, flops }) {
      const at = step - 1;
      const both = (name, one, other, digits) => [name, number(one, digits), number(other, digits)];
      const rows = Array.from({ length: MOST }, (_, rank) => both(
        `${rank + 1}. ${spell(given, (plain ?? cached)?.top[at][rank])}`,
        plain?.probability[at][rank], cached?.probability[at][rank], 4,
      ));
      rows.push(
        both("all others", plain?.others[at], cached?.others[at], 4),
        both("entropy, bits", plain?.entropy[at], cached?.entropy[at], 3),
        both("positions computed", given.positions.plain[at], given.positions.cached[at], 0),
        both("operations", flops?.plain[at], flops?.cached[at], 0),
        both("operations so far", flops?.plain_sum[at], flops?.cached_sum[at], 0),
        ["numbers kept", "none", number(kept?.[at], 0)],
        ["bytes kept, float32", "none", number(bytes?.[at], 0)],
        ["largest difference of a logit", "", number(cached?.gap[at], 9)],
      );
      return { caption: `Step ${step}`, columns: ["", "without a cache", "with a cache"], rows };
    },
    said(state, data) {
      const at = state.step - 1, name = way(state), shown = data[name];
      const count = data.given.positions[name][at];
      return `Step ${state.step}, ${state.cache ? "with" : "without"} the cache: \u201c${spell(data.given, shown.chosen[at])}\u201d is `
        + `chosen, probability ${fixed(shown.probability[at][0], 2)}; entropy ${fixed(shown.entropy[at], 2)} bits. `
        + `${count} ${count === 1 ? "position" : "positions"} computed, ${millions(data.flops[name][at])} million operations.`;
    },
    picture(into, state, data, mine) {
      text(into, state, data);
      const left = element("div", { class: "half" }), right = element("div", { class: "half" });
      into.append(left, right);
      distribution(left, state, data, mine);
      cost(right, state, data, mine);
      if (mine) stories(into, data, mine);
    },
    guess: ({ step }, { flops }) => flops.ratio[step - 1],
  });
})();
