"""The course's trained model, as the panels that show it at work use it."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from grader.capstone.corpus import START_TOKEN, VOCABULARY, encode
from grader.capstone.model import load
from grader.run.decoder import Decoder


@cache
def decoder() -> Decoder:
    """Its float64 weights, read once."""
    shipped = load()
    return Decoder.of(shipped.config, shipped.weights)


@cache
def config() -> dict[str, Any]:
    """All nine keys of its configuration."""
    return dict(load().config)


def story(text: str) -> Tensor:
    """The ids of a text `(1, T)`, with the mark that begins a story."""
    return torch.tensor([[START_TOKEN, *encode(text)]])


def vocabulary() -> list[str]:
    """The words in the order of their ids."""
    return list(VOCABULARY)
