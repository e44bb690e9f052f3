"""Panel: what each block of the course's model adds to a text, seen through the logit lens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.judge.probe import Probe
from grader.run.functions import Functions
from grader.run.stages import inside, stream
from grader.site.panels.model import Cell, Data, Guess, Number, Panel, Part, Slider, Table
from grader.site.panels.reach import LENGTH, SPANS, TEXTS, held_out, mean_distance, narrowed
from grader.site.panels.storyteller import decoder, story, vocabulary
from grader.site.panels.values import real
from reference.heads import merge_heads

TEXT = (
    "the rabbits live with mia in the barn . "
    "one evening the rabbits that the mouse chases run into the forest . mia looks"
)
MOST = 5
"""So many of the most probable tokens are shown."""
N_BLOCKS = 5
AFTER_CLAUSE, AFTER_SENTENCE = 17, 22
"""Positions: what follows must agree with a noun across a clause; what follows is a name from the first sentence."""
START = AFTER_CLAUSE
LAST = 23
"""The last word that has a next one."""
STAGES = ("embedding", *(f"block {number}" for number in range(N_BLOCKS)))
PLACES = ("1st", "2nd", "3rd", "4th", "5th")


def tokens() -> Tensor:
    """The text with its mark of beginning, `(1, 25)`."""
    return story(TEXT)


def states() -> Tensor:
    """The stream after the embedding and after each block, `(6, T, D)`."""
    return torch.cat(stream(decoder(), tokens()))


def through_lens(functions: Functions, stream_: Tensor) -> Tensor:
    """`(..., D)` -> `(..., V)`: the distribution that the model would give if it ended here."""
    model = decoder()
    normed = functions.call("normalization.rms_norm", stream_, model.weights["norm_f.weight"], eps=model.eps)
    logits = functions.call("objective.unembed", normed, model.weights["wte"])
    return torch.as_tensor(functions.call("objective.softmax", logits))


def of_next(distributions: Tensor) -> Tensor:
    """`(S, T, V)` -> `(S, T-1)`: the probability of the token that really comes."""
    before, targets = distributions[:, :-1], tokens()[0, 1:]
    return before.gather(-1, targets.expand(before.shape[0], -1)[..., None])[..., 0]


def _lens(functions: Functions, _: Functions) -> Any:
    distributions = through_lens(functions, states())
    right = of_next(distributions)  # (6, T-1)
    before = distributions[:, :-1]  # (6, T-1, V)
    probabilities, top = before.sort(dim=-1, descending=True, stable=True)
    loss = -right.log()
    return {
        "top": top[..., :MOST],
        "probability": probabilities[..., :MOST],
        "rank": (before > right[..., None]).sum(-1) + 1,
        "of_next": right,
        "loss": loss,
        "mean_loss": loss.mean(-1),
    }


def _blocks(functions: Functions, reference: Functions) -> Any:
    """The losses after each block, given the reference's stream before it."""
    model, given = decoder(), states()
    positions = torch.arange(given.shape[1])
    after = [
        functions.call(
            "block.llama_block", given[index : index + 1], model.block(index), model.n_heads, model.n_kv_heads,
            positions, base=model.base, eps=model.eps,
        )
        for index in range(N_BLOCKS)
    ]  # fmt: skip
    return -of_next(through_lens(reference, torch.cat(after))).log()


def _attention(functions: Functions, _: Functions) -> Any:
    model, given = decoder(), states()
    added = []
    for index in range(N_BLOCKS):
        asked = _asked(index, given, "context")
        context = functions.call("attention.attention", *asked.args, **asked.kwargs)
        added.append(merge_heads(context)[0] @ model.block(index)["attn.wo"].T)
    return _relative(torch.stack(added), given)


def _network(functions: Functions, _: Functions) -> Any:
    given = states()
    asked = [_asked(index, given, "feed-forward network") for index in range(N_BLOCKS)]
    added = [functions.call("feedforward.swiglu", *each.args)[0] for each in asked]
    return _relative(torch.stack(added), given)


def _asked(index: int, given: Tensor, stage: str) -> Probe:
    """What the function of this stage of a block is given."""
    return next(each.probe for each in inside(decoder(), index, given[index : index + 1]) if each.name == stage)


def _relative(added: Tensor, given: Tensor) -> Tensor:
    """`(N, T, D)` -> `(N, T-1)`: the size of what is added, in terms of the stream before the block."""
    sizes: Tensor = added.norm(dim=-1) / given[:-1].norm(dim=-1)  # (N, T)
    return sizes[:, :-1]


