"""Small records and findings, so that most tests need no experiment, and a model of random weights."""

from collections.abc import Callable
from dataclasses import fields, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.capstone.corpus import VOCABULARY
from grader.capstone.model import CapstoneModel, TrainingRecord, shapes
from grader.lab import record, running
from grader.lab.experiment import EXPERIMENTS, Column, Experiment, Findings, Listing
from grader.lab.figure import Axis, Figure, Line, Panel
from grader.records import clock

SMALL = {
    "family": "llama",
    "vocab": len(VOCABULARY),
    "d_model": 16,
    "n_blocks": 2,
    "n_heads": 4,
    "n_kv_heads": 2,
    "d_hidden": 24,
    "max_positions": 64,
    "tied": True,
}


class Counted:
    """A progress that adds up what it is told."""

    def __init__(self) -> None:
        self.total, self.done = 0.0, 0.0
        self.stages: list[str] = []

    def begin(self, total: float) -> None:
        self.total = total

    def stage(self, words: str) -> None:
        self.stages.append(words)

    def advance(self, units: float) -> None:
        self.done += units


@pytest.fixture
def progress() -> Counted:
    return Counted()


@pytest.fixture(scope="session")
def model() -> CapstoneModel:
    """A model that nobody trained."""
    random = torch.Generator().manual_seed(7)
    weights = {
        name: torch.ones(shape) if len(shape) == 1 else torch.randn(shape, generator=random) * 0.3
        for name, shape in shapes(SMALL).items()
    }
    nothing = dict.fromkeys((field.name for field in fields(TrainingRecord)), 0)
    untrained = TrainingRecord(**nothing)  # type: ignore[arg-type]  # nobody reads it here
    return CapstoneModel(dict(SMALL), weights, VOCABULARY, untrained)


@pytest.fixture(scope="session")
def figure() -> Figure:
    """Two panels of a baseline with a band and one other line."""
    lines = (
        Line("pre-norm", (2, 8), (1.8274, 1.7649), (1.8, 1.75), (1.85, 1.78), baseline=True),
        Line("post-norm", (2, 8), (1.9, 2.4312)),
    )
    panel = Panel("Loss after training", Axis("blocks", log=True, ticks=(2, 8)), Axis("loss (nats)"), lines)
    return Figure(EXPERIMENTS[0].question, "Two seeds.", (panel, panel))


@pytest.fixture(scope="session")
def findings(figure: Figure) -> Findings:
    """What an experiment might have found; the numbers are those that the tests of the report speak of."""
    rows = [
        {"arm": "pre-norm", "depth": 2, "loss": 1.8274, "diverged": 0},
        {"arm": "pre-norm", "depth": 8, "loss": 1.7649, "diverged": 0},
        {"arm": "post-norm", "depth": 8, "loss": 2.4312, "diverged": None},
    ]
    columns = (Column("arm", "norm"), Column("depth", "blocks"), Column("loss", "loss", ".3f"))
    return Findings(
        settings={"depths": (2, 8), "steps": 80, "share": 0.25, "learning_rate": 3e-3},
        measured={"summary": rows},
        timing={"runs": [{"arm": "pre-norm", "seconds": 12.5}]},
        figure=figure,
        listings=(Listing("Loss (nats per word)", columns, rows),),
    )


@pytest.fixture
def keep(tmp_path: Path, findings: Findings) -> Callable[..., Path]:
    """Write a record, an hour later each time, and return its path."""
    hours = iter(range(24))

    def write(experiment: Experiment = EXPERIMENTS[0], folder: Path = tmp_path / "lab", **changes: Any) -> Path:
        made = clock.now() + timedelta(hours=next(hours))
        took = running.Took(3.21, 3.02)
        filled = running.content(experiment, 1, made, replace(findings, **changes), took, [])
        path = folder / f"{record.stem(made, experiment.name, 1)}.json"
        assert record.write_new(path, record.encode(filled))
        return path

    return write


@pytest.fixture
def at() -> datetime:
    return clock.now()
