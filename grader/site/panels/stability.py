"""Panel: how pre-norm and post-norm decoders train as they grow deeper, from a record of the lab."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from grader.site.keep_record import kept
from grader.site.panels.model import Data, Guess, Number, Panel, Slider, Table
from grader.site.panels.values import real

START = 3
"""The place of the deepest models among the depths."""


def shown_of(record: Mapping[str, Any]) -> Data:
    """What the panel shows of a record of the lab's experiment `depth`; whose record it is makes no difference.

    by_depth: for each depth the rows of the summary, one an arm, each with its runs.
    """
    settings, measured = record["settings"], record["measured"]
    arms = list(dict.fromkeys(row["arm"] for row in measured["summary"]))
    columns = ("loss", "loss_low", "loss_high", "learned", "first_block_gradient")
    by_depth = [
        [
            {
                **{column: row[column] for column in columns},
                "runs": [
                    {key: run[key] for key in ("seed", "loss", "first_block_gradient")}
                    for run in measured["runs"]
                    if run["depth"] == depth and run["arm"] == row["arm"]
                ],
            }
            for row in measured["summary"]
            if row["depth"] == depth
        ]
        for depth in settings["depths"]
    ]
    return {
        "depths": settings["depths"],
        "arms": arms,
        "seeds": settings["n_seeds"],
        "steps": settings["steps"],
        "word_frequency_loss": measured["reference"][0]["word_frequency_loss"],
        "by_depth": by_depth,
    }


def _table(data: Data) -> Table:
    given = data["given"]
    seeds = given["seeds"]
    rows = [
        (
            arm,
            *(_cell(run["loss"]) for run in row["runs"]),
            _cell(row["loss"]),
            _cell(row["learned"], 0),
            _cell(row["first_block_gradient"]),
        )
        for arm, row in zip(given["arms"], given["by_depth"][START], strict=True)
    ]
    alone = ("word frequencies alone", *[""] * seeds, _cell(given["word_frequency_loss"]), "", "")
    names = [f"loss, seed {run['seed']}" for run in given["by_depth"][START][0]["runs"]]
    columns = ("order", *names, "mean loss", f"learned, of {seeds}", "gradient of the first block before training")
    caption = f"{given['depths'][START]} blocks, after {given['steps']} steps: held-out loss in nats a word"
    return Table(caption, columns, (*rows, alone))


def _cell(value: float | None, digits: int = 3) -> Number | str:
    return "not finite" if value is None else Number(value, digits)


def _said(data: Data) -> str:
    given = data["given"]
    told = "; ".join(
        f"{arm} {_loss(row['loss'])} ({row['learned']} of {given['seeds']} learned)"
        for arm, row in zip(given["arms"], given["by_depth"][START], strict=True)
    )
    return (
        f"At {given['depths'][START]} blocks, mean loss after {given['steps']} steps: {told}. "
        f"Word frequencies alone give {_loss(given['word_frequency_loss'])}."
    )


def _loss(value: float | None) -> str:
    return "not finite" if value is None else f"{real(value):.2f}"


PANEL = Panel(
    name="stability",
    title="Pre-norm and post-norm as a decoder grows deeper",
    lesson="block",
    after="the-identity-path",
    intro="A record of the lab: small decoders of 2, 4, 8 and 12 blocks, three seeds each, trained alike for 80 steps "
    "at a learning rate that is high on purpose, 0.003. A run has learned if it closes half of the gap between word "
    "frequencies alone and the best run. “anatomy lab depth” makes a record of your own.",
    notice="Before training the gradient of the first block is about as large in one order as in the other, at every "
    "depth: nothing has vanished. Yet after training pre-norm has learned at every depth, while post-norm, as good at "
    "2 blocks, knows no more than word frequencies at 12; here a warm-up of 40 steps does not save it.",
    controls=(Slider("depth", "Depth", 0, 3, 1, START),),
    parts=(),
    table=_table,
    said=_said,
    guess=Guess("Three post-norm models of 8 blocks had a warm-up. How many of them learned?", {"depth": 2}, digits=0),
    given=lambda: shown_of(kept("depth")),
)
