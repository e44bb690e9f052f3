// Sums of products of whole numbers, exact at any size, and how such numbers read. What is summed comes from the page.
"use strict";

anatomy.sizes = (() => {
  // A sum is a list of [factor, symbol, symbol, ...].
  const evaluate = (sum, symbols) => sum.reduce(
    (total, [factor, ...names]) => total + names.reduce((product, name) => product * symbols[name], BigInt(factor)), 0n,
  );

  // The value of every symbol for a configuration as `count_parameters` takes it.
  const symbols = (config, tokens, bytes) => {
    const heads = BigInt(config.n_heads), headWidth = BigInt(config.d_model) / heads;
    return {
      B: 1n, T: BigInt(tokens), V: BigInt(config.vocab), D: BigInt(config.d_model), N: BigInt(config.n_blocks), H: heads,
      Hkv: config.family === "llama" ? BigInt(config.n_kv_heads) : heads, K: headWidth, "K/2": headWidth / 2n,
      F: BigInt(config.d_hidden), Tmax: BigInt(config.max_positions), b: BigInt(bytes),
    };
  };

  // `B H T T` or `Hkv*K D` as `(1, 4, 16, 16)`.
  const shape = (axes, values) => {
    const sizes = axes.split(" ").map((axis) => evaluate([[1, ...axis.split("*")]], values));
    return `(${sizes.join(", ")}${sizes.length === 1 ? "," : ""})`;
  };

  const whole = (number) => number.toString().replace(/\B(?=(\d{3})+$)/g, ",");

  // `6.74 billion`: in the largest unit that the number fills; a small count needs no other words.
  const about = (number, names) => {
    const power = Math.min(Math.floor((number.toString().length - 1) / 3), names.length - 1);
    if (power === 0) return names[0] ? `${number}${names[0]}` : "";
    const unit = 1000n ** BigInt(power), hundredths = (100n * number + unit / 2n) / unit;
    return `${whole(hundredths / 100n)}.${String(hundredths % 100n).padStart(2, "0")}${names[power]}`;
  };

  return { evaluate, symbols, shape, whole, about };
})();
