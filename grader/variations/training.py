"""Right answers to the lesson on training, written in other ways."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.variation import Variations
from reference.objective import cross_entropy, shift_targets, softmax

variations = Variations("training")
Tensors = dict[str, Tensor]


@variations.right("sequence_loss")
def of_torch(logits: Tensor, tokens: Tensor) -> Tensor:
    """Flattens rows that were cut before and calls torch's cross-entropy."""
    if tokens.numel() == 0 or tokens.size(1) < 2:
        raise ValueError("nothing to predict")
    return F.cross_entropy(logits[:, :-1].reshape(-1, logits.size(-1)), tokens[:, 1:].reshape(-1))


@variations.right("sequence_loss")
def classes_second(logits: Tensor, tokens: Tensor) -> Tensor:
    """Moves the vocabulary to axis 1 and averages the losses of all targets in a second step."""
    inputs, targets = shift_targets(tokens)
    if targets.numel() == 0:
        raise ValueError("an empty batch")
    losses = F.cross_entropy(logits[:, : inputs.shape[1]].mT, targets, reduction="none")
    return losses.sum() / losses.numel()


@variations.right("sequence_loss")
def marked(logits: Tensor, tokens: Tensor) -> Tensor:
    """Rolls a copy of the tokens, marks its last column, and lets it be ignored."""
    if tokens.shape[1] < 2:
        raise ValueError("T < 2")
    targets = tokens.roll(-1, dims=1)
    targets[:, -1] = -100
    return cross_entropy(logits, targets, ignore_index=-100)


@variations.right("sequence_loss")
def row_by_row(logits: Tensor, tokens: Tensor) -> Tensor:
    """Takes the mean of the means of rows, which are equally long."""
    if tokens.shape[0] < 1 or tokens.shape[1] < 2:
        raise ValueError("no targets")
    rows = [cross_entropy(logits[b, :-1], tokens[b, 1:]) for b in range(tokens.shape[0])]
    return torch.stack(rows).mean()


@variations.right("sequence_loss")
def log_sum_exp(logits: Tensor, tokens: Tensor) -> Tensor:
    """Subtracts the target's logit from the log-sum-exp, in float64."""
    targets = shift_targets(tokens)[1]
    if not targets.numel():
        raise ValueError("no targets")
    z = logits[:, :-1].double()
    chosen = torch.take_along_dim(z, targets[..., None], dim=-1)[..., 0]
    return (z.logsumexp(-1) - chosen).mean().to(logits.dtype)


@variations.right("sequence_loss")
def one_hot_product(logits: Tensor, tokens: Tensor) -> Tensor:
    """Multiplies log-probabilities by one-hot targets."""
    batch, seq, vocab = logits.shape
    if batch * (seq - 1) <= 0:
        raise ValueError(f"{batch} rows of {seq} tokens have no next token")
    log_p = logits[:, :-1] - logits[:, :-1].logsumexp(-1, keepdim=True)
    return -(log_p * F.one_hot(tokens[:, 1:], vocab)).sum() / (batch * (seq - 1))


@variations.right("clip_gradients")
def as_torch_does(gradients: Tensors, max_norm: float) -> tuple[Tensors, Tensor]:
    """Adds 1e-6 to the norm and cuts the factor off at 1."""
    norm = torch.stack([g.norm() for g in gradients.values()]).norm()
    factor = (max_norm / (norm + 1e-6)).clamp(max=1.0)
    return {name: g * factor.to(g.dtype) for name, g in gradients.items()}, norm


@variations.right("clip_gradients")
def one_vector(gradients: Tensors, max_norm: float) -> tuple[Tensors, float]:
    """Writes everything into one vector, and returns the norm as a float."""
    vector = torch.cat([g.reshape(-1) for g in gradients.values()]).double()
    norm = vector.norm().item()
    if norm > max_norm:
        vector = vector * (max_norm / norm)
    parts = torch.split(vector, [g.numel() for g in gradients.values()])
    clipped = {
        name: part.reshape(g.shape).to(g.dtype) for (name, g), part in zip(gradients.items(), parts, strict=True)
    }
    return clipped, norm


