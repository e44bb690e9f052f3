"""Known mistakes of GPT-2's first weights."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.model.shared import Weights, catalogue

STREAM_TEST = "test_output_projections"
FIRST_TEST = "test_tables_and_projections"
FORGOTTEN = {
    "no-position-table": ("wpe",),
    "no-final-norm": ("ln_f.gamma", "ln_f.beta"),
    "no-bias-keys": ("bq", "bk", "bv", "bo", "b_in", "b_out"),
}
"""Keys that are left out."""


def seeded(section: str, says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes in drawing: known by the very numbers that are drawn, so that two at once cannot be told."""
    return tuple(Misconception(name, sentence, section, fails, alone=True) for name, sentence in says.items())


@catalogue.flawed(
    "init_gpt2",
    *seeded(
        "what-writes-to-the-stream",
        {
            "residual-unscaled": "The matrices that write to the stream have 0.02 like all others; divide by sqrt(2N).",
            "root-of-n": "wo and w_out are divided by sqrt(N); a block writes to the stream twice, so it is sqrt(2N).",
            "no-root": "wo and w_out are divided by 2N; divide by its root.",
            "only-attention-scaled": "Only attn.wo is scaled down; mlp.w_out writes to the stream too.",
            "only-mlp-scaled": "Only mlp.w_out is scaled down; attn.wo writes to the stream too.",
            "zero-outputs": "The matrices that write to the stream start at 0; here they start small.",
        },
        fails=STREAM_TEST,
    ),
    *seeded(
        "what-writes-to-the-stream",
        {"all-scaled": "Every matrix is divided by sqrt(2N); only those that write to the stream are."},
        fails=FIRST_TEST,
    ),
    *seeded(
        "what-writes-to-the-stream",
        {"scaled-by-depth": "The scale shrinks from block to block; it is 0.02 / sqrt(2N) in all of them."},
        fails="test_every_block_alike",
    ),
    *seeded(
        "the-spread-of-the-rest",
        {
            "standard-normal": "Nothing is scaled: the standard deviation is 1 where it should be 0.02.",
            "variance-for-deviation": "0.02 is taken for the variance: the standard deviation is 0.141.",
            "squared-deviation": "The standard deviation is 0.02 squared, 0.0004; torch wants the deviation itself.",
            "fan-in": "The standard deviation depends on the width of the layer (1 / sqrt(fan_in)); here it is 0.02.",
            "tables-standard-normal": "The tables have a deviation of 1, the default of nn.Embedding; 0.02 is wanted.",
            "positions-at-half": "wpe has a standard deviation of 0.01; here it is 0.02, as for wte.",
            "zero-positions": "wpe starts at 0; it is drawn like wte.",
            "not-centred": "The numbers are all positive (torch.rand is uniform on 0 to 1); they are normal around 0.",
        },
        fails=FIRST_TEST,
    ),
    *seeded(
        "the-spread-of-the-rest",
        {
            "uniform": "The numbers are uniform with the right deviation; they are normal.",
            "cut-at-two": "The numbers are cut off at two standard deviations; they are normal.",
        },
        fails="test_normal",
    ),
    *seeded(
        "the-spread-of-the-rest",
        {
            "random-biases": "The biases are drawn at random; they start at 0.",
            "zero-gains": "The gains start at 0, which closes every norm; they start at 1.",
            "random-gains": "The gains are drawn at random; they start at 1.",
            "shifts-at-one": "The shifts (beta) start at 1; they start at 0.",
        },
        fails="test_biases_and_gains",
    ),
    *seeded(
        "seeds",
        {
            "seed-unused": "The seed has no effect: every call gives the same weights.",
            "unseeded": "The same seed gives other weights each time: the numbers come from the global random state.",
        },
        fails="test_same_seed_same_weights",
    ),
    *seeded(
        "seeds",
        {
            "reseeded": "The generator is seeded again for every tensor, so that all begin with the same numbers.",
            "blocks-alike": "All blocks have the same numbers (one block copied, or drawn with one seed).",
            "projections-alike": "wq, wk and wv of a block are the same numbers: draw each anew.",
        },
        fails="test_no_tensor_twice",
    ),
    *seeded(
        "seeds",
        {
            "global-generator": "torch.manual_seed moves the random state that the whole program shares; draw from a "
            "torch.Generator of your own.",
        },
        fails="test_leaves_no_trace",
    ),
    *seeded(
        "arguments-change-gradients-vanish-types-drift",
        {"asks-for-gradients": "The tensors require gradients; whoever trains them will ask for that."},
        fails="test_leaves_no_trace",
    ),
    *seeded(
        "keys-and-shapes",
        {
            "head-added": "There is an lm_head among the keys; this model is tied, wte serves both ends.",
            "blocks-beyond-n": "There is a block more than n_blocks.",
            "heads-as-keys": "There are keys that gpt2 does not read.",
        },
        fails="test_keys",
    ),
    *seeded(
        "keys-and-shapes",
        {
            "in-out": "Matrices are stored as (in, out); they are (out, in), as nn.Linear stores them.",
            "shared-heads": "wk and wv have the width of n_kv_heads; GPT-2 has no shared heads.",
        },
        fails="test_shapes",
    ),
    *seeded(
        "keys-and-shapes",
        {
            "blocks-from-one": "The blocks are numbered from 1; the first is blocks.0.",
            "no-position-table": "There is no wpe.",
            "no-final-norm": "There is no ln_f; the final norm has a gain and a shift too.",
            "no-bias-keys": "There are no biases; gpt2 reads them even while they are 0.",
        },
        fails=FIRST_TEST,
    ),
    *seeded("keys-and-shapes", {"float64": "The weights are float64; float32 is wanted."}, fails="test_float32"),
    *seeded(
        "arguments-change-gradients-vanish-types-drift",
        {"changes-config": "The configuration is changed (a key taken out or written); it is the caller's."},
        fails="test_leaves_arguments_alone",
    ),
)
def init_gpt2(wrong: Wrong, config: dict[str, Any], seed: int) -> Weights:
    """First weights with switches."""
    width, hidden, n_blocks = config["d_model"], config["d_hidden"], config["n_blocks"]
    draws = _Draws(wrong, seed, 2 * n_blocks)
    kv_width = width // config["n_heads"] * config["n_kv_heads"] if wrong("shared-heads") else width
    weights = {"wte": draws.table("wte", config["vocab"], width)}
    weights["wpe"] = draws.table("wpe", config["max_positions"], width)
    first: Weights = {}
    for n in range(n_blocks + wrong("blocks-beyond-n")):
        sizes = {"attn.wq": (width, width), "attn.wk": (kv_width, width), "attn.wv": (kv_width, width)}
        sizes |= {"attn.wo": (width, width), "mlp.w_in": (hidden, width), "mlp.w_out": (width, hidden)}
        block = {name: draws.matrix(name, n, *size) for name, size in sizes.items()}
        if wrong("projections-alike"):
            block["attn.wk"] = block["attn.wv"] = block["attn.wq"]
        block |= {name.replace(".w", ".b"): draws.bias(len(matrix)) for name, matrix in block.items()}
        if wrong("in-out"):
            block |= {name: block[name].mT for name in sizes}
        block |= draws.norm("ln1", width) | draws.norm("ln2", width)
        first = first or block
        number = n + 1 if wrong("blocks-from-one") else n
        weights |= {f"blocks.{number}.{key}": t for key, t in (first if wrong("blocks-alike") else block).items()}
    weights |= draws.norm("ln_f", width)
    if wrong("head-added"):
        weights["lm_head"] = weights["wte"]
    if wrong("heads-as-keys"):
        weights["blocks.0.attn.mask"] = torch.ones(2, 2).tril()
    if wrong("changes-config"):
        config.pop("n_kv_heads")
    for name, endings in FORGOTTEN.items():
        if wrong(name):
            weights = {key: t for key, t in weights.items() if not key.endswith(endings)}
    if wrong("global-generator"):
        torch.manual_seed(seed)
    if wrong("asks-for-gradients"):
        weights = {key: t.clone().requires_grad_() for key, t in weights.items()}
    return {key: t.double() for key, t in weights.items()} if wrong("float64") else weights


