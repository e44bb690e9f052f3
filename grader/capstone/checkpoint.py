"""The state of a training run on disk: written whole or not at all, read back to the bit."""

import io
import pickle
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from grader.atomic import write_bytes
from grader.errors import UserError


@dataclass(frozen=True)
class Recipe:
    """What decides the numbers of a run. Two runs of one recipe on one machine give the same weights.

    A row of a batch is `length` words, `batch` rows make a step. `threads` is a part of it: sums are rounded in
    another order when they are shared out among more threads.
    """

    seed: int = 0
    steps: int = 1800
    batch: int = 16
    length: int = 80
    max_lr: float = 5e-3
    min_lr: float = 5e-5
    warmup_steps: int = 100
    max_norm: float = 1.0
    weight_decay: float = 0.01
    threads: int = 1


@dataclass(frozen=True)
class TrainingState:
    """A run after `step` steps. A step makes a new state and leaves the old one whole."""

    step: int
    parameters: dict[str, Tensor]
    optimizer: dict[str, Any]


def save(path: Path, recipe: Recipe, state: TrainingState) -> None:
    """Write a checkpoint. Raises UserError when the file cannot be written."""
    buffer = io.BytesIO()
    torch.save({"recipe": vars(recipe), "state": vars(state)}, buffer)
    write_bytes(path, buffer.getvalue())


def restore(path: Path, recipe: Recipe) -> TrainingState | None:
    """Read the checkpoint of this recipe, None when there is none.

    Only tensors and plain values are read, so a file from elsewhere can do no harm.

    Raises:
        UserError: the file is broken, or belongs to a run of another recipe.
    """
    if not path.exists():
        return None
    advice = "Go on with --fresh to begin again, or name another file with --checkpoint."
    try:
        content = torch.load(path, weights_only=True)
        theirs, state = Recipe(**content["recipe"]), TrainingState(**content["state"])
    except (OSError, RuntimeError, EOFError, KeyError, TypeError, ValueError, pickle.UnpicklingError) as error:
        raise UserError(f"The checkpoint {path} cannot be read. {advice}") from error
    different = [
        f"{name} {value} (now {vars(recipe)[name]})"
        for name, value in vars(theirs).items()
        if value != vars(recipe)[name]
    ]
    if different:
        raise UserError(f"The checkpoint {path} is of another run: {', '.join(different)}. {advice}")
    return state
