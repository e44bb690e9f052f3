"""Right answers to the lesson on the objective in other styles: none of them may be punished."""

import math

import torch
from torch import Tensor

from grader.judge.variation import Variations

variations = Variations("objective")


def refuse_outside(ids: Tensor, vocabulary: int) -> None:
    """Raise ValueError if an id lies outside the vocabulary."""
    if bool(torch.any((ids < 0) | (ids >= vocabulary))):
        raise ValueError("outside the vocabulary")


def counted_rows(logits: Tensor, targets: Tensor, ignore_index: int) -> tuple[Tensor, Tensor]:
    """The rows that count, `(N, V)`, and their targets, `(N,)`, checked."""
    rows, flat = logits.reshape(-1, logits.shape[-1]), targets.reshape(-1)
    kept = (flat != ignore_index).nonzero().squeeze(-1)
    if len(kept) == 0:
        raise ValueError("nothing counts")
    refuse_outside(flat[kept], logits.shape[-1])
    return rows.index_select(0, kept), flat[kept]


@variations.right("embed")
def by_index_select(tokens: Tensor, table: Tensor) -> Tensor:
    """Flattens the ids, selects rows and puts the axes back."""
    refuse_outside(tokens, len(table))
    return table.index_select(0, tokens.reshape(-1)).reshape(*tokens.shape, table.shape[1])


@variations.right("embed")
def by_one_hot_product(tokens: Tensor, table: Tensor) -> Tensor:
    """Multiplies one-hot rows by the table."""
    refuse_outside(tokens, table.size(0))
    return torch.nn.functional.one_hot(tokens, table.size(0)).to(table.dtype) @ table


@variations.right("embed")
def by_gather(tokens: Tensor, table: Tensor) -> Tensor:
    """Gathers from the table along its first axis, after comparing the extreme ids."""
    if tokens.numel() and (int(tokens.min()) < 0 or int(tokens.max()) >= len(table)):
        raise ValueError("outside")
    index = tokens.reshape(-1, 1).expand(-1, table.shape[1])
    return torch.gather(table, 0, index).view(tokens.shape + table.shape[1:])


@variations.right("embed")
def token_by_token(tokens: Tensor, table: Tensor) -> Tensor:
    """Walks over the ids in Python and checks each on its way."""
    rows = []
    for token in tokens.flatten().tolist():
        if not 0 <= token < len(table):
            raise ValueError(f"no token {token}")
        rows.append(table[token])
    return torch.stack(rows).reshape(*tokens.shape, -1) if rows else table.new_zeros(*tokens.shape, table.shape[1])


@variations.right("unembed")
def by_einsum(hidden: Tensor, table: Tensor) -> Tensor:
    """Names the axes."""
    return torch.einsum("...d,vd->...v", hidden, table)


@variations.right("unembed")
def by_linear(hidden: Tensor, table: Tensor) -> Tensor:
    """Uses the linear map that stores its weight as (out, in)."""
    return torch.nn.functional.linear(hidden, table)


@variations.right("unembed")
def by_broadcast_sum(hidden: Tensor, table: Tensor) -> Tensor:
    """Multiplies every state by every row and sums."""
    return (hidden.unsqueeze(-2) * table).sum(-1)


@variations.right("unembed")
def in_float32(hidden: Tensor, table: Tensor) -> Tensor:
    """Computes in float32 whatever comes in, and casts back."""
    return torch.matmul(hidden.float(), table.float().mT).to(hidden.dtype)


@variations.right("unembed")
def row_by_row(hidden: Tensor, table: Tensor) -> Tensor:
    """Computes one logit after the other."""
    return torch.stack([(hidden * row).sum(-1) for row in table.unbind(0)], dim=-1)


@variations.right("softmax")
def with_gradient_through_the_peak(logits: Tensor, dim: int = -1) -> Tensor:
    """Leaves the largest logit in the graph, where its gradient cancels; one mask mends value and gradient."""
    hopeless = torch.isneginf(logits).all(dim, keepdim=True)
    x = torch.where(hopeless, torch.zeros_like(logits), logits).to(torch.promote_types(logits.dtype, torch.float32))
    powers = torch.exp(x - torch.max(x, dim, keepdim=True).values)
    return (powers / powers.sum(dim, keepdim=True)).masked_fill(hopeless, 0.0).to(logits.dtype)


@variations.right("softmax")
def by_logsumexp(logits: Tensor, dim: int = -1) -> Tensor:
    """Subtracts the logarithm of the sum of exponentials instead of dividing."""
    hopeless = logits.amax(dim, keepdim=True) == -math.inf
    x = logits.masked_fill(hopeless, 0.0)
    return (x - torch.logsumexp(x, dim, keepdim=True)).exp() * ~hopeless


