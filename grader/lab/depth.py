"""Pre-norm against post-norm as the depth grows: small decoders, trained for the same few steps on the same text."""

import math
import time
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from grader.capstone.corpus import VOCABULARY, windows
from grader.lab.decoder import Decoder, Placement, train
from grader.lab.experiment import Column, Findings, Listing, Progress, Row, find_experiment
from grader.lab.figure import Axis, Figure, Mark, Panel
from grader.lab.rows import finite, lines, number, pick, spread


@dataclass(frozen=True, slots=True)
class Settings:
    """How large the models are and how long they learn. The learning rate is high on purpose: it parts the two."""

    depths: tuple[int, ...] = (2, 4, 8, 12)
    n_seeds: int = 3
    steps: int = 80
    warmup_steps: int = 40
    learning_rate: float = 3e-3
    batch: int = 8
    length: int = 32
    d_model: int = 32
    n_heads: int = 4
    d_hidden: int = 64
    held_out_rows: int = 128
    learned_fraction: float = 0.5
    """A run has learned if it closes this much of the gap between word frequencies and the best run."""


@dataclass(frozen=True, slots=True)
class _Arm:
    label: str
    norm: Placement
    warm: bool = False


_ARMS = (
    _Arm("pre-norm", "pre-norm"),
    _Arm("post-norm", "post-norm"),
    _Arm("post-norm with warm-up", "post-norm", warm=True),
)
BASELINES = (_ARMS[0].label,)


def run(seed: int, progress: Progress, settings: Settings = Settings()) -> Findings:
    """Train every arm at every depth from every seed and measure the loss on held-out text.

    A run is its own model seed and its own training text; the held-out text is the same for all.
    """
    progress.begin(sum(map(_work, settings.depths)) * len(_ARMS) * settings.n_seeds * settings.steps)
    held_out = windows(seed, settings.held_out_rows, settings.length + 1, held_out=True)  # (B, T + 1)
    runs: list[Row] = []
    timing: list[Row] = []
    for depth in settings.depths:
        for arm in _ARMS:
            for run_seed in range(seed, seed + settings.n_seeds):
                progress.stage(f"{arm.label}, {depth} blocks, seed {run_seed}")
                started = time.perf_counter()
                runs.append(_one(arm, depth, run_seed, held_out, settings, progress))
                seconds = time.perf_counter() - started
                timing.append({"arm": arm.label, "depth": depth, "seed": run_seed, "seconds": round(seconds, 3)})
    frequencies = _frequency_loss(seed, held_out, settings)
    summary = _summary(runs, frequencies, settings)
    return Findings(
        settings=asdict(settings) | {"seeds": [seed + n for n in range(settings.n_seeds)], "vocab": len(VOCABULARY)},
        measured={"summary": summary, "reference": [{"word_frequency_loss": frequencies}], "runs": runs},
        timing={"runs": timing},
        figure=_figure(summary, frequencies, settings),
        listings=(_listing(summary),),
    )


def _one(arm: _Arm, depth: int, seed: int, held_out: Tensor, settings: Settings, progress: Progress) -> Row:
    model = Decoder(len(VOCABULARY), settings.d_model, settings.n_heads, settings.d_hidden, depth, arm.norm)
    weights = model.init(seed)
    text = windows(seed, settings.batch * settings.steps, settings.length + 1)  # (steps * B, T + 1)
    batches = torch.split(text, settings.batch)
    gradient = _first_block_gradient(model, weights, batches[0])
    losses = []
    warmup = settings.warmup_steps if arm.warm else 0
    for loss in train(model, weights, batches.__getitem__, settings.steps, settings.learning_rate, warmup):
        losses.append(loss)
        progress.advance(_work(depth))
    if len(losses) < settings.steps:
        progress.advance(_work(depth) * (settings.steps - len(losses)))
    with torch.no_grad():
        held_out_loss = float(model.loss(held_out, weights))
    return {
        "arm": arm.label,
        "depth": depth,
        "seed": seed,
        "first_loss": finite(losses[0]),
        "highest_loss": finite(max(losses)),
        "loss": finite(held_out_loss),
        "first_block_gradient": finite(gradient),
        "diverged": not math.isfinite(held_out_loss) or held_out_loss > losses[0],
    }


