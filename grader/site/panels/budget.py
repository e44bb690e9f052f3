"""Panel: an information budget: which words a later query may still read, and what that costs the course's model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import torch
from torch import Tensor

from grader.capstone.corpus import VOCABULARY, encode, windows
from grader.capstone.model import load
from grader.lab.llama import logits
from grader.run.decoder import Decoder
from grader.run.functions import Functions
from grader.site.panels.model import Cell, Data, Guess, Number, Panel, Part, Slider, Table
from reference.attention import attention_scores, attention_weights, causal_mask
from reference.heads import repeat_kv
from reference.lab import retain

TILES, FOLLOWING = 24, 27
TEXT = (
    "<s> a girl named mia lives in the barn and has a mouse . one evening the mouse that the dog chases hides behind "
    "the mill . mia looks for the mouse in the barn . at last it hears mia and runs home . "
    "mia laughs and calls the mouse ."
)
BUDGETS, SINKS, RECENT = tuple(range(0, TILES + 1, 2)), tuple(range(5)), tuple(range(0, 9, 2))
START_BUDGET, START_SINKS, START_RECENT = 8, 0, 0
OTHER_TEXTS = 16
SINK, NEW, BOTH, SCORE, OUT = "s", "r", "b", "x", "."
"""Why a tile is kept: it is one of the first, of the last, both, has a high score; or it is not kept."""
_DECIMALS = 7


@dataclass(frozen=True)
class Setting:
    """A budget and how much of it is reserved."""

    budget: int
    sinks: int
    recent: int

    @property
    def refused(self) -> bool:
        """Whether more is reserved than there is."""
        return self.sinks + self.recent > self.budget

    def kept(self, scores: Tensor) -> tuple[int, ...]:
        """The tiles that the reference keeps."""
        return tuple(retain(scores, self.budget, self.sinks, self.recent).tolist())

    def reasons(self, scores: Tensor) -> str:
        """One character for each tile."""
        kept = self.kept(scores)
        return "".join(self._reason(tile) if tile in kept else OUT for tile in range(TILES))

    def _reason(self, tile: int) -> str:
        first, last = tile < self.sinks, tile >= TILES - self.recent
        return BOTH if first and last else SINK if first else NEW if last else SCORE


SETTINGS = [[[Setting(budget, sinks, recent) for recent in RECENT] for sinks in SINKS] for budget in BUDGETS]
"""By budget, sinks and recent tiles."""


@cache
def _model() -> tuple[Decoder, dict[str, Any]]:
    shipped = load()
    return Decoder.of(shipped.config, shipped.weights), shipped.config


def tokens() -> Tensor:
    """The tiles and the words that follow, `(1, 24 + 28)`: the first of those is read, the other 27 are foretold."""
    return torch.tensor([encode(TEXT)])


@dataclass(frozen=True)
class Read:
    """The tiles once they were read with full attention: what each received, and the keys and values of each block."""

    received: Tensor
    """The sum of a tile's weights over all queries up to the last tile, as a mean over heads and blocks: `(24,)`."""
    cache: list[tuple[Tensor, Tensor]]
    """`(1, H, 24, K)` each."""