@variations.right("clip_gradients")
def squares_in_a_loop(gradients: Tensors, max_norm: float) -> tuple[Tensors, float]:
    """Adds up squares as Python numbers and returns the very tensors that are short enough."""
    total = 0.0
    for g in gradients.values():
        total += float((g.float() if g.dtype == torch.bfloat16 else g).pow(2).sum())
    norm = math.sqrt(total)
    if norm <= max_norm:
        return gradients, norm
    return {name: g / norm * max_norm for name, g in gradients.items()}, norm


@variations.right("clip_gradients")
def on_copies(gradients: Tensors, max_norm: float) -> tuple[Tensors, Tensor]:
    """Copies everything first and works in place on the copies."""
    copies = {name: g.clone() for name, g in gradients.items()}
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(g) for g in copies.values()]))
    for g in copies.values():
        g.mul_(min(1.0, max_norm / max(float(norm), 1e-12)))
    return copies, norm


@variations.right("clip_gradients")
def by_hypotenuse(gradients: Tensors, max_norm: float) -> tuple[Tensors, Tensor]:
    """Joins the norms two at a time, as the sides of a right angle."""
    norm = reduce(
        torch.hypot, (g.float().norm() if g.dtype == torch.bfloat16 else g.norm() for g in gradients.values())
    )
    dtype = next(iter(gradients.values())).dtype
    scale = torch.where(norm > max_norm, max_norm / norm, torch.ones_like(norm))
    return {name: (g * scale).to(dtype) for name, g in gradients.items()}, norm


@variations.right("clip_gradients")
def foreach(gradients: Tensors, max_norm: float) -> tuple[Tensors, Tensor]:
    """Uses torch's functions on lists of tensors."""
    norm = torch.stack(torch._foreach_norm(list(gradients.values()))).square().sum().sqrt()
    factor = float(max_norm / norm) if norm > max_norm else 1.0
    return dict(zip(gradients, torch._foreach_mul(list(gradients.values()), factor), strict=True)), norm


class Moments(NamedTuple):
    """A state of named parts."""

    t: int
    m: Tensors
    v: Tensors


@dataclass
class Memory:
    """A state of one tensor's own."""

    t: int
    m: Tensor
    v: Tensor


@variations.right("adamw_step")
def state_of_named_parts(
    parameters: Tensors,
    gradients: Tensors,
    state: Any,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.95),
    eps: float = 1e-8,
    weight_decay: float = 0.1,
) -> tuple[Tensors, Any]:
    """Keeps the state as a named tuple and multiplies by 1 - lr * decay first."""
    b1, b2 = betas
    if not state:
        zeros = {name: torch.zeros_like(p) for name, p in parameters.items()}
        state = Moments(0, zeros, zeros)
    t = state.t + 1
    m = {name: b1 * state.m[name] + (1 - b1) * g for name, g in gradients.items()}
    v = {name: b2 * state.v[name] + (1 - b2) * g * g for name, g in gradients.items()}
    new = {}
    for name, p in parameters.items():
        kept = p * (1 - lr * weight_decay) if p.ndim > 1 else p
        new[name] = kept - lr * (m[name] / (1 - b1**t)) / (torch.sqrt(v[name] / (1 - b2**t)) + eps)
    return new, Moments(t, m, v)


@variations.right("adamw_step")
def state_of_objects(
    parameters: Tensors,
    gradients: Tensors,
    state: Any,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.95),
    eps: float = 1e-8,
    weight_decay: float = 0.1,
) -> tuple[Tensors, Any]:
    """Keeps an object for each tensor, with a step of its own, and works in place on copies."""
    new, memory = {}, {}
    for name, p in parameters.items():
        old = state.get(name) or Memory(0, torch.zeros_like(p), torch.zeros_like(p))
        mine = Memory(old.t + 1, old.m.clone(), old.v.clone())
        mine.m.lerp_(gradients[name], 1 - betas[0])
        mine.v.mul_(betas[1]).addcmul_(gradients[name], gradients[name], value=1 - betas[1])
        x = p.clone()
        if x.dim() >= 2:
            x.mul_(1 - lr * weight_decay)
        root = mine.v.sqrt().div_(math.sqrt(1 - betas[1] ** mine.t)).add_(eps)
        x.addcdiv_(mine.m, root, value=-lr / (1 - betas[0] ** mine.t))
        new[name], memory[name] = x, mine
    return new, memory


