"""Panel: the sixteen tensors of a block, what each is made from, and how its shape comes about."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from grader.run.functions import Functions
from grader.site.diagram.configurations import presets, symbols
from grader.site.diagram.figures import shape, whole
from grader.site.diagram.sizes import sizes
from grader.site.panels.model import Choice, Data, Guess, Number, Panel, Part, Player, Table
from grader.site.panels.values import real

BATCH: Mapping[str, int] = {"course": 2, "gpt2-small": 1, "llama-7b": 1}
"""Sequences that go through the block at once."""
STEPS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "input": ((), "The stream as it enters the block: a vector of D numbers for every token."),
    "norm1": (("input",), "Every token's vector is brought to one scale; the shape stays."),
    "q": (("norm1",), "A projection keeps D numbers a token, and they are cut into H heads of K = D / H."),
    "k": (("norm1",), "Keys have Hkv heads of K. Where Hkv is less than H, several query heads share one."),
    "v": (("norm1",), "Values are shaped as the keys are."),
    "scores": (("q", "k"), "Every query meets every key of its head: K is summed away, and a second T comes instead."),
    "weights": (("scores",), "Mask and softmax change the numbers of each row, not the shape."),
    "context": (("weights", "v"), "The values are averaged: the second T is summed away, and K is back."),
    "attn_out": (
        ("context",),
        "The heads are put side by side, H times K is D again, and mixed by one more projection.",
    ),
    "residual1": (("input", "attn_out"), "Two tensors of the same shape are added: the first residual path ends here."),
    "norm2": (("residual1",), "The sum is brought to one scale; the shape stays."),
    "gate": (("norm2",), "Every token's vector is widened from D to F numbers."),
    "up": (("norm2",), "A second projection widens it just as far."),
    "hidden": (("gate", "up"), "The bent gate and the other one are multiplied, number by number."),
    "mlp_out": (("hidden",), "Narrowed from F to D numbers: F is summed away."),
    "residual2": (("residual1", "mlp_out"), "The second residual path ends: the block's output has the input's shape."),
}
"""What each tensor is made from, and how."""
_MADE = {tensor.name: (stage, tensor.axes) for stage, each in sizes("llama", True).items() for tensor in each.tensors}
AXES: Mapping[str, str] = {name: _MADE[name][1] for name in STEPS}
PLACES = ("1st", "2nd", "3rd", "4th")
START = "course"


def configurations() -> dict[str, dict[str, int]]:
    """What `trace_block` takes, for each of the three models."""
    keys = ("d_model", "n_heads", "n_kv_heads", "d_hidden")
    return {
        preset.id: {"batch": BATCH[preset.id], "seq": preset.tokens, **{key: preset.config[key] for key in keys}}
        for preset in presets()
    }


def _trace(functions: Functions, _: Functions) -> Any:
    traced = {model: functions.call("block.trace_block", config) for model, config in configurations().items()}
    return {
        model: [
            {"name": str(name), "shape": " x ".join(str(size) for size in sizes_), "numbers": math.prod(sizes_)}
            for name, sizes_ in tensors
        ]
        for model, tensors in traced.items()
    }


def given() -> dict[str, Any]:
    """Names and words that no function computes."""
    models = {}
    for preset in presets():
        values = symbols(preset.config, preset.tokens, batch=BATCH[preset.id])
        named = ", ".join(f"{symbol} = {whole(values[symbol])}" for symbol in ("B", "T", "D", "H", "Hkv", "K", "F"))
        models[preset.id] = {"name": preset.name, "values": named}
    return {
        "axes": dict(AXES),
        "from": {name: list(sources) for name, (sources, _) in STEPS.items()},
        "words": {name: words for name, (_, words) in STEPS.items()},
        "stage": {name: _MADE[name][0] for name in STEPS},
        "models": models,
    }


def _sizes(entry: Mapping[str, Any]) -> list[int]:
    return [int(size) for size in str(entry["shape"]).split(" x ")]


def _table(data: Data) -> Table:
    rows = []
    for entry in data["trace"][START]:
        places: list[Number | str] = [Number(size, 0) for size in _sizes(entry)]
        places += ["none"] * (len(PLACES) - len(places))
        rows.append(
            (entry["name"], f"({', '.join(AXES[entry['name']].split())})", *places, Number(real(entry["numbers"]), 0))
        )
    model = data["given"]["models"][START]
    caption = f"The tensors of one block: {model['name']}, {model['values']}"
    return Table(caption, ("", "axes", *PLACES, "numbers in all"), tuple(rows))


def _said(data: Data) -> str:
    first = data["trace"][START][0]
    name = first["name"]
    return (
        f"1 of {len(STEPS)}: {name}, ({', '.join(AXES[name].split())}) = {shape(tuple(_sizes(first)))}, "
        f"{whole(first['numbers'])} numbers. {STEPS[name][1]}"
    )


PANEL = Panel(
    name="shapes",
    title="Shapes through a block",
    lesson="block",
    after="what-it-costs",
    intro="The sixteen tensors of a LLaMA block in order: what each is made from, and what becomes of the axes.",
    notice=(
        "Each sublayer ends in the shape of the stream, or it could not be added to it; only scores and weights grow "
        "with the square of T."
    ),
    controls=(
        Player("step", "Tensor", 1, len(STEPS), 1),
        Choice(
            "model",
            "Sizes of",
            (("course", "The course's model"), ("gpt2-small", "GPT-2 small"), ("llama-7b", "LLaMA-7B")),
            START,
        ),
    ),
    parts=(Part("trace", ("block.trace_block",), _trace),),
    table=_table,
    said=_said,
    guess=Guess(
        "One sequence of 2,048 tokens in LLaMA-7B: how many million numbers are the scores of one block?",
        {"model": "llama-7b", "step": 6},
        1,
    ),
    given=given,
)
