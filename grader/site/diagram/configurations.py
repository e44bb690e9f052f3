"""The configurations that the diagram offers, as `count_parameters` takes them, and the symbols they give values to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from safetensors import safe_open

from grader.places import engine_folder

Config = Mapping[str, Any]
"""All nine keys of a configuration."""


@dataclass(frozen=True)
class Preset:
    """A model that can be chosen. tokens: how many of them are shown at first; about: one sentence on the model."""

    id: str
    name: str
    about: str
    config: Config
    tokens: int


GPT2_SMALL: Config = {
    "family": "gpt2",
    "vocab": 50257,
    "d_model": 768,
    "n_blocks": 12,
    "n_heads": 12,
    "n_kv_heads": 12,
    "d_hidden": 3072,
    "max_positions": 1024,
    "tied": True,
}
LLAMA_7B: Config = {
    "family": "llama",
    "vocab": 32000,
    "d_model": 4096,
    "n_blocks": 32,
    "n_heads": 32,
    "n_kv_heads": 32,
    "d_hidden": 11008,
    "max_positions": 2048,
    "tied": False,
}


@cache
def course_model() -> Config:
    """The configuration of the model that comes with the course, as its file states it: read without torch."""
    with safe_open(engine_folder() / "capstone" / "weights.safetensors", framework="numpy") as stored:
        config: dict[str, Any] = json.loads(stored.metadata()["config"])
    return config


@cache
def presets() -> tuple[Preset, ...]:
    """The three models, the course's own first."""
    return (
        Preset(
            "course",
            "The course's model",
            "A small LLaMA that was trained for this course: it runs on your own functions.",
            course_model(),
            16,
        ),
        Preset(
            "gpt2-small",
            "GPT-2 small",
            "LayerNorm, biases, a table of learned positions, and a feed-forward network of two matrices.",
            GPT2_SMALL,
            1024,
        ),
        Preset(
            "llama-7b",
            "LLaMA-7B",
            "RMSNorm, no biases, rotary positions, a gated network of three matrices, and an output matrix of its own.",
            LLAMA_7B,
            2048,
        ),
    )


def symbols(config: Config, tokens: int, *, batch: int = 1, bytes_per_value: int = 2) -> dict[str, int]:
    """The value of every symbol that shapes and sizes are written in."""
    heads = config["n_heads"]
    head_width = config["d_model"] // heads
    return {
        "B": batch,
        "T": tokens,
        "V": config["vocab"],
        "D": config["d_model"],
        "N": config["n_blocks"],
        "H": heads,
        "Hkv": config["n_kv_heads"] if config["family"] == "llama" else heads,
        "K": head_width,
        "K/2": head_width // 2,
        "F": config["d_hidden"],
        "Tmax": config["max_positions"],
        "b": bytes_per_value,
    }
