"""Positions beyond the trained length: four decoders that differ only in how they are told the order of tokens."""

import time
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from grader.capstone.corpus import VOCABULARY, windows
from grader.lab.decoder import Decoder, Positions, train
from grader.lab.experiment import Column, Findings, Listing, Progress, Row, find_experiment
from grader.lab.figure import Axis, Figure, Mark, Panel
from grader.lab.rows import finite, lines, pick, spread


@dataclass(frozen=True, slots=True)
class Settings:
    """The trained length, how far beyond it is measured, and how long the models learn."""

    trained_length: int = 32
    multiples: int = 8
    """The longest measured sequence, in trained lengths; each of them is one row of the table."""
    n_seeds: int = 3
    steps: int = 250
    warmup_steps: int = 20
    learning_rate: float = 3e-3
    batch: int = 16
    n_blocks: int = 2
    d_model: int = 32
    n_heads: int = 4
    d_hidden: int = 64
    held_out_rows: int = 64
    skipped: int = 64
    """A window starts this many words into its text at most, so that stories begin at every position."""


@dataclass(frozen=True, slots=True)
class _Arm:
    label: str
    positions: Positions


_ARMS = (
    _Arm("no positions", "none"),
    _Arm("sinusoidal", "sinusoidal"),
    _Arm("RoPE", "rope"),
    _Arm("ALiBi", "alibi"),
)
BASELINES = (_ARMS[0].label,)
_ROWS_AT_ONCE = 8  # the attention maps of long sequences are what takes memory


def run(seed: int, progress: Progress, settings: Settings = Settings()) -> Findings:
    """Train every arm from every seed at one length, and measure the loss by position far beyond it."""
    progress.begin(len(_ARMS) * settings.n_seeds * settings.steps)
    longest = settings.trained_length * settings.multiples
    held_out = _crops(seed, settings.held_out_rows, longest + 1, settings.skipped, held_out=True)  # (B, 8 T + 1)
    runs: list[Row] = []
    timing: list[Row] = []
    for arm in _ARMS:
        for run_seed in range(seed, seed + settings.n_seeds):
            progress.stage(f"{arm.label}, seed {run_seed}")
            started = time.perf_counter()
            losses = _losses_by_length(arm, run_seed, held_out, settings, progress)
            timing.append({"arm": arm.label, "seed": run_seed, "seconds": round(time.perf_counter() - started, 3)})
            runs += [
                {
                    "arm": arm.label,
                    "seed": run_seed,
                    "multiple": multiple,
                    "first_position": (multiple - 1) * settings.trained_length,
                    "last_position": multiple * settings.trained_length - 1,
                    "loss": finite(loss),
                }
                for multiple, loss in enumerate(losses, start=1)
            ]
    summary: list[Row] = [
        {
            "arm": arm.label,
            "multiple": multiple,
            "up_to": multiple * settings.trained_length,
            **spread(pick(runs, arm=arm.label, multiple=multiple), "loss").columns("loss"),
        }
        for arm in _ARMS
        for multiple in range(1, settings.multiples + 1)
    ]
    return Findings(
        settings=asdict(settings) | {"seeds": [seed + n for n in range(settings.n_seeds)], "vocab": len(VOCABULARY)},
        measured={"summary": summary, "runs": runs},
        timing={"runs": timing},
        figure=_figure(summary, settings),
        listings=(_listing(summary, settings),),
    )


def _losses_by_length(arm: _Arm, seed: int, held_out: Tensor, settings: Settings, progress: Progress) -> list[float]:
    """The mean loss in each stretch of one trained length, the first one being that of the training."""
    model = Decoder(
        len(VOCABULARY),
        settings.d_model,
        settings.n_heads,
        settings.d_hidden,
        settings.n_blocks,
        positions=arm.positions,
    )
    weights = model.init(seed)
    text = _crops(seed, settings.batch * settings.steps, settings.trained_length + 1, settings.skipped)
    batches = torch.split(text, settings.batch)
    for _ in train(model, weights, batches.__getitem__, settings.steps, settings.learning_rate, settings.warmup_steps):
        progress.advance(1)
    with torch.no_grad():
        by_position = torch.cat(
            [_losses(model, weights, rows) for rows in torch.split(held_out, _ROWS_AT_ONCE)]
        )  # (B, 8 T)
    stretches = by_position.double().mean(0).reshape(settings.multiples, settings.trained_length).mean(1)  # (8,)
    losses: list[float] = stretches.tolist()
    return losses


def _losses(model: Decoder, weights: dict[str, Tensor], tokens: Tensor) -> Tensor:
    """The loss of every single target, `(B, T + 1)` tokens -> `(B, T)` nats."""
    log_probabilities = model.logits(tokens[:, :-1], weights).log_softmax(-1)  # (B, T, V)
    return -log_probabilities.gather(-1, tokens[:, 1:, None]).squeeze(-1)  # (B, T)


def _crops(seed: int, rows: int, length: int, skipped: int, *, held_out: bool = False) -> Tensor:
    """Windows `(rows, length)` int64 that start anywhere in a story, not only at its first word.

    Otherwise a position would tell how far the story has come, and later ones would hold words that were never trained.
    """
    text = windows(seed, rows, length + skipped, held_out=held_out)  # (rows, length + skipped)
    starts = torch.randint(skipped + 1, (rows, 1), generator=torch.Generator().manual_seed(seed))  # (rows, 1)
    return text.gather(1, starts + torch.arange(length))  # (rows, length)


def _figure(summary: list[Row], settings: Settings) -> Figure:
    stretch = settings.trained_length
    ticks = tuple(stretch * multiple for multiple in range(1, settings.multiples + 1))
    return Figure(
        find_experiment("length").question,
        f"Trained on {stretch} tokens: {settings.n_blocks} blocks, {settings.d_model} wide, {settings.steps} steps. "
        f"Each point is the mean over {stretch} positions; mean, lowest and highest of {settings.n_seeds} seeds.",
        (
            Panel(
                "Loss by position",
                Axis("position, up to (tokens)", ticks=ticks),
                Axis("held-out loss (nats per word)"),
                lines(summary, "arm", "up_to", "loss", BASELINES),
                (Mark("trained up to here", x=stretch),),
            ),
        ),
    )


def _listing(summary: list[Row], settings: Settings) -> Listing:
    return Listing(
        f"Held-out loss (nats per word) in each stretch of {settings.trained_length} positions",
        (
            Column("arm", "positions told by"),
            Column("up_to", "up to position"),
            Column("multiple", "trained lengths"),
            Column("loss", "loss", ".3f"),
            Column("loss_low", "lowest", ".3f"),
            Column("loss_high", "highest", ".3f"),
        ),
        summary,
    )
