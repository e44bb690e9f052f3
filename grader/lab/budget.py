"""An information budget: the shipped model when each query may read only a few of the keys before it."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from grader.capstone.corpus import windows
from grader.capstone.model import CapstoneModel, load
from grader.lab.experiment import Column, Findings, Listing, Progress, Row, find_experiment
from grader.lab.figure import Axis, Figure, Panel
from grader.lab.llama import logits
from grader.lab.rows import lines, pick, spread
from reference.attention import attention_scores, attention_weights, causal_mask
from reference.heads import repeat_kv
from reference.lab import retain
from reference.objective import cross_entropy

Keep = Callable[[Tensor], Tensor]
"""Scores `(B, H, T, T)` -> which keys each query may read: bool, broadcast to `(B, H, T, T)`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How many keys may be read, and on how much text that is measured."""

    budgets: tuple[int, ...] = (2, 4, 8, 16, 32, 64)
    sinks: int = 4
    """First keys that are kept beside the newest; half the budget where that is less."""
    length: int = 72
    """No longer than the windows that the model was trained on, or length would be a second cause."""
    rows: int = 64
    n_seeds: int = 3


FULL, RANDOM = "full attention", "random keys"
NEWEST, SINKS, HIGHEST = "newest keys", "first and newest keys", "highest scores"


def run(seed: int, progress: Progress, settings: Settings = Settings(), model: CapstoneModel | None = None) -> Findings:
    """Measure the loss on held-out text for every choice of keys and every budget; a seed is another text."""
    model = model or load()
    progress.begin((4 * len(settings.budgets) + 1) * settings.n_seeds)
    runs: list[Row] = []
    attention: list[Row] = []
    timing: list[Row] = []
    for number in range(settings.n_seeds):
        tokens = windows(seed + number, settings.rows, settings.length + 1, held_out=True)  # (B, T + 1)
        progress.stage(f"text {number + 1} of {settings.n_seeds}, full attention")
        full, first_shares = _full(tokens, model)
        attention += [
            {"seed": seed + number, "block": n, "share_of_first_key": share} for n, share in enumerate(first_shares)
        ]
        progress.advance(1)
        for budget in settings.budgets:
            runs.append({"keys": FULL, "budget": budget, "seed": seed + number, "loss": full})
            for name, keep in _policies(budget, seed + number, settings).items():
                progress.stage(f"text {number + 1} of {settings.n_seeds}, {name}, {budget} of {settings.length}")
                started = time.perf_counter()
                run: Row = {"keys": name, "budget": budget, "seed": seed + number}
                runs.append({**run, "loss": _loss(tokens, model, keep)})
                timing.append({**run, "seconds": round(time.perf_counter() - started, 3)})
                progress.advance(1)
    summary = _summary(runs, settings)
    return Findings(
        settings=asdict(settings)
        | {"seeds": [seed + n for n in range(settings.n_seeds)]}
        | {f"model_{key}": value for key, value in model.config.items()},
        measured={"summary": summary, "first_key": attention, "runs": runs},
        timing={"runs": timing},
        figure=_figure(summary, settings),
        listings=(_listing(summary), _attention_listing(attention)),
    )


def newest(length: int, budget: int, n_sink: int = 0) -> Tensor:
    """The first `n_sink` keys and the newest ones, `budget` in all, for each query: bool `(T, T)`."""
    return _by_score(torch.zeros(length, length), budget, n_sink, budget - n_sink)  # (T, T)


def at_random(length: int, budget: int, random: torch.Generator) -> Tensor:
    """The query's own key, and others drawn evenly from those before it: bool `(T, T)`."""
    return _by_score(torch.rand(length, length, generator=random), budget, 0, 1)  # (T, T)


def _by_score(scores: Tensor, budget: int, n_sink: int, n_recent: int) -> Tensor:
    kept = torch.zeros(scores.shape, dtype=torch.bool)  # (T, T)
    for query, row in enumerate(scores):
        kept[query, retain(row[: query + 1], budget, n_sink, n_recent)] = True
    return kept


