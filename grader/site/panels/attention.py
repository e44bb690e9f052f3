"""Panel: what each position of causal attention sees, how evenly it reads, and the signal that it trains on."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import torch
from torch import Tensor

from grader.capstone.corpus import encode
from grader.capstone.model import load
from grader.run.decoder import Decoder
from grader.run.functions import Functions
from grader.run.stages import projections, stream
from grader.site.panels.model import Choice, Data, Guess, Number, Panel, Part, Slider, Table, Toggle
from grader.site.panels.values import real

WORDS = ("<s>", "the", "cat", "of", "mia", "lives", "near", "the", "lake", ".", "one")
"""The beginning of a story, one word more than there are positions: the last one is only a target."""
EXAMPLE, TEXT = 5, 10
"""Positions of the worked example and of the trained model's heads."""
START = 3
BLOCKS, HEADS = 5, 4

WISHED = (
    (1.0,),
    (0.35, 0.65),
    (0.1, 0.15, 0.75),
    (0.3, 0.27, 0.23, 0.2),
    (0.05, 0.15, 0.4, 0.1, 0.3),
)
"""The weights of the worked example under the causal mask; a score is the logarithm of its weight."""
AHEAD = ((-0.4, 0.9, 0.2, 0.5), (0.3, -1.2, 0.1), (-0.8, 0.4), (-1.0,), ())
"""Its scores for the tokens ahead, which the mask hides: any finite number may stand there."""
DIGITS = 8
"""After the point; of four thousand weights."""


@cache
def example_scores() -> Tensor:
    """The worked example, `(5, 5)`."""
    rows = [[*map(math.log, wished), *ahead] for wished, ahead in zip(WISHED, AHEAD, strict=True)]
    return torch.tensor(rows, dtype=torch.float64)


@cache
def _model() -> Decoder:
    shipped = load()
    return Decoder.of(shipped.config, shipped.weights)


def _tokens() -> Tensor:
    return torch.tensor([encode(" ".join(WORDS))])  # (1, T + 1)