def read(text: Tensor) -> Read:
    """Read the tiles of a text, `(1, T)` tokens."""
    model, config = _model()
    received = torch.zeros(TILES, dtype=torch.float64)
    cache: list[tuple[Tensor, Tensor]] = []

    def attend(_: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        k, v = _for_every_head(k), _for_every_head(v)
        cache.append((k, v))
        weights = attention_weights(attention_scores(q, k), causal_mask(TILES, TILES))  # (1, H, 24, 24)
        received.add_(weights.mean(1).sum((0, 1)) / model.n_blocks)
        return weights @ v  # (1, H, 24, K)

    logits(text[:, :TILES], model.weights, config, attend)
    return Read(received, cache)


def losses(text: Tensor, tiles: Read, kept: list[tuple[int, ...]]) -> Tensor:
    """The loss of each of the 27 words when they can read only some of the tiles, `(len(kept), 27)`."""
    model, config = _model()
    seen = causal_mask(FOLLOWING, TILES + FOLLOWING).repeat(len(kept), 1, 1, 1)  # (B, 1, 27, 24 + 27)
    for row, stay in enumerate(kept):
        seen[row, 0, :, [tile for tile in range(TILES) if tile not in stay]] = False

    def attend(block: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        k, v = (
            torch.cat([old.expand(len(kept), -1, -1, -1), _for_every_head(new)], dim=2)
            for old, new in zip(tiles.cache[block], (k, v), strict=True)
        )  # (B, H, 24 + 27, K) each
        return attention_weights(attention_scores(q, k), seen) @ v  # (B, H, 27, K)

    later = text[:, TILES:].expand(len(kept), -1)  # (B, 28)
    scores = logits(later[:, :-1], model.weights, config, attend, first_position=TILES)  # (B, 27, V)
    return -scores.log_softmax(-1).gather(-1, later[:, 1:, None]).squeeze(-1)


def _for_every_head(x: Tensor) -> Tensor:
    model, _ = _model()
    return repeat_kv(x, model.n_heads // model.n_kv_heads)


@cache
def _measured() -> tuple[list[tuple[int, ...]], Tensor]:
    """Every set of tiles that a setting keeps, all tiles first, and the losses with each."""
    tiles = read(tokens())
    sets = list(dict.fromkeys([tuple(range(TILES)), *(setting.kept(tiles.received) for setting in allowed())]))
    return sets, losses(tokens(), tiles, sets)


def allowed() -> list[Setting]:
    """The settings that `retain` does not refuse."""
    return [each for by_sinks in SETTINGS for by_recent in by_sinks for each in by_recent if not each.refused]


@cache
def _elsewhere() -> dict[Setting, float]:
    """How much the loss grows, in the mean of other texts."""
    settings = allowed()
    grown = torch.zeros(len(settings), dtype=torch.float64)
    for text in windows(0, OTHER_TEXTS, TILES + FOLLOWING + 1, held_out=True)[:, None]:
        tiles = read(text)
        kept = [setting.kept(tiles.received) for setting in settings]
        sets = list(dict.fromkeys([tuple(range(TILES)), *kept]))
        means = losses(text, tiles, sets).mean(-1)  # (sets,)
        grown += means[[sets.index(each) for each in kept]] - means[0]
    return dict(zip(settings, (grown / OTHER_TEXTS).tolist(), strict=True))


def _retain(functions: Functions, _: Functions) -> Any:
    scores = read(tokens()).received

    def kept(each: Setting) -> str | None:
        if each.refused:
            return None
        found = functions.call("lab.retain", scores, each.budget, each.sinks, each.recent)
        if found.dim() != 1 or found.is_floating_point() or found.dtype == torch.bool:
            raise TypeError("indices are a row of whole numbers")
        return " ".join(str(tile) for tile in found.tolist())

    return [[[kept(each) for each in by_recent] for by_recent in by_sinks] for by_sinks in SETTINGS]


def _given() -> Data:
    scores = read(tokens()).received
    sets, by_word = _measured()

    def everywhere(find: Any) -> list[Any]:
        return [
            [[None if each.refused else find(each) for each in by_recent] for by_recent in by_sinks]
            for by_sinks in SETTINGS
        ]

    means = by_word.mean(-1)  # (sets,)
    words = [VOCABULARY[token] for token in tokens()[0].tolist()]
    return {
        "tiles": words[:TILES],
        "following": words[TILES + 1 :],
        "scores": scores,
        "reasons": everywhere(lambda each: each.reasons(scores)),
        "set": everywhere(lambda each: sets.index(each.kept(scores))),
        "losses": [[_short(loss) for loss in row] for row in by_word.tolist()],
        "grown": [[round(more, 2) for more in row] for row in (by_word - by_word[0]).tolist()],
        "means": [_short(mean) for mean in means.tolist()],
        "more": [_short(more) for more in (means - means[0]).tolist()],
        "elsewhere": everywhere(lambda each: _short(_elsewhere()[each])),
    }


def _short(value: float) -> float:
    """Fewer digits than other panels keep; what is only rounding is 0."""
    return round(value, _DECIMALS) + 0.0


def _place() -> tuple[int, int, int]:
    return BUDGETS.index(START_BUDGET), SINKS.index(START_SINKS), RECENT.index(START_RECENT)


def _table(data: Data) -> Table:
    budget, sinks, recent = _place()
    given, kept = data["given"], data["retain"][budget][sinks][recent].split()
    row = given["set"][budget][sinks][recent]
    rows: list[tuple[Cell, ...]] = [
        ("mean loss", "", "", Number(given["means"][0], 3), Number(given["means"][row], 3)),
        ("more, mean of 16 other texts", "", "", "", Number(given["elsewhere"][budget][sinks][recent], 3)),
    ]
    for tile, (word, score) in enumerate(zip(given["tiles"], given["scores"], strict=True)):
        rows.append((f"tile {tile}: {word}", Number(score), Number(int(str(tile) in kept), 0), "", ""))
    for number, word in enumerate(given["following"]):
        before, now = given["losses"][0][number], given["losses"][row][number]
        rows.append((f"word {TILES + 1 + number}: {word}", "", "", Number(before), Number(now)))
    return Table(
        f"Budget {START_BUDGET}, {START_SINKS} sinks, {START_RECENT} recent",
        ("", "attention received", "kept", "loss, all tiles", "loss, these tiles"),
        tuple(rows),
    )


def _said(data: Data) -> str:
    budget, sinks, recent = _place()
    given = data["given"]
    reasons = given["reasons"][budget][sinks][recent]
    row = given["set"][budget][sinks][recent]
    return (
        f"{TILES - reasons.count(OUT)} of {TILES} tiles stay: {reasons.count(SINK) + reasons.count(BOTH)} as sinks, "
        f"{reasons.count(NEW)} as recent, {reasons.count(SCORE)} by score. The loss on the words that follow is "
        f"{given['means'][row]:.2f} nats, {given['more'][row]:.2f} more than with all tiles; "
        f"in the mean of {OTHER_TEXTS} other texts {given['elsewhere'][budget][sinks][recent]:.2f} more."
    )


PANEL = Panel(
    name="budget",
    title="A budget of words",
    lesson="lab",
    after="an-information-budget",
    intro="The course's model has read the 24 words of the tiles (<s> begins a text). Only some of their keys and "
    "values stay for the words that follow. A tile's score is the attention it has received: its weight from all "
    "queries up to the last tile, added up, as a mean over heads and blocks.",
    notice="With 8 tiles the highest scores alone cost the most. They favour the first words, which every query has "
    "read, and forget the newest. Recent tiles beside them cost less, here and in the mean of other texts. Sinks "
    "change little: the first words have the highest scores anyway.",
    controls=(
        Slider("budget", "Budget", BUDGETS[0], BUDGETS[-1], 2, START_BUDGET, "tiles"),
        Slider("sinks", "Sinks", SINKS[0], SINKS[-1], 1, START_SINKS),
        Slider("recent", "Recent", RECENT[0], RECENT[-1], 2, START_RECENT),
    ),
    parts=(Part("retain", ("lab.retain",), _retain),),
    table=_table,
    said=_said,
    guess=Guess(
        "With 8 tiles, all of them the most recent: by how many nats does the loss grow?",
        {"budget": 8, "sinks": 0, "recent": 8},
    ),
    given=_given,
)
