"""The capstone's model as it is shipped: one safetensors file with its weights, configuration and vocabulary."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from grader.atomic import write_bytes
from grader.capstone.corpus import VOCABULARY
from grader.errors import GraderFault, UserError

SHIPPED = Path(__file__).resolve().parent / "weights.safetensors"

CONFIG: Mapping[str, Any] = {
    "family": "llama",
    "vocab": len(VOCABULARY),
    "d_model": 64,
    "n_blocks": 5,
    "n_heads": 4,
    "n_kv_heads": 2,
    "d_hidden": 128,
    "max_positions": 80,
    "tied": True,
}
"""All nine keys of a configuration. `max_positions` is the longest window that the model is trained on: RoPE needs no
table, but the model has never seen a further position."""

_FORMAT = "decoder-anatomy capstone 1"


@dataclass(frozen=True)
class TrainingRecord:
    """How the weights came about, and what they reach on the held-out windows. Losses are in nats a word."""

    seed: int
    steps: int
    words: int
    torch: str
    held_out_seed: int
    held_out_windows: int
    held_out_length: int
    held_out_loss: float
    oracle_loss: float
    entropy: float
    ngram_loss: float
    ngram_order: int


@dataclass(frozen=True)
class CapstoneModel:
    """A trained decoder: `config` with all nine keys, `weights` float32 as `reference.model.llama` takes them."""

    config: dict[str, Any]
    weights: dict[str, Tensor]
    vocabulary: tuple[str, ...]
    training: TrainingRecord


def shapes(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The name and shape of every weight of a tied llama, in the order in which they are drawn and stored."""
    width, hidden = config["d_model"], config["d_hidden"]
    kv_width = config["n_kv_heads"] * (width // config["n_heads"])
    block = {
        "norm1.weight": (width,),
        "attn.wq": (width, width),
        "attn.wk": (kv_width, width),
        "attn.wv": (kv_width, width),
        "attn.wo": (width, width),
        "norm2.weight": (width,),
        "mlp.w_gate": (hidden, width),
        "mlp.w_up": (hidden, width),
        "mlp.w_down": (width, hidden),
    }
    blocks = {f"blocks.{n}.{key}": shape for n in range(config["n_blocks"]) for key, shape in block.items()}
    return {"wte": (config["vocab"], width), **blocks, "norm_f.weight": (width,)}


def rounded(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The weights as they come back from the file: rounded to float16, in float32."""
    return {name: weight.detach().half().float() for name, weight in weights.items()}


def store(path: Path, config: Mapping[str, Any], weights: Mapping[str, Tensor], training: TrainingRecord) -> int:
    """Write a model as float16 safetensors, atomically, and return its size in bytes.

    Raises:
        UserError: the file cannot be written.
    """
    metadata = {
        "format": _FORMAT,
        "config": json.dumps(dict(config)),
        "vocabulary": json.dumps(VOCABULARY),
        "training": json.dumps(vars(training)),
    }
    return write_bytes(path, save({name: weight.detach().half() for name, weight in weights.items()}, metadata))


def load(path: Path | None = None) -> CapstoneModel:
    """Read the model that comes with the course, or another one that the training script wrote.

    Raises:
        GraderFault: the course's own file is missing, broken, or older than the grammar.
        UserError: the same of the file at `path`.
    """
    file = path or SHIPPED
    refusal = GraderFault if path is None else UserError
    mend = "Install decoder-anatomy again" if path is None else "Train it again with `python -m grader.capstone.train`"
    if not file.is_file():
        raise refusal(f"There is no model at {file}. {mend}.")
    try:
        return _read(file)
    except (SafetensorError, OSError, ValueError, KeyError, TypeError) as error:
        raise refusal(f"The model at {file} cannot be read: {error}. {mend}.") from error


def _read(file: Path) -> CapstoneModel:
    """Read and verify. Raises ValueError, KeyError or TypeError when a part of the file is not what it should be."""
    with safe_open(file, framework="pt") as stored:
        metadata = stored.metadata() or {}
        if metadata.get("format") != _FORMAT:
            raise ValueError(f"its format is {metadata.get('format')!r}, not {_FORMAT!r}")
        weights = {name: stored.get_tensor(name).to(torch.float32) for name in stored.keys()}  # noqa: SIM118
    config = json.loads(metadata["config"])
    vocabulary = tuple(json.loads(metadata["vocabulary"]))
    if vocabulary != VOCABULARY:
        raise ValueError("its vocabulary is not that of the grammar")
    expected = shapes(config)
    if {name: tuple(weight.shape) for name, weight in weights.items()} != expected:
        raise ValueError("its tensors do not have the names and shapes that its configuration asks for")
    ordered = {name: weights[name] for name in expected}
    return CapstoneModel(config, ordered, vocabulary, TrainingRecord(**json.loads(metadata["training"])))