def _distance(functions: Functions, _: Functions) -> Any:
    return {
        "text": mean_distance(functions, tokens())[:, 0, :-1],
        "held_out": mean_distance(functions, held_out()).mean((1, 2)),
    }


def _given() -> Mapping[str, Any]:
    return {"vocabulary": vocabulary(), "tokens": tokens()[0], "spans": list(SPANS), "stages": list(STAGES)}


def _table(data: Data) -> Table:
    at, lens = START, data["lens"]
    words = data["given"]["vocabulary"]

    def stages(values: Any, digits: int) -> tuple[Cell, ...]:
        return tuple(Number(values[stage][at], digits) for stage in range(len(STAGES)))

    def blocks(values: Any) -> tuple[Cell, ...]:
        return ("", *(Number(values[block][at]) for block in range(N_BLOCKS)))

    rows: list[tuple[Cell, ...]] = []
    for place, name in enumerate(PLACES):
        rows.append((f"{name} token", *(words[stage[at][place]] for stage in lens["top"])))
        rows.append((f"{name} probability", *(Number(stage[at][place], 3) for stage in lens["probability"])))
    rows += [
        (f"rank of {_quoted(data, at + 1)}", *stages(lens["rank"], 0)),
        ("its probability", *stages(lens["of_next"], 3)),
        ("its loss", *stages(lens["loss"], 2)),
        ("mean loss of the text", *(Number(value) for value in lens["mean_loss"])),
        ("its loss, by llama_block", *blocks(data["blocks"])),
        ("attention adds", *blocks(data["attention"])),
        ("network adds", *blocks(data["network"])),
        ("looks back, tokens", *blocks(data["distance"]["text"])),
        ("the same, held-out texts", "", *(Number(value) for value in data["distance"]["held_out"])),
    ]
    for column, span in enumerate(SPANS):
        rises = (Number(data["reach"][block][column], 3) for block in range(N_BLOCKS))
        rows.append((f"loss rises, last {span} only", "", *rises))
    return Table(f"After {_quoted(data, at)}, word {at}", ("", *STAGES), tuple(rows))


def _said(data: Data) -> str:
    at, lens = START, data["lens"]
    ranks = ", ".join(str(stage[at]) for stage in lens["rank"])
    first, last = real(lens["loss"][0][at]), real(lens["loss"][-1][at])
    return (
        f"After {_quoted(data, at)} comes {_quoted(data, at + 1)}. "
        f"Its rank after the embedding and each block: {ranks}. Its loss falls from {first:.2f} to {last:.2f} nats."
    )


def _quoted(data: Data, position: int) -> str:
    return f"\u201c{data['given']['vocabulary'][data['given']['tokens'][position]]}\u201d"


PANEL = Panel(
    name="blocks",
    title="What each block adds",
    lesson="model",
    after="one-pass",
    intro=(
        "The course's model reads a story. At the chosen word, the stream is read out as if the model ended there: "
        "final norm, unembedding and softmax after the embedding and after each of its blocks 0 to 4 (the logit lens). "
        f"How far each block reads was measured on {TEXTS} held-out texts of {LENGTH} words."
    ),
    notice=(
        "The mean loss falls with every block. On average attention looks 5 to 9 words back in all five; yet blocks 0, "
        "2 and 3 do as well when they see the last 16 words only, and blocks 1 and 4 do not. In larger models the "
        "deepest layers were found to attend farthest (GPT-2 small: Vig and Belinkov 2019); here block 1 needs the "
        "distance most."
    ),
    controls=(Slider("position", "Last word that was read", 0, LAST, 1, START),),
    parts=(
        Part("lens", ("normalization.rms_norm", "objective.unembed", "objective.softmax"), _lens),
        Part("blocks", ("block.llama_block",), _blocks),
        Part("attention", ("attention.attention",), _attention),
        Part("network", ("feedforward.swiglu",), _network),
        Part("distance", ("attention.attention_weights",), _distance),
        Part("reach", ("attention.sliding_window_mask",), narrowed),
    ),
    table=_table,
    said=_said,
    guess=Guess(
        "The sentence has ended, and the owner's name comes next. What probability does it have before the last block?",
        {"position": AFTER_SENTENCE},
    ),
    given=_given,
)