def _work(depth: int) -> int:
    return depth + 2  # one step; the embedding, the loss and the optimizer cost about as much as two blocks


def _first_block_gradient(model: Decoder, weights: dict[str, Tensor], tokens: Tensor) -> float:
    """The 2-norm of the loss's gradient in all weights of block 0, before any step."""
    block = [weight.requires_grad_() for key, weight in weights.items() if key.startswith("0.")]
    gradients = torch.autograd.grad(model.loss(tokens, weights), block)
    return float(torch.linalg.vector_norm(torch.cat([gradient.flatten() for gradient in gradients])))


def _frequency_loss(seed: int, held_out: Tensor, settings: Settings) -> float:
    """The loss of a model that knows how frequent each word is and nothing else: where a stuck model stays."""
    text = windows(seed, settings.batch * settings.steps, settings.length + 1)  # (steps * B, T + 1)
    counts = torch.bincount(text[:, 1:].flatten(), minlength=len(VOCABULARY)).double() + 1  # (V,)
    log_shares = (counts / counts.sum()).log()  # (V,)
    return float(-log_shares[held_out[:, 1:]].mean())


def _summary(runs: list[Row], frequencies: float, settings: Settings) -> list[Row]:
    losses = [loss for run in runs if (loss := number(run, "loss")) is not None]
    enough = frequencies - settings.learned_fraction * (frequencies - min(losses, default=frequencies))
    rows: list[Row] = []
    for depth in settings.depths:
        for arm in _ARMS:
            mine = pick(runs, arm=arm.label, depth=depth)
            learned = [loss for run in mine if (loss := number(run, "loss")) is not None and loss < enough]
            rows.append(
                {
                    "depth": depth,
                    "arm": arm.label,
                    **spread(mine, "loss").columns("loss"),
                    "learned": len(learned),
                    "diverged": len(pick(mine, diverged=True)),
                    "runs": len(mine),
                    **spread(mine, "first_block_gradient").columns("first_block_gradient"),
                }
            )
    return rows


def _figure(summary: list[Row], frequencies: float, settings: Settings) -> Figure:
    cold = [row for arm in _ARMS if not arm.warm for row in pick(summary, arm=arm.label)]  # no step is taken yet
    depth = Axis("blocks", log=True, ticks=settings.depths)
    return Figure(
        find_experiment("depth").question,
        f"{settings.d_model} wide, {settings.steps} steps of Adam at learning rate {settings.learning_rate:g}, no "
        f"warm-up unless said ({settings.warmup_steps} steps). Mean, lowest and highest of {settings.n_seeds} seeds.",
        (
            Panel(
                "Loss after training",
                depth,
                Axis("held-out loss (nats per word)"),
                lines(summary, "arm", "depth", "loss", BASELINES),
                (Mark("word frequencies alone", y=frequencies),),
            ),
            Panel(
                "Gradient before training",
                depth,
                Axis("gradient norm of the first block (nats)"),
                lines(cold, "arm", "depth", "first_block_gradient", BASELINES),
            ),
        ),
    )


def _listing(summary: list[Row]) -> Listing:
    return Listing(
        "Held-out loss (nats per word) and the gradient norm of the first block before training",
        (
            Column("depth", "blocks"),
            Column("arm", "norm"),
            Column("loss", "loss", ".3f"),
            Column("loss_low", "lowest", ".3f"),
            Column("loss_high", "highest", ".3f"),
            Column("learned", "learned"),
            Column("diverged", "diverged"),
            Column("runs", "of runs"),
            Column("first_block_gradient", "gradient", ".4f"),
        ),
        summary,
    )
