"""The training itself, with the course's own functions: begin, step, and measure."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

from grader.capstone import corpus
from grader.capstone.checkpoint import Recipe, TrainingState
from grader.capstone.model import shapes
from reference.model import llama
from reference.training import adamw_step, clip_gradients, cosine_lr, sequence_loss

# A run may have this many steps before its windows become those of the next seed.
_SEEDS_APART = 1_000_000
_EVALUATION_ROWS = 32
_GPT2_WIDTH = 768


def initial_weights(config: Mapping[str, Any], seed: int) -> dict[str, Tensor]:
    """Draw the weights with which the training of a tied llama begins, by the rule of `init_gpt2` at this width.

    Matrices and the table are normal with standard deviation `s = 0.02 sqrt(768 / D)`; the two matrices of each block
    that write to the residual stream, `attn.wo` and `mlp.w_down`, have `s / sqrt(2N)`. Gains are 1. GPT-2's own 0.02
    goes with a width of 768; at a width of 64 it makes attention and logits so flat that training begins slowly.

    Args:
        config: all nine keys, family llama, tied.
        seed: the same seed gives the same weights; the global random state is neither read nor changed.

    Source: Radford et al. (2019), Language Models are Unsupervised Multitask Learners, section 2.3.
    """
    generator = torch.Generator().manual_seed(seed)
    std = 0.02 * math.sqrt(_GPT2_WIDTH / config["d_model"])
    to_stream = std / math.sqrt(2 * config["n_blocks"])
    weights: dict[str, Tensor] = {}
    for name, shape in shapes(config).items():
        if len(shape) == 1:
            weights[name] = torch.ones(shape)
            continue
        scale = to_stream if name.endswith(("attn.wo", "mlp.w_down")) else std
        weights[name] = torch.randn(shape, generator=generator) * scale
    return weights


def begin(config: Mapping[str, Any], recipe: Recipe) -> TrainingState:
    """The state before the first step."""
    return TrainingState(0, initial_weights(config, recipe.seed), {})


def training_windows(recipe: Recipe, step: int) -> Tensor:
    """The windows of one step, `(B, T)`: fresh ones at each step, the same ones whenever the run is repeated."""
    return corpus.windows(recipe.seed * _SEEDS_APART + step, recipe.batch, recipe.length)


def logits(tokens: Tensor, weights: dict[str, Tensor], config: Mapping[str, Any]) -> Tensor:
    """`(B, T)` -> `(B, T, V)`, by the reference."""
    return llama(tokens, weights, config["n_heads"], config["n_kv_heads"])


def advance(state: TrainingState, config: Mapping[str, Any], recipe: Recipe) -> tuple[TrainingState, float]:
    """One step: loss, gradients, clipping, AdamW. Returns the new state and the loss before the step, in nats."""
    tokens = training_windows(recipe, state.step)
    parameters = {name: value.detach().requires_grad_() for name, value in state.parameters.items()}
    loss = sequence_loss(logits(tokens, parameters, config), tokens)
    gradients = dict(zip(parameters, torch.autograd.grad(loss, list(parameters.values())), strict=True))
    clipped, _ = clip_gradients(gradients, recipe.max_norm)
    lr = cosine_lr(state.step, recipe.max_lr, recipe.min_lr, recipe.warmup_steps, recipe.steps)
    stepped, optimizer = adamw_step(state.parameters, clipped, state.optimizer, lr, weight_decay=recipe.weight_decay)
    return TrainingState(state.step + 1, stepped, optimizer), loss.item()


@torch.no_grad()
def mean_loss(weights: dict[str, Tensor], config: Mapping[str, Any], tokens: Tensor) -> float:
    """The loss of a model on windows `(B, T)`, in nats a target, a few rows at a time."""
    parts = torch.split(tokens, _EVALUATION_ROWS)
    losses = [float(sequence_loss(logits(part, weights, config), part)) * len(part) for part in parts]
    return sum(losses) / len(tokens)