def highest(scores: Tensor, budget: int) -> Tensor:
    """The keys that each query scores highest, as `retain` would choose them: `(..., T, T)` -> bool of that shape."""
    causal = causal_mask(*scores.shape[-2:])  # (T, T)
    order = scores.masked_fill(~causal, -torch.inf).argsort(dim=-1, descending=True, stable=True)  # (..., T, T)
    kept = torch.zeros(scores.shape, dtype=torch.bool)  # (..., T, T)
    return kept.scatter(-1, order[..., :budget], True) & causal  # (..., T, T)


def _policies(budget: int, seed: int, settings: Settings) -> dict[str, Keep]:
    length = settings.length
    fixed = {
        RANDOM: at_random(length, budget, torch.Generator().manual_seed(seed)),
        NEWEST: newest(length, budget),
        SINKS: newest(length, budget, min(settings.sinks, budget // 2)),
    }  # (T, T) each
    policies: dict[str, Keep] = {name: _always(mask) for name, mask in fixed.items()}
    return policies | {HIGHEST: lambda scores: highest(scores, budget)}


def _always(mask: Tensor) -> Keep:
    return lambda _: mask


def _full(tokens: Tensor, model: CapstoneModel) -> tuple[float, list[float]]:
    """The loss with all keys, and the mean weight of the first key in each block, over queries in the second half."""
    shares: list[float] = []

    def watch(scores: Tensor) -> Tensor:
        mask = causal_mask(*scores.shape[-2:])  # (T, T)
        weights = attention_weights(scores, mask)  # (B, H, T, T)
        shares.append(float(weights[..., scores.shape[-2] // 2 :, 0].mean()))
        return mask

    return _loss(tokens, model, watch), shares


def _loss(tokens: Tensor, model: CapstoneModel, keep: Keep) -> float:
    """Next-token loss in nats of `(B, T + 1)` tokens, when each query reads only what `keep` makes of its scores."""
    group = model.config["n_heads"] // model.config["n_kv_heads"]

    def attend(_: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        scores = attention_scores(q, repeat_kv(k, group))  # (B, H, T, T)
        return attention_weights(scores, keep(scores)) @ repeat_kv(v, group)  # (B, H, T, K)

    with torch.no_grad():
        return float(cross_entropy(logits(tokens[:, :-1], model.weights, model.config, attend), tokens[:, 1:]))


def _summary(runs: list[Row], settings: Settings) -> list[Row]:
    return [
        {
            "budget": budget,
            "share": budget / settings.length,
            "keys": name,
            **spread(pick(runs, keys=name, budget=budget), "loss").columns("loss"),
        }
        for budget in settings.budgets
        for name in (FULL, RANDOM, NEWEST, SINKS, HIGHEST)
    ]


def _figure(summary: list[Row], settings: Settings) -> Figure:
    return Figure(
        find_experiment("budget").question,
        f"The shipped model reads {settings.length} tokens; nothing is trained anew. First keys kept: "
        f"{settings.sinks}, or half the budget. Mean, lowest and "
        f"highest of {settings.n_seeds} texts of {settings.rows} rows.",
        (
            Panel(
                "Loss by budget",
                Axis(
                    f"keys that a query may read (of up to {settings.length})",
                    log=True,
                    ticks=settings.budgets,
                    falling=True,
                ),
                Axis("held-out loss (nats per word)"),
                lines(summary, "keys", "budget", "loss", (FULL,)),
            ),
        ),
    )


def _listing(summary: list[Row]) -> Listing:
    return Listing(
        "Held-out loss (nats per word)",
        (
            Column("budget", "keys read"),
            Column("keys", "which keys"),
            Column("loss", "loss", ".3f"),
            Column("loss_low", "lowest", ".3f"),
            Column("loss_high", "highest", ".3f"),
        ),
        summary,
    )


def _attention_listing(attention: list[Row]) -> Listing:
    return Listing(
        "Full attention: mean weight of the first key, over queries in the second half",
        (Column("seed", "seed"), Column("block", "block"), Column("share_of_first_key", "weight", ".4f")),
        attention,
    )
