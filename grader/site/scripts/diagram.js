// The diagram: one card at a time, the residual paths, and every number for the model of one's choice.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  const holder = document.getElementById("decoder-data");
  if (!holder) return;
  const { presets, stages, paths, sizes, units } = JSON.parse(holder.textContent);
  const { evaluate, symbols, shape, whole, about } = anatomy.sizes;
  const all = (selector, place = document) => [...place.querySelectorAll(selector)];
  const one = (selector, place = document) => place.querySelector(selector);

  for (const hidden of all(".needs-script")) hidden.hidden = false;
  one(".explorer").classList.add("one-card");
  const form = one(".configuration");
  const field = (name) => one(`[name="${name}"]`, form);
  const links = all(".stage > a");
  const traceSaid = one(".trace-said");
  const untraced = traceSaid.textContent;

  // ---- one stage ----

  let chosen = "";

  const told = (stage) => {
    const name = stages.find((each) => each.id === stage).name;
    const row = one(`[data-stage-row="${stage}"]`);
    const leaves = one(`.stage[data-stage="${stage}"] .leaves`).textContent;
    return `${name}: its output has the shape ${leaves}; ${one('[data-sum="parameters"]', row).textContent} parameters.`;
  };

  const trace = (sublayer) => {
    for (const each of all(".sublayer")) each.classList.toggle("traced", each.dataset.sublayer === sublayer);
    for (const each of all("[data-trace]")) each.setAttribute("aria-pressed", String(each.dataset.trace === sublayer));
    traceSaid.textContent = sublayer ? paths[sublayer] : untraced;
  };

  const choose = (stage) => {
    if (stage === chosen) return;
    chosen = stage;
    for (const link of links) {
      if (link.hash === `#stage-${stage}`) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    for (const card of all(".card")) card.hidden = card.id !== `stage-${stage}`;
    one(".stage-said").textContent = told(stage);
    trace(stage.endsWith("-add") ? stage.replace("-add", "") : "");
  };

  const inAddress = () => {
    const stage = location.hash.replace("#stage-", "");
    return stages.some((each) => each.id === stage) ? stage : "";
  };

  const show = (stage) => {
    choose(stage);
    const card = one(`#stage-${stage}`);
    const { top } = card.getBoundingClientRect();
    if (top < 0 || top > 0.6 * window.innerHeight) card.scrollIntoView({ block: "start" });
    return card;
  };

  const chooseByLink = (link) => {
    choose(link.hash.replace("#stage-", ""));
    history.replaceState(null, "", link.hash);
  };

  links.forEach((link, place) => {
    link.addEventListener("focus", () => chooseByLink(link));
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
      event.preventDefault();
      chooseByLink(link);
      const card = show(chosen);
      if (event.detail === 0) card.focus({ preventScroll: true });
    });
    link.addEventListener("keydown", (event) => {
      const to = { ArrowDown: place + 1, ArrowRight: place + 1, ArrowUp: place - 1, ArrowLeft: place - 1, Home: 0,
        End: links.length - 1 }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey || !links[to]) return;
      event.preventDefault();
      links[to].focus();
    });
  });
  for (const button of all("[data-trace]")) {
    button.addEventListener("click", () => {
      trace(button.getAttribute("aria-pressed") === "true" ? "" : button.dataset.trace);
    });
  }
  for (const back of all(".to-diagram a")) {
    back.addEventListener("click", (event) => {
      event.preventDefault();
      one(`.stage > a[href="#stage-${chosen}"]`).focus();
    });
  }

  // Beside the diagram the card keeps to the screen, so the stage is brought there; below it, the card.
  const arrive = () => {
    const stage = inAddress();
    if (!stage) return;
    choose(stage);
    const beside = getComputedStyle(one(".cards")).position === "sticky";
    const there = beside ? one(`.stage > a[href="#stage-${stage}"]`) : one(`#stage-${stage}`);
    there.scrollIntoView({ block: beside ? "nearest" : "start", behavior: "instant" });
  };
  window.addEventListener("hashchange", arrive);
  window.addEventListener("load", arrive);

  // ---- every number ----

  const LEARNED = "parameters";

  const write = (config, tokens, bytes, name) => {
    const values = symbols(config, tokens, bytes);
    const variant = `${config.family}-${config.tied ? "tied" : "untied"}`;
    const totals = {};
    for (const each of all("[data-when]")) each.hidden = !each.dataset.when.split(" ").includes(variant);
    for (const each of all("[data-axes]")) each.textContent = shape(each.dataset.axes, values);
    for (const { id, block } of stages) {
      for (const [quantity, sum] of Object.entries(sizes[variant][id])) {
        const once = evaluate(sum, values), everywhere = block ? once * values.N : once;
        totals[quantity] = (totals[quantity] ?? 0n) + everywhere;
        const row = one(`#stage-${id} [data-quantity="${quantity}"]`);
        for (const cell of all("[data-scope]", row)) {
          cell.textContent = whole(cell.dataset.scope === "one" ? once : everywhere);
        }
        one(`[data-stage-row="${id}"] [data-sum="${quantity}"]`).textContent = whole(everywhere);
      }
    }
    totals.weights = totals[LEARNED] * values.b;
    for (const each of all("[data-total]")) each.textContent = whole(totals[each.dataset.total]);
    for (const each of all("[data-about]")) {
      const key = each.dataset.about;
      each.textContent = about(totals[key], key === LEARNED || key === "flops" ? units.counts : units.bytes);
    }
    for (const each of all("[data-symbol]")) each.textContent = whole(values[each.dataset.symbol]);
    for (const each of all("[data-bits]")) each.textContent = String(8 * bytes);
    for (const each of all("[data-model]")) each.textContent = name;
    one(".stage-said").textContent = told(chosen);
  };

  // ---- the model of one's choice ----

  const own = one(".own-numbers");
  const impossible = one(".impossible");
  const NUMBERS = all('input[type="number"]', own).map((input) => input.name);
  const preset = () => one('[name="preset"]:checked', form).value;
  const isOwn = () => preset() === "own";
  const used = (name) => !(name === "n_kv_heads" && field("family").value !== "llama")
    && !(name === "max_positions" && field("family").value !== "gpt2");

  const fill = ({ config, tokens }) => {
    for (const name of NUMBERS) field(name).value = config[name];
    field("family").value = config.family;
    field("tied").checked = config.tied;
    field("tokens").value = tokens;
  };

  const labelOf = (input) => one(`label[for="${input.id}"]`, form).textContent;

  // What is wrong, and in which fields; nothing if all is well.
  const trouble = (config, tokens) => {
    for (const input of [field("tokens"), ...NUMBERS.filter(used).map((name) => field(name))]) {
      const value = Number(input.value);
      if (input.value === "" || !Number.isInteger(value) || value < Number(input.min) || value > Number(input.max)) {
        return [`${labelOf(input)}: a whole number from ${input.min} to ${whole(BigInt(input.max))} is needed.`, input.name];
      }
    }
    const { family, d_model: D, n_heads: H, n_kv_heads: Hkv, max_positions: most } = config;
    if (D % H) return [`D = ${D} cannot be cut into H = ${H} heads of the same width: H must divide D.`, "d_model", "n_heads"];
    if (family === "llama" && H % Hkv) {
      return [`H = ${H} query heads cannot share Hkv = ${Hkv} key-value heads evenly: Hkv must divide H.`, "n_heads", "n_kv_heads"];
    }
    if (family === "llama" && (D / H) % 2) {
      return [`Heads of width K = D / H = ${D / H} cannot be turned in pairs: K must be even.`, "d_model", "n_heads"];
    }
    if (family === "gpt2" && tokens > most) {
      return [`The position table has ${most} rows: ${tokens} tokens do not fit.`, "tokens", "max_positions"];
    }
    return [];
  };

  const update = () => {
    own.hidden = !isOwn();
    for (const each of all("[data-of-family]", own)) each.hidden = each.dataset.ofFamily !== field("family").value;
    const config = {
      family: field("family").value, tied: field("tied").checked,
      ...Object.fromEntries(NUMBERS.map((name) => [name, Number(field(name).value)])),
    };
    for (const name of NUMBERS) if (!used(name)) config[name] = 1;
    const tokens = Number(field("tokens").value);
    const [sentence, ...fields] = trouble(config, tokens);
    for (const name of [...NUMBERS, "tokens"]) {
      if (fields.includes(name)) field(name).setAttribute("aria-invalid", "true");
      else field(name).removeAttribute("aria-invalid");
    }
    const said = sentence ? `${sentence} The numbers below are still those of before.` : "";
    if (impossible.textContent !== said) impossible.textContent = said;
    if (sentence) return;
    const label = one('[name="preset"]:checked', form).parentElement.textContent.trim();
    write(config, tokens, Number(field("bytes").value), isOwn() ? "Your model" : label);
    const trained = isOwn() ? Infinity : presets[preset()].config.max_positions;
    one(".beyond", form).textContent = tokens > trained
      ? `${label} was trained on at most ${whole(BigInt(trained))} tokens at a time; the sizes hold beyond them too.` : "";
  };

  form.addEventListener("input", (event) => {
    if (event.target.name === "preset" && !isOwn()) fill(presets[preset()]);
    update();
  });

  // A browser that comes back to the page keeps what was typed; the page begins anew.
  field("preset").checked = true;
  field("bytes").value = "2";
  fill(presets[preset()]);
  choose(inAddress() || stages[0].id);
  update();
});
