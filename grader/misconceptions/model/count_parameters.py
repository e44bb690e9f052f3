"""Known mistakes of counting parameters."""

from collections.abc import Mapping
from typing import Any

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.model.shared import catalogue

COUNTED = {
    "the-tables": {
        "tied-counted-twice": "A tied table is counted twice; it is one tensor with two uses.",
        "head-never-counted": "The output matrix of an untied model is not counted.",
        "gpt2-always-tied": "gpt2 is taken to be tied; with tied False it has an output matrix of its own.",
        "tokens-not-counted": "The token table is not counted.",
        "positions-not-counted": "The position table of gpt2 is not counted; it is learned too.",
        "positions-in-llama": "A position table is counted for llama, which has none: it turns queries and keys.",
        "one-position-too-many": "The position table has max_positions rows, not one more.",
    },
    "attention-and-its-heads": {
        "kv-full-width": "Keys and values are counted with D rows; they have Hkv heads of width K.",
        "kv-one-head-wide": "Keys and values are counted with the width of one head; they have Hkv of them.",
        "kv-heads-in-gpt2": "n_kv_heads is applied to gpt2, where every query head has keys of its own.",
        "output-projection-missing": "The output projection of attention is not counted.",
        "heads-counted-too": "The projections are multiplied by the number of heads; all heads together are D wide.",
        "masks-counted": "The causal mask is counted for every block; it is computed, not learned.",
    },
    "the-feed-forward-matrices": {
        "swiglu-of-two": "SwiGLU is counted with two matrices; it has a gate beside them.",
        "gpt2-of-three": "GPT-2's feed-forward network is counted with three matrices; it has two.",
        "hidden-width-assumed": "The hidden width is taken to be 4D; use d_hidden.",
        "hidden-width-assumed-in-gpt2": "The hidden width of gpt2 is taken to be 4D; d_hidden says what it is.",
    },
    "biases-and-norms": {
        "no-biases": "The biases of gpt2 are not counted.",
        "attention-without-biases": "The biases of gpt2's attention are not counted: four of width D in each block.",
        "mlp-without-biases": "The biases of gpt2's feed-forward network are not counted: F and D in each block.",
        "biases-in-llama": "Biases are counted for llama, which has none.",
        "no-norms": "The norms are not counted.",
        "one-norm-a-block": "One norm is counted for each block; there are two.",
        "no-final-norm": "The final norm is not counted.",
        "norms-without-shift": "A LayerNorm is counted with D numbers; it has a gain and a shift, 2D.",
        "shift-in-llama": "An RMSNorm is counted with 2D numbers; it has a gain only, D.",
    },
    "a-count-is-a-whole-number": {
        "float-returned": "You return a float; a count is an int, and a division with / makes a float of it.",
        "in-millions": "You return millions; the exact number is wanted.",
    },
}
COUNTED_BY = {
    "two_small_blocks": ("one-position-too-many", "kv-heads-in-gpt2", "gpt2-of-three", "hidden-width-assumed"),
    "tied_and_untied": (
        "gpt2-always-tied",
        "head-never-counted",
        "positions-in-llama",
        "biases-in-llama",
        "shift-in-llama",
    ),
    "shared_heads": ("kv-full-width", "kv-one-head-wide"),
    "llama_7b": ("swiglu-of-two",),
}
"""Where a mistake shows if it does not show in the first test of all."""


def counting() -> tuple[Misconception, ...]:
    """Every mistake in counting, with the test that notices it."""
    test = {name: f"test_{where}" for where, names in COUNTED_BY.items() for name in names}
    return tuple(
        Misconception(name, sentence, section, fails=test.get(name, "test_two_small_blocks"))
        for section, says in COUNTED.items()
        for name, sentence in says.items()
    )


@catalogue.flawed("count_parameters", *counting())
def count_parameters(wrong: Wrong, config: Mapping[str, Any]) -> int | float:
    """The count with switches: a list of tensors by their sizes, added up."""
    old = config["family"] == "gpt2"
    width, n_blocks, n_heads = config["d_model"], config["n_blocks"], config["n_heads"]
    assumed = wrong("hidden-width-assumed") or (old and wrong("hidden-width-assumed-in-gpt2"))
    hidden = 4 * width if assumed else config["d_hidden"]
    shared = not old or wrong("kv-heads-in-gpt2")
    kv_heads = config["n_kv_heads"] if shared and not wrong("kv-full-width") else n_heads
    kv_width = width // n_heads * (1 if wrong("kv-one-head-wide") and shared else kv_heads)

    rows = {"q": width, "k": kv_width, "v": kv_width, "o": width}
    if wrong("output-projection-missing"):
        rows.pop("o")
    attention = [size * width for size in rows.values()]
    if wrong("heads-counted-too"):
        attention = [n_heads * size for size in attention]
    if wrong("masks-counted"):
        attention.append(config["max_positions"] ** 2)
    n_matrices = 2 if (old and not wrong("gpt2-of-three")) or (not old and wrong("swiglu-of-two")) else 3
    mlp = [hidden * width] * n_matrices
    if (old or wrong("biases-in-llama")) and not wrong("no-biases"):
        attention += [] if wrong("attention-without-biases") else list(rows.values())
        mlp += [] if wrong("mlp-without-biases") else [hidden, width]

    norm = width * (2 if (old and not wrong("norms-without-shift")) or (not old and wrong("shift-in-llama")) else 1)
    norms = [norm] * (n_blocks * (1 if wrong("one-norm-a-block") else 2) + (not wrong("no-final-norm")))
    table = config["vocab"] * width
    tables = [] if wrong("tokens-not-counted") else [table]
    one_table = config["tied"] or wrong("head-never-counted") or (old and wrong("gpt2-always-tied"))
    if wrong("tied-counted-twice") or not one_table:
        tables.append(table)
    if (old and not wrong("positions-not-counted")) or (not old and wrong("positions-in-llama")):
        tables.append((config["max_positions"] + wrong("one-position-too-many")) * width)
    total: int = sum(tables) + n_blocks * sum(attention + mlp) + (0 if wrong("no-norms") else sum(norms))
    if wrong("in-millions"):
        return round(total / 1e6)
    return float(total) if wrong("float-returned") else total