@variations.right("adamw_step")
def state_of_all_gradients(
    parameters: Tensors,
    gradients: Tensors,
    state: Any,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.95),
    eps: float = 1e-8,
    weight_decay: float = 0.1,
) -> tuple[Tensors, Any]:
    """Remembers every gradient and works the corrected means out as weighted sums."""
    seen = [*state.get("seen", []), gradients]
    n = len(seen)
    new = {}
    for name, p in parameters.items():
        stack = torch.stack([g[name].double() for g in seen])
        means = []
        for beta, values in zip(betas, (stack, stack**2), strict=True):
            weights = torch.tensor([beta ** (n - 1 - i) for i in range(n)], dtype=torch.float64)
            means.append(torch.tensordot(weights / weights.sum(), values, dims=1))
        decay = weight_decay * (p.dim() >= 2) * p.double()
        new[name] = (p.double() - lr * (decay + means[0] / (means[1].sqrt() + eps))).to(p.dtype)
    return new, {"seen": seen}


@variations.right("adamw_step")
def one_vector_of_everything(
    parameters: Tensors,
    gradients: Tensors,
    state: Any,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.95),
    eps: float = 1e-8,
    weight_decay: float = 0.1,
) -> tuple[Tensors, Any]:
    """Writes all tensors into one vector, with a vector that says what decays; the state is a tuple."""
    names = sorted(parameters)
    p = torch.cat([parameters[name].flatten() for name in names]).double()
    g = torch.cat([gradients[name].flatten() for name in names]).double()
    decays = torch.cat([torch.full((parameters[n].numel(),), float(parameters[n].ndim >= 2)) for n in names]).double()
    t, m, v = state or (0, 0.0, 0.0)
    t, m, v = t + 1, betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g**2
    p = p - lr * weight_decay * decays * p - lr * (m / (1 - betas[0] ** t)) / ((v / (1 - betas[1] ** t)) ** 0.5 + eps)
    parts = torch.split(p, [parameters[name].numel() for name in names])
    new = {n: part.reshape(parameters[n].shape).to(parameters[n].dtype) for n, part in zip(names, parts, strict=True)}
    return {name: new[name] for name in parameters}, (t, m, v)


@variations.right("adamw_step")
def powers_carried_along(
    parameters: Tensors,
    gradients: Tensors,
    state: Any,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.95),
    eps: float = 1e-8,
    weight_decay: float = 0.1,
) -> tuple[Tensors, Any]:
    """Multiplies the powers of the betas along in the state, under keys that join names."""
    b1, b2 = betas
    new_state: dict[str, Any] = {"b1": state.get("b1", 1.0) * b1, "b2": state.get("b2", 1.0) * b2}
    new = {}
    for key in parameters:
        p, g = parameters[key], gradients[key]
        m = new_state["m." + key] = b1 * state.get("m." + key, torch.zeros_like(g)) + (1.0 - b1) * g
        v = new_state["v." + key] = b2 * state.get("v." + key, torch.zeros_like(g)) + (1.0 - b2) * torch.square(g)
        update = m / (1.0 - new_state["b1"]) / (torch.sqrt(v / (1.0 - new_state["b2"])) + eps)
        if len(p.shape) >= 2:
            update = update + weight_decay * p
        new[key] = torch.sub(p, update, alpha=lr)
    return new, new_state


@variations.right("adamw_step")
def in_float32(
    parameters: Tensors,
    gradients: Tensors,
    state: Any,
    lr: float,
    betas: tuple[float, float] = (0.9, 0.95),
    eps: float = 1e-8,
    weight_decay: float = 0.1,
) -> tuple[Tensors, Any]:
    """Computes in float32 whatever comes in, with the moments as pairs in a list."""
    t = state.get("t", 0) + 1
    pairs = state.get("pairs") or [(torch.tensor(0.0), torch.tensor(0.0)) for _ in parameters]
    new, kept = {}, []
    for (name, p), (m, v) in zip(parameters.items(), pairs, strict=True):
        g = gradients[name].float()
        m, v = m + (1 - betas[0]) * (g - m), v + (1 - betas[1]) * (g.pow(2) - v)
        kept.append((m, v))
        x = p.float()
        step = m.div(1 - betas[0] ** t).div(v.div(1 - betas[1] ** t).pow(0.5).add(eps))
        new[name] = (x - lr * step - (lr * weight_decay * x if x.dim() >= 2 else 0)).type(p.dtype)
    return new, {"t": t, "pairs": kept}