@variations.right("softmax")
def with_a_finite_fill(logits: Tensor, dim: int = -1) -> Tensor:
    """Puts the smallest number of the dtype in place of -inf and clears those places afterwards."""
    possible = logits > -math.inf
    x = logits.masked_fill(~possible, torch.finfo(logits.dtype).min)
    powers = (x - x.amax(dim, keepdim=True)).exp() * possible
    return powers / powers.sum(dim, keepdim=True).clamp(min=torch.finfo(logits.dtype).tiny)


@variations.right("softmax")
def always_in_float32(logits: Tensor, dim: int = -1) -> Tensor:
    """Computes in float32, as models do, and casts back."""
    x = logits.float()
    peak = x.amax(dim, keepdim=True)
    powers = (x - torch.where(torch.isfinite(peak), peak, torch.zeros_like(peak))).exp_()
    total = powers.sum(dim, keepdim=True)
    return (powers / (total + (total == 0))).to(logits.dtype)


@variations.right("softmax")
def online(logits: Tensor, dim: int = -1) -> Tensor:
    """Runs along the axis once with a running peak and a running sum, as blocked kernels do."""
    parts = logits.double().unbind(dim)
    peak = torch.full_like(parts[0], -math.inf)
    total = torch.zeros_like(parts[0])
    for part in parts:
        larger = torch.maximum(peak, part).detach()
        base = larger.masked_fill(larger == -math.inf, 0.0)
        total = total * (peak - base).exp() + (part - base).exp()
        peak = larger
    base = peak.masked_fill(peak == -math.inf, 0.0)
    divisor = torch.where(total == 0, torch.ones_like(total), total)
    return torch.stack([(part - base).exp() / divisor for part in parts], dim=dim).to(logits.dtype)