class _Draws:
    """Tensors one after another from one generator. writes: how often the model adds to its stream."""

    def __init__(self, wrong: Wrong, seed: int, writes: int) -> None:
        self.wrong = wrong
        self.writes = writes
        self.seed = 0 if wrong("seed-unused") else seed
        self.generator = torch.Generator()
        if wrong("unseeded"):
            self.generator.seed()
        else:
            self.generator.manual_seed(self.seed)

    def normal(self, std: float, *size: int) -> Tensor:
        if self.wrong("reseeded"):
            self.generator.manual_seed(self.seed)
        if self.wrong("uniform"):
            return (torch.rand(size, generator=self.generator) - 0.5) * (std * math.sqrt(12))
        if self.wrong("not-centred"):
            return torch.rand(size, generator=self.generator) * std
        numbers = torch.randn(size, generator=self.generator)
        if self.wrong("cut-at-two"):
            torch.nn.init.trunc_normal_(numbers, generator=self.generator)
        return numbers * std

    def deviation(self, fan_in: int) -> float:
        """The standard deviation of what does not write to the stream."""
        if self.wrong("standard-normal"):
            return 1.0
        if self.wrong("variance-for-deviation"):
            return math.sqrt(0.02)
        if self.wrong("squared-deviation"):
            return 0.02**2
        return 1 / math.sqrt(fan_in) if self.wrong("fan-in") else 0.02

    def table(self, name: str, rows: int, width: int) -> Tensor:
        std = 1.0 if self.wrong("tables-standard-normal") else self.deviation(width)
        if name == "wpe":
            std *= 0.0 if self.wrong("zero-positions") else 0.5 if self.wrong("positions-at-half") else 1.0
        return self.normal(std, rows, width)

    def matrix(self, name: str, block: int, rows: int, columns: int) -> Tensor:
        return self.normal(self.deviation(columns) * self.factor(name, block), rows, columns)

    def factor(self, name: str, block: int) -> float:
        """What the deviation of a matrix is multiplied by."""
        wrong = self.wrong
        switched = wrong({"attn.wo": "only-mlp-scaled", "mlp.w_out": "only-attention-scaled"}.get(name, "all-scaled"))
        writes = name in ("attn.wo", "mlp.w_out")
        if switched == writes or wrong("residual-unscaled"):
            return 1.0
        if wrong("zero-outputs"):
            return 0.0
        if wrong("no-root"):
            return 1 / self.writes
        if wrong("scaled-by-depth"):
            return 1 / math.sqrt(2 * (block + 1))
        return 1 / math.sqrt(self.writes / 2 if wrong("root-of-n") else self.writes)

    def bias(self, size: int) -> Tensor:
        return self.normal(0.02, size) if self.wrong("random-biases") else torch.zeros(size)

    def norm(self, name: str, width: int) -> Weights:
        gamma = torch.zeros(width) if self.wrong("zero-gains") else torch.ones(width)
        gamma = self.normal(0.02, width) + 1 if self.wrong("random-gains") else gamma
        return {f"{name}.gamma": gamma, f"{name}.beta": torch.full((width,), float(self.wrong("shifts-at-one")))}