def head_scores(reference: Functions) -> Tensor:
    """The scores of every head of the trained model on the text, `(blocks, heads, T, T)`, nothing hidden yet."""
    model, found = _model(), []
    for index, h in enumerate(stream(model, _tokens()[:, :-1])[:-1]):
        q, k, _, angles = projections(model, index, h)
        turned = [reference.call("positions.apply_rope_half", x, angles) for x in (q, k)]
        keys = reference.call("heads.repeat_kv", turned[1], model.n_heads // model.n_kv_heads)
        found.append(reference.call("attention.attention_scores", turned[0], keys)[0])
    return torch.stack(found)


def _both(reference: Functions) -> dict[str, Tensor]:
    return {"example": example_scores(), "heads": head_scores(reference)}


def _mask(functions: Functions, _: Functions) -> Any:
    sizes = {"example": EXAMPLE, "heads": TEXT}
    return {source: functions.call("attention.causal_mask", size, size) for source, size in sizes.items()}


def _weights(functions: Functions, reference: Functions) -> Any:
    """By source, then with the mask and without; `ahead` is the share that the tokens ahead take without it."""
    found = {}
    for source, scores in _both(reference).items():
        size = scores.shape[-1]
        mask = reference.call("attention.causal_mask", size, size)
        causal = functions.call("attention.attention_weights", scores, mask)
        free = functions.call("attention.attention_weights", scores)
        ahead = (free * ~mask).sum(-1)
        found[source] = {"causal": _short(causal), "open": _short(free), "ahead": _short(ahead)}
    return found


def _entropy(functions: Functions, reference: Functions) -> Any:
    found = {}
    for source, scores in _both(reference).items():
        size = scores.shape[-1]
        masks = {"causal": reference.call("attention.causal_mask", size, size), "open": None}
        weights = {kind: reference.call("attention.attention_weights", scores, mask) for kind, mask in masks.items()}
        found[source] = {
            kind: _short(functions.call("attention.attention_entropy", each)) for kind, each in weights.items()
        }
    return found


def _short(numbers: Tensor) -> Tensor:
    return torch.round(numbers, decimals=DIGITS)


def _targets(functions: Functions, _: Functions) -> Any:
    _inputs, targets = functions.call("objective.shift_targets", _tokens())
    return targets[0]


def _logits_and_targets(reference: Functions) -> tuple[Tensor, Tensor]:
    model = _model()
    inputs, targets = reference.call("objective.shift_targets", _tokens())
    logits = reference.call("model.llama", inputs, model.weights, model.n_heads, model.n_kv_heads)
    return logits[0], targets[0]  # (T, V), (T,)


def _probability(functions: Functions, reference: Functions) -> Any:
    logits, targets = _logits_and_targets(reference)
    return functions.call("objective.softmax", logits).gather(-1, targets[:, None])[:, 0]


def _loss(functions: Functions, reference: Functions) -> Any:
    """Of each position, and the mean of a pass over five and over ten of them: the second repeats the first five."""
    logits, targets = _logits_and_targets(reference)

    def loss(first: int, end: int) -> Any:
        return functions.call("objective.cross_entropy", logits[first:end], targets[first:end])

    return {
        "each": [loss(place, place + 1) for place in range(TEXT)],
        "mean": {"example": loss(0, EXAMPLE), "heads": loss(0, TEXT)},
    }


def _given() -> Data:
    return {
        "words": list(WORDS),
        "ids": _tokens()[0],
        "positions": {"example": EXAMPLE, "heads": TEXT},
        "bounds": [math.log2(seen) for seen in range(1, TEXT + 1)],
    }


def _table(data: Data) -> Table:
    seen, entropy = data["mask"]["example"], data["entropy"]["example"]["causal"]
    loss = data["loss"]["each"]
    rows = [
        (
            f"{place} {WORDS[place]}",
            Number(int(seen[START][place]), 0),
            Number(data["weights"]["example"]["causal"][START][place]),
            Number(entropy[place]),
            Number(data["given"]["bounds"][place]),
            WORDS[place + 1],
            Number(data["targets"][place], 0),
            Number(data["probability"][place], 3),
            Number(loss[place], 3),
        )
        for place in range(EXAMPLE)
    ]
    mean = ("mean of all", "", "", "", "", "", "", "", Number(data["loss"]["mean"]["example"], 3))
    columns = (
        "position",
        f"seen from {START} (1) or hidden (0)",
        f"weight from {START}",
        "entropy (bits)",
        "at most (bits)",
        "next word",
        "its id",
        "its probability",
        "its loss (nats)",
    )
    return Table("The worked example, with the causal mask; the trained model's next words", columns, (*rows, mean))


def _said(data: Data) -> str:
    weights = data["weights"]["example"]["causal"][START][: START + 1]
    shares = ", ".join(f"{word} {real(weight):.2f}" for word, weight in zip(WORDS[: START + 1], weights, strict=True))
    return (
        f"Position {START}, \u201c{WORDS[START]}\u201d, sees {START + 1} of {EXAMPLE} tokens: {shares}. "
        f"Entropy {real(data['entropy']['example']['causal'][START]):.2f} bits, of at most "
        f"{real(data['given']['bounds'][START]):.2f} (log2 {START + 1}). "
        f"Next word \u201c{WORDS[START + 1]}\u201d: probability {real(data['probability'][START]):.3f}, "
        f"loss {real(data['loss']['each'][START]):.3f} nats."
    )


def _sources() -> tuple[tuple[str, str], ...]:
    heads = [
        (f"{block}.{head}", f"model: block {block}, head {head}") for block in range(BLOCKS) for head in range(HEADS)
    ]
    return (("example", "the worked example"), *heads)


PANEL = Panel(
    name="attention",
    title="What causal masking does to weights and entropy",
    lesson="attention",
    after="entropy-in-bits",
    intro="Each row of the map is a position, its cells the weights of the tokens that it reads; <s> begins a text. "
    "Point at a row, tap it or move the slider, and take the causal mask off to see what it does.",
    notice="Under the causal mask position i sees i + 1 tokens, so its entropy is at most log2(i + 1) bits: none at "
    "the first token, 2 at the fourth. Without the mask the tokens ahead take a share of the weight, and every row has "
    "one and the same bound: log2 5 = 2.32 bits for five tokens.",
    controls=(
        Slider("position", "Position", 0, TEXT - 1, 1, START),
        Choice("source", "Whose weights", _sources(), "example"),
        Toggle("mask", "Causal mask", True),
    ),
    parts=(
        Part("mask", ("attention.causal_mask",), _mask),
        Part("weights", ("attention.attention_weights",), _weights),
        Part("entropy", ("attention.attention_entropy",), _entropy),
        Part("targets", ("objective.shift_targets",), _targets),
        Part("probability", ("objective.softmax",), _probability),
        Part("loss", ("objective.cross_entropy",), _loss),
    ),
    table=_table,
    said=_said,
    guess=Guess(
        "Position 3 reads four tokens nearly evenly. Without the mask it reads all five: how many bits is its entropy "
        "then?",
        {"source": "example", "position": START, "mask": False},
    ),
    given=_given,
)