@variations.right("softmax")
def on_the_last_axis(logits: Tensor, dim: int = -1) -> Tensor:
    """Moves the axis to the end, works there on flat rows, and moves it back."""
    moved = logits.movedim(dim, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    peak = rows.max(dim=1, keepdim=True)[0].clamp(min=torch.finfo(rows.dtype).min)
    powers = (rows - peak).exp()
    total = powers.sum(1, keepdim=True)
    return (powers / total.where(total > 0, torch.ones_like(total))).reshape(moved.shape).movedim(-1, dim)


@variations.right("shift_targets")
def by_narrow(tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Cuts both parts out by start and length, into memory of their own."""
    signals = tokens.size(1) - 1
    if signals < 1:
        raise ValueError("no next token")
    return tokens.narrow(1, 0, signals).contiguous(), tokens.narrow(1, 1, signals).contiguous()


@variations.right("shift_targets")
def as_a_list(tokens: Tensor) -> list[Tensor]:
    """Returns the two parts in a list."""
    if tokens.shape[1] <= 1:
        raise ValueError("no next token")
    return [tokens[:, : tokens.shape[1] - 1], tokens[:, 1:].clone()]


@variations.right("shift_targets")
def by_roll(tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Rolls each row by one and drops the column that wraps around."""
    if tokens.shape[1] < 2:
        raise ValueError("no next token")
    return tokens[:, :-1], tokens.roll(-1, 1)[:, :-1]


@variations.right("shift_targets")
def by_unfold(tokens: Tensor) -> tuple[Tensor, ...]:
    """Takes all windows of two neighbours and separates them."""
    if tokens.shape[1] < 2:
        raise ValueError("no next token")
    return tokens.unfold(1, 2, 1).unbind(-1)


@variations.right("shift_targets")
def by_positions(tokens: Tensor) -> tuple[Tensor, Tensor]:
    """Indexes with positions and with positions plus one."""
    if tokens.shape[1] < 2:
        raise ValueError("no next token")
    positions = torch.arange(tokens.shape[1] - 1)
    return tokens.index_select(1, positions), tokens.index_select(1, positions + 1)


@variations.right("cross_entropy")
def logsumexp_minus_target(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """Takes the target's raw logit from the logarithm of the sum of exponentials."""
    rows, chosen = counted_rows(logits, targets, ignore_index)
    rows = rows.float() if rows.dtype == torch.bfloat16 else rows
    return (rows.logsumexp(-1) - rows[torch.arange(len(rows)), chosen]).mean().to(logits.dtype)


@variations.right("cross_entropy")
def fill_then_divide(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """Keeps the shape: puts zeros in place of ignored rows before computing, then sums and divides by the count."""
    counted = targets.ne(ignore_index)
    count = counted.sum()
    if count == 0:
        raise ValueError("nothing counts")
    safe = targets.masked_fill(~counted, 0)
    refuse_outside(safe, logits.shape[-1])
    x = torch.where(counted[..., None], logits, torch.zeros_like(logits)).to(torch.float64)
    log_p = x - x.logsumexp(-1, keepdim=True)
    losses = -log_p.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    return ((losses * counted).sum() / count).to(logits.dtype)


@variations.right("cross_entropy")
def one_hot_selection(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """Selects the target's log-probability with a boolean one-hot mask."""
    rows, chosen = counted_rows(logits, targets, ignore_index)
    x = rows - rows.max(-1, keepdim=True).values
    log_p = x - x.exp().sum(-1, keepdim=True, dtype=torch.promote_types(x.dtype, torch.float32)).log()
    mine = torch.nn.functional.one_hot(chosen, rows.shape[-1]).bool()
    return -log_p[mine].mean().to(logits.dtype)


@variations.right("cross_entropy")
def in_float32_throughout(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """Upcasts or rounds everything to float32, as training code does, and casts the loss back."""
    rows, chosen = counted_rows(logits.float(), targets, ignore_index)
    x = rows - rows.amax(-1, keepdim=True)
    return (x.exp().sum(-1).log() - x.gather(1, chosen.view(-1, 1)).view(-1)).mean().type_as(logits)


@variations.right("cross_entropy")
def differences_to_the_target(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """Subtracts the target's logit first: the loss is the log-sum-exp of the differences."""
    rows, chosen = counted_rows(logits, targets, ignore_index)
    rows = rows.to(torch.promote_types(rows.dtype, torch.float32))
    target = rows.gather(1, chosen[:, None])
    apart = rows - target.masked_fill(target == -math.inf, 0.0)
    losses = apart.logsumexp(-1).masked_fill(target[:, 0] == -math.inf, math.inf)
    return losses.mean().to(logits.dtype)


@variations.right("cross_entropy")
def row_after_row(logits: Tensor, targets: Tensor, ignore_index: int = -100) -> Tensor:
    """Loops over positions and counts as it goes."""
    rows, chosen = counted_rows(logits, targets, ignore_index)
    total = torch.zeros((), dtype=torch.float64)
    for row, token in zip(rows.double(), chosen.tolist(), strict=True):
        total = total + torch.log(torch.exp(row - row.max()).sum()) + row.max() - row[token]
    return (total / len(chosen)).to(logits.dtype)


@variations.right("perplexity")
def power_of_e(loss: Tensor) -> Tensor:
    """Raises the number e to the loss."""
    if loss.isnan():
        raise ValueError("NaN")
    return math.e**loss


@variations.right("perplexity")
def power_of_two(loss: Tensor) -> Tensor:
    """Converts to bits and raises 2."""
    if loss != loss:
        raise ValueError("NaN")
    return torch.exp2(loss / math.log(2))


@variations.right("perplexity")
def in_float64(loss: Tensor) -> Tensor:
    """Computes in float64 and casts back."""
    if math.isnan(loss.item()):
        raise ValueError("NaN")
    return loss.double().exp().to(loss.dtype)


@variations.right("perplexity")
def inverse_probability(loss: Tensor) -> Tensor:
    """Inverts the geometric mean of the probabilities."""
    if torch.isnan(loss).item():
        raise ValueError("NaN")
    return torch.reciprocal(torch.exp(-loss))


@variations.right("entropy_bits")
def by_xlogy(probabilities: Tensor, dim: int = -1) -> Tensor:
    """Uses xlogy on positive entries only, and converts nats to bits."""
    positive = probabilities > 0
    p = torch.where(positive, probabilities, torch.ones_like(probabilities))
    nats = torch.where(positive, -torch.special.xlogy(p, p), torch.zeros_like(p))
    return nats.sum(dim) / math.log(2)


@variations.right("entropy_bits")
def by_clamped_logarithm(probabilities: Tensor, dim: int = -1) -> Tensor:
    """Clamps inside the logarithm only, at the smallest normal number of the dtype."""
    bits = probabilities.clamp(min=torch.finfo(probabilities.dtype).tiny).log2()
    return -(probabilities * bits).sum(dim=dim)


@variations.right("entropy_bits")
def with_a_vanishing_epsilon(probabilities: Tensor, dim: int = -1) -> Tensor:
    """Adds a number so small that it changes no logarithm but that of 0."""
    return -(probabilities * (probabilities + 1e-30).log2()).sum(dim)


@variations.right("entropy_bits")
def rounded_to_float32(probabilities: Tensor, dim: int = -1) -> Tensor:
    """Computes in float32 whatever comes in, and casts back."""
    p = probabilities.float()
    terms = p * torch.where(p == 0, torch.ones_like(p), p).reciprocal().log2()
    return terms.sum(dim).to(probabilities.dtype)


@variations.right("entropy_bits")
def by_weighted_surprise(probabilities: Tensor, dim: int = -1) -> Tensor:
    """Takes the dot product of each slice with its surprises, on the last axis."""
    p = probabilities.movedim(dim, -1)
    surprise = -torch.log(p.masked_fill(p == 0, 1.0)) / math.log(2)
    return torch.einsum("...v,...v->...", p, surprise)
