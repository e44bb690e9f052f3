"""Panel: three ways to tell positions, score against distance, and what they do beyond the trained length."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import torch
from torch import Tensor

from grader.capstone.corpus import VOCABULARY
from grader.capstone.model import CONFIG, load
from grader.run.decoder import Decoder
from grader.run.functions import Functions
from grader.site.keep_record import kept
from grader.site.panels.model import Cell, Choice, Data, Guess, Number, Panel, Part, Slider, Table
from grader.site.panels.values import real
from reference.heads import repeat_kv
from reference.normalization import rms_norm

QUERY, KEY = "chases", "cat"
TRAINED = int(CONFIG["max_positions"])
LAST_TRAINED = TRAINED - 1
"""The last trained position, and the largest trained distance."""
LENGTH = 2 * TRAINED
QUERIES = tuple(range(19, LENGTH, 20))
HEADS = int(CONFIG["n_heads"])
WIDTH = int(CONFIG["d_model"]) // HEADS
SLOPES = ("1/4", "1/16", "1/64", "1/256")
START_QUERY, START_HEAD = QUERIES[-1], 0
ARMS = ("no positions", "sinusoidal", "RoPE", "ALiBi")
_DECIMALS = 7


@cache
def query_and_key() -> tuple[Tensor, Tensor]:
    """The two words in block 0 of the course's model, before any rotation: float64 `(H, K)` each."""
    shipped = load()
    model = Decoder.of(shipped.config, shipped.weights)
    block = model.block(0)

    def heads(word: str, projection: str) -> Tensor:
        state = model.weights["wte"][VOCABULARY.index(word)]  # (D,)
        return (block[projection] @ rms_norm(state, block["norm1.weight"], model.eps)).view(-1, model.head_width)

    key = heads(KEY, "attn.wk")[None, :, None]  # (1, Hkv, 1, K)
    return heads(QUERY, "attn.wq"), repeat_kv(key, model.n_heads // model.n_kv_heads)[0, :, 0]


def content() -> Tensor:
    """The scores without any positions, `(H,)`."""
    query, key = query_and_key()
    return (query * key).sum(-1) / math.sqrt(WIDTH)


def _at_every_position(vectors: Tensor) -> Tensor:
    return vectors[:, None].expand(HEADS, LENGTH, WIDTH)  # (H, T, K)


def _by_distance(scores: Tensor) -> dict[str, Any]:
    """`(H, T, T)`, query by key -> the scores of each query by distance, and how far they are from those at the mark.

    change: the largest difference from the query at the last trained position, over the distances that both have.
    """
    shown = {query: scores[:, query, : query + 1].flip(-1) for query in QUERIES}  # (H, query + 1) each
    mark = shown[LAST_TRAINED]
    change = []
    for row in shown.values():
        both = min(row.shape[1], mark.shape[1])
        change.append((row[:, :both] - mark[:, :both]).abs().amax(-1))
    return {"scores": [_short(row) for row in shown.values()], "change": change}


def _short(row: Tensor) -> list[Any]:
    """Fewer digits than other panels keep, because there are thousands of numbers."""
    rounded: list[Any] = torch.round(row.double(), decimals=_DECIMALS).tolist()
    return rounded


def _sinusoidal(functions: Functions, _: Functions) -> Any:
    table = functions.call("positions.sinusoidal_positions", LENGTH, WIDTH).double()  # (T, K)
    query, key = (_at_every_position(vectors) + table for vectors in query_and_key())
    scores = query @ key.transpose(-1, -2) / math.sqrt(WIDTH)  # (H, T, T)
    alone = table @ table.T / math.sqrt(WIDTH)  # (T, T)
    return {"added": _by_distance(scores), "alone": _by_distance(alone[None])}


def _angles(functions: Functions, _: Functions) -> Any:
    return functions.call("positions.rope_angles", torch.tensor(QUERIES), WIDTH)


def _rope(functions: Functions, reference: Functions) -> Any:
    angles = reference.call("positions.rope_angles", torch.arange(LENGTH), WIDTH)  # (T, K/2)
    query, key = (
        functions.call("positions.apply_rope_half", _at_every_position(vectors), angles) for vectors in query_and_key()
    )
    return _by_distance(query @ key.transpose(-1, -2) / math.sqrt(WIDTH))


def _alibi(functions: Functions, _: Functions) -> Any:
    bias = functions.call("positions.alibi_bias", HEADS, LENGTH, LENGTH)  # (H, T, T)
    return _by_distance(content()[:, None, None] + bias)


def _slopes(functions: Functions, _: Functions) -> Any:
    return functions.call("positions.alibi_slopes", HEADS)


def _given() -> Data:
    record = kept("length")
    rows = record["measured"]["summary"]
    return {
        "queries": QUERIES,
        "last_trained": LAST_TRAINED,
        "pairs": WIDTH // 2,
        "content": content(),
        "record": {
            "trained": record["settings"]["trained_length"],
            "loss": [[row["loss"] for row in rows if row["arm"] == arm] for arm in ARMS],
        },
    }


def _table(data: Data) -> Table:
    place, head = QUERIES.index(START_QUERY), START_HEAD
    given, sinusoidal, rope, alibi = data["given"], data["sinusoidal"], data["rope"], data["alibi"]

    def number(value: Any, digits: int = 3) -> Number:
        return Number(real(value), digits)

    changes = [sinusoidal["added"]["change"][place][head], sinusoidal["alone"]["change"][place][0]]
    changes += [rope["change"][place][head], alibi["change"][place][head]]
    rows: list[tuple[Cell, ...]] = [
        (f"most a score differs from that of query {LAST_TRAINED}", "", *(number(each, 4) for each in changes)),
        ("slope of the head", "", "", "", "", number(data["slopes"][head], 4)),
    ]
    for pair, angle in enumerate(data["angles"][place]):
        rows.append((f"angle of pair {pair} at the query", "", "", "", number(angle), ""))
    stretch = given["record"]["trained"]
    for step, losses in enumerate(zip(*given["record"]["loss"], strict=True)):
        none, table, rotated, biased = (number(loss) for loss in losses)
        rows.append((f"lab: loss at {stretch * step} to {stretch * (step + 1) - 1}", none, table, "", rotated, biased))
    for distance in range(START_QUERY + 1):
        scores = [given["content"][head], sinusoidal["added"]["scores"][place][head][distance]]
        scores += [sinusoidal["alone"]["scores"][place][0][distance], rope["scores"][place][head][distance]]
        scores += [alibi["scores"][place][head][distance]]
        rows.append((f"score at distance {distance}", *(number(score) for score in scores)))
    return Table(
        f"Query at position {START_QUERY}, head {head}",
        ("", "no positions", "sinusoidal", "sinusoidal, encodings alone", "RoPE", "ALiBi"),
        tuple(rows),
    )


def _said(data: Data) -> str:
    place, head = QUERIES.index(START_QUERY), START_HEAD
    sinusoidal, rope, alibi = (
        real(part["change"][place][head]) for part in (data["sinusoidal"]["added"], data["rope"], data["alibi"])
    )
    return (
        f"Query at position {START_QUERY}, head {head}. Against the query at {LAST_TRAINED}, a score at the same "
        f"distance differs by up to {sinusoidal:.4f} with the sinusoidal table, {rope:.4f} with RoPE and {alibi:.4f} "
        "with ALiBi."
    )


PANEL = Panel(
    name="positions",
    title="Scores against distance, and beyond the trained length",
    lesson="positions",
    after="alibi",
    intro=f"The query of \u201c{QUERY}\u201d and the key of \u201c{KEY}\u201d from block 0 of the course's model, put "
    "at every distance. Sinusoidal: the table's rows are added to both vectors. RoPE: both are turned. ALiBi: a bias "
    f"is added to the score. The model was trained on {TRAINED} positions, so no distance beyond {LAST_TRAINED} was "
    "ever trained.",
    notice="When both words move, no RoPE score and no ALiBi score changes: only the distance counts. It does not "
    "follow that a longer text works. In the lab's record RoPE's loss rises beyond the trained length as that of the "
    "sinusoidal table does; ALiBi's hardly moves.",
    controls=(
        Slider("query", "Position of the query", QUERIES[0], QUERIES[-1], 20, START_QUERY),
        Choice(
            "head",
            "Head",
            tuple((str(head), f"head {head}, slope {slope}") for head, slope in enumerate(SLOPES)),
            str(START_HEAD),
        ),
    ),
    parts=(
        Part("sinusoidal", ("positions.sinusoidal_positions",), _sinusoidal),
        Part("angles", ("positions.rope_angles",), _angles),
        Part("rope", ("positions.apply_rope_half",), _rope),
        Part("alibi", ("positions.alibi_bias",), _alibi),
        Part("slopes", ("positions.alibi_slopes",), _slopes),
    ),
    table=_table,
    said=_said,
    guess=Guess(
        "The query moves from 79 to 159, and its key with it. By how much does a RoPE score change at most?",
        {"query": 159},
    ),
    given=_given,
)