@variations.right("cosine_lr")
def early_return_at_the_end(step: int, max_lr: float, min_lr: float, warmup_steps: int, total_steps: int) -> float:
    """Returns the floor first and mixes the two rates by a weight."""
    if step >= total_steps:
        return min_lr
    if step < warmup_steps:
        return (step + 1) / warmup_steps * max_lr
    weight = 0.5 * (1.0 + math.cos(math.pi * (step - warmup_steps) / (total_steps - warmup_steps)))
    return weight * max_lr + (1 - weight) * min_lr


@variations.right("cosine_lr")
def squared_half_angle(step: int, max_lr: float, min_lr: float, warmup_steps: int, total_steps: int) -> float:
    """Uses the square of the cosine of half the angle."""
    if step < warmup_steps:
        return max_lr / warmup_steps * (step + 1)
    angle = math.pi / 2 * min(total_steps - warmup_steps, step - warmup_steps) / (total_steps - warmup_steps)
    return min_lr + (max_lr - min_lr) * math.cos(angle) ** 2


@variations.right("cosine_lr")
def as_a_tensor(step: int, max_lr: float, min_lr: float, warmup_steps: int, total_steps: int) -> Tensor:
    """Computes with torch in float32 and returns a scalar tensor."""
    if step < warmup_steps:
        return torch.tensor(max_lr * (step + 1) / warmup_steps)
    progress = torch.tensor((step - warmup_steps) / (total_steps - warmup_steps)).clamp(max=1)
    return min_lr + (max_lr - min_lr) * (1 + torch.cos(torch.pi * progress)) / 2


@variations.right("cosine_lr")
def swing_around_the_middle(step: int, max_lr: float, min_lr: float, warmup_steps: int, total_steps: int) -> float:
    """Swings around the mean of the two rates, with exact fractions for progress."""
    if warmup_steps and step + 1 <= warmup_steps:
        return float(Fraction(step + 1, warmup_steps)) * max_lr
    progress = min(Fraction(1), Fraction(step - warmup_steps, total_steps - warmup_steps))
    middle, swing = (max_lr + min_lr) / 2, (max_lr - min_lr) / 2
    return middle + swing * math.cos(float(progress) * math.pi)


@variations.right("accumulate_loss")
def plain_sums(sums: list[Tensor], counts: list[int]) -> Tensor:
    """Adds with Python's sum."""
    if not counts or not any(counts):
        raise ValueError("nothing counts")
    return sum(sums, torch.zeros_like(sums[0])) / sum(counts)


@variations.right("accumulate_loss")
def weighted_means(sums: list[Tensor], counts: list[int]) -> Tensor:
    """Weights the mean of each micro-batch by its part of the targets, and leaves out those without any."""
    total = sum(counts)
    if total < 1:
        raise ValueError("no targets")
    shares = [s / n * (n / total) for s, n in zip(sums, counts, strict=True) if n > 0]
    return torch.stack(shares).sum()


@variations.right("accumulate_loss")
def running_mean(sums: list[Tensor], counts: list[int]) -> Tensor:
    """Moves a mean along from one micro-batch to the next."""
    mean, seen = None, 0
    for loss, n in zip(sums, counts, strict=True):
        if n == 0:
            continue
        seen += n
        mean = loss / n if mean is None else mean + (loss - mean * n) / seen
    if mean is None:
        raise ValueError("no micro-batch has a target")
    return mean


@variations.right("accumulate_loss")
def dot_product_with_parts(sums: list[Tensor], counts: list[int]) -> Tensor:
    """Multiplies all sums by 1 over the number of targets, in float64."""
    total = float(sum(counts))
    if total == 0.0:
        raise ValueError(f"counts {counts} add up to 0")
    stacked = torch.stack([loss.double() for loss in sums])
    return (stacked @ torch.full_like(stacked, 1 / total)).to(sums[0].dtype)


@variations.right("sequence_loss")
def from_probabilities(logits: Tensor, tokens: Tensor) -> Tensor:
    """Sums surprises position by position, with the softmax of the lesson on the objective."""
    batch, seq = tokens.shape
    if batch == 0 or seq < 2:
        raise ValueError("no next token")
    peaks = logits.amax(-1, keepdim=True)
    total = logits.new_zeros(())
    for t in range(seq - 1):
        p = softmax(logits[:, t] - peaks[:, t])
        total = total - p[torch.arange(batch), tokens[:, t + 1]].log().sum()
    return total / (batch * (seq - 1))
