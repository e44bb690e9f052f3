"""Right answers to the lesson on positions, written in other ways."""

import math

import torch
from torch import Tensor

from grader.judge.variation import Variations

variations = Variations("positions")


@variations.right("sinusoidal_positions")
def by_slices(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Fills even and odd columns of a float32 table, with frequencies by exp and log."""
    if d_model % 2 != 0:
        raise ValueError("d_model must be even")
    table = torch.zeros(n_positions, d_model)
    position = torch.arange(n_positions, dtype=torch.float32).unsqueeze(1)
    rate = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(base) / d_model))
    table[:, 0::2] = torch.sin(position * rate)
    table[:, 1::2] = torch.cos(position * rate)
    return table


@variations.right("sinusoidal_positions")
def by_division(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Divides positions by powers of the base in float32 and flattens a stack."""
    if d_model & 1:
        raise ValueError(f"odd width {d_model}")
    pair = torch.arange(d_model // 2, dtype=torch.float32)
    angles = torch.arange(n_positions)[:, None] / base ** (2 * pair / d_model)
    return torch.stack([angles.sin(), angles.cos()], dim=2).reshape(n_positions, d_model)


@variations.right("sinusoidal_positions")
def sine_of_a_shifted_angle(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Takes sines only: a cosine is the sine a quarter turn later; float64 throughout."""
    if d_model % 2:
        raise ValueError("width must be even")
    column = torch.arange(d_model, dtype=torch.float64)
    rate = base ** -((column - column % 2) / d_model)
    angles = torch.outer(torch.arange(n_positions, dtype=torch.float64), rate)
    return torch.sin(angles + (column % 2) * math.pi / 2).to(torch.float32)


@variations.right("sinusoidal_positions")
def number_by_number(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """Python's own sine and cosine in a double loop."""
    if d_model % 2:
        raise ValueError("width must be even")
    rows = []
    for p in range(n_positions):
        row: list[float] = []
        for i in range(d_model // 2):
            angle = p / base ** (2 * i / d_model)
            row += [math.sin(angle), math.cos(angle)]
        rows.append(row)
    return torch.tensor(rows)


@variations.right("sinusoidal_positions")
def by_complex_exponential(n_positions: int, d_model: int, base: float = 10000.0) -> Tensor:
    """The imaginary and the real part of points on the unit circle."""
    angles = angles_in_float32(torch.arange(n_positions), d_model, base)
    points = torch.view_as_real(torch.polar(torch.ones_like(angles), angles))
    return points.flip(-1).flatten(1)


@variations.right("rope_angles")
def angles_in_float32(positions: Tensor, head_width: int, base: float = 10000.0) -> Tensor:
    """Everything in float32, with an outer product of positions and inverse frequencies."""
    if head_width % 2:
        raise ValueError("head width must be even")
    inverse = 1.0 / (base ** (torch.arange(0, head_width, 2).float() / head_width))
    return torch.outer(positions.float(), inverse)


@variations.right("rope_angles")
def by_exponential(positions: Tensor, head_width: int, base: float = 10000.0) -> Tensor:
    """Frequencies by exp and log, in float32."""
    if head_width % 2 == 1:
        raise ValueError("a feature without a partner")
    rate = torch.exp(-math.log(base) * torch.arange(head_width // 2) * 2 / head_width)
    return positions[:, None] * rate[None, :]


@variations.right("rope_angles")
def in_float64(positions: Tensor, head_width: int, base: float = 10000.0) -> Tensor:
    """Divides by powers in float64 and rounds last."""
    if head_width % 2:
        raise ValueError("odd")
    powers = base ** (2.0 * torch.arange(head_width // 2, dtype=torch.float64) / head_width)
    return (positions.unsqueeze(-1) / powers).to(torch.float32)


@variations.right("rope_angles")
def by_repeated_multiplication(positions: Tensor, head_width: int, base: float = 10000.0) -> Tensor:
    """Multiplies from pair to pair by the common ratio of the frequencies."""
    pairs, left = divmod(head_width, 2)
    if left:
        raise ValueError("odd")
    ratio = base ** (-1.0 / pairs)
    frequencies = [1.0]
    while len(frequencies) < pairs:
        frequencies.append(frequencies[-1] * ratio)
    return torch.einsum("t,i->ti", positions.double(), torch.tensor(frequencies, dtype=torch.float64)).float()


@variations.right("rope_angles")
def row_by_row(positions: Tensor, head_width: int, base: float = 10000.0) -> Tensor:
    """Python numbers, one position at a time."""
    if head_width % 2:
        raise ValueError("odd")
    return torch.tensor(
        [[p * base ** (-2 * i / head_width) for i in range(head_width // 2)] for p in positions.tolist()]
    )


def refuse_other_width(x: Tensor, angles: Tensor) -> None:
    """The contract's refusal."""
    if x.shape[-1] != 2 * angles.shape[-1]:
        raise ValueError("angles for another head width")


@variations.right("apply_rope")
def by_complex_numbers(x: Tensor, angles: Tensor) -> Tensor:
    """Multiplies pairs, read as complex numbers, by points on the unit circle, all in float32."""
    refuse_other_width(x, angles)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], angles.shape[-1], 2))
    turned = pairs * torch.polar(torch.ones(angles.shape), angles)
    return torch.view_as_real(turned).flatten(-2).type_as(x)


@variations.right("apply_rope")
def by_rotated_copy(x: Tensor, angles: Tensor) -> Tensor:
    """x cos + rotated sin with repeated tables; for 16-bit features the float32 cosines are rounded to their dtype."""
    refuse_other_width(x, angles)
    cos = angles.cos().repeat_interleave(2, dim=-1).to(x.dtype)
    sin = angles.sin().repeat_interleave(2, dim=-1).to(x.dtype)
    rotated = torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).reshape(x.shape)
    return x * cos + rotated * sin


@variations.right("apply_rope")
def by_matrices(x: Tensor, angles: Tensor) -> Tensor:
    """A 2x2 matrix for each position and pair, applied by einsum in float64."""
    refuse_other_width(x, angles)
    cos, sin = angles.double().cos(), angles.double().sin()
    matrices = torch.stack((cos, -sin, sin, cos), dim=-1).reshape(*angles.shape, 2, 2)
    pairs = x.double().reshape(*x.shape[:-1], angles.shape[-1], 2)
    return torch.einsum("tioc,...tic->...tio", matrices, pairs).reshape(x.shape).to(x.dtype)


@variations.right("apply_rope")
def into_an_empty_tensor(x: Tensor, angles: Tensor) -> Tensor:
    """Writes even and odd features into a tensor of its own."""
    refuse_other_width(x, angles)
    theta = angles.to(torch.promote_types(x.dtype, torch.float32))
    y = torch.zeros_like(x)
    y[..., ::2] = (x[..., ::2] * theta.cos() - x[..., 1::2] * theta.sin()).to(x.dtype)
    y[..., 1::2] = (x[..., ::2] * theta.sin() + x[..., 1::2] * theta.cos()).to(x.dtype)
    return y


@variations.right("apply_rope")
def through_halves(x: Tensor, angles: Tensor) -> Tensor:
    """Reorders the features, turns halves, and reorders back."""
    refuse_other_width(x, angles)
    order = torch.cat((torch.arange(0, x.shape[-1], 2), torch.arange(1, x.shape[-1], 2)))
    turned: Tensor = by_chunks(x[..., order], angles)
    return turned[..., order.argsort()]


@variations.right("apply_rope_half")
def by_chunks(x: Tensor, angles: Tensor) -> Tensor:
    """x cos + rotate_half(x) sin with the angles twice in a row, in float32, as most libraries write it."""
    refuse_other_width(x, angles)
    theta = torch.cat((angles, angles), dim=-1)
    wide = x.float()
    first, second = wide.chunk(2, dim=-1)
    return (wide * theta.cos() + torch.cat((-second, first), dim=-1) * theta.sin()).to(x.dtype)


@variations.right("apply_rope_half")
def with_rounded_cosines(x: Tensor, angles: Tensor) -> Tensor:
    """Cosines in float32, rounded to 16 bits where x has them before they are multiplied."""
    refuse_other_width(x, angles)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    half = x.shape[-1] // 2
    a, b = x[..., :half], x[..., half:]
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


@variations.right("apply_rope_half")
def by_complex_halves(x: Tensor, angles: Tensor) -> Tensor:
    """The first half as real parts, the second as imaginary ones."""
    refuse_other_width(x, angles)
    wide = x if x.dtype == torch.float64 else x.float()
    points = torch.complex(*wide.chunk(2, dim=-1)) * torch.exp(1j * angles.to(wide.dtype))
    return torch.cat((points.real, points.imag), dim=-1).to(x.dtype)


@variations.right("apply_rope_half")
def by_rolling(x: Tensor, angles: Tensor) -> Tensor:
    """Rolls the features by half a head and flips the sign of what lands in the first half."""
    refuse_other_width(x, angles)
    half = angles.shape[-1]
    theta = angles.to(torch.promote_types(x.dtype, torch.float32)).repeat(1, 2)
    sign = torch.ones(2 * half, dtype=theta.dtype)
    sign[:half] = -1
    return (x * theta.cos() + x.roll(half, dims=-1) * sign * theta.sin()).to(x.dtype)


@variations.right("apply_rope_half")
def position_by_position(x: Tensor, angles: Tensor) -> Tensor:
    """Loops over the positions with a dense matrix for each, in float64."""
    refuse_other_width(x, angles)
    rows = []
    for t, theta in enumerate(angles.double()):
        cos, sin = theta.cos().diag(), theta.sin().diag()
        matrix = torch.cat((torch.cat((cos, -sin), dim=1), torch.cat((sin, cos), dim=1)))
        rows.append(x[..., t, :].double() @ matrix.T)
    return torch.stack(rows, dim=-2).to(x.dtype)


def refuse_bad_rows(weight: Tensor, n_heads: int) -> int:
    """The contract's refusals; the head width otherwise."""
    if weight.shape[0] % (2 * n_heads) != 0:
        raise ValueError("rows must be pairs for every head")
    return weight.shape[0] // n_heads


@variations.right("interleaved_to_half")
def by_view_and_transpose(weight: Tensor, n_heads: int) -> Tensor:
    """View, transpose, reshape."""
    width = refuse_bad_rows(weight, n_heads)
    rows, columns = weight.shape
    return weight.view(n_heads, width // 2, 2, columns).transpose(1, 2).reshape(rows, columns)


@variations.right("interleaved_to_half")
def by_stepping(weight: Tensor, n_heads: int) -> Tensor:
    """Even and odd rows of every head, concatenated."""
    width = refuse_bad_rows(weight, n_heads)
    by_head = weight.reshape(n_heads, width, -1)
    return torch.cat((by_head[:, ::2], by_head[:, 1::2]), dim=1).reshape(weight.shape)


@variations.right("interleaved_to_half")
def by_index(weight: Tensor, n_heads: int) -> Tensor:
    """A list of old rows."""
    width = refuse_bad_rows(weight, n_heads)
    order = [h * width + 2 * i + odd for h in range(n_heads) for odd in (0, 1) for i in range(width // 2)]
    return weight[torch.tensor(order)]


@variations.right("interleaved_to_half")
def row_after_row(weight: Tensor, n_heads: int) -> Tensor:
    """Writes every row to its new place."""
    width = refuse_bad_rows(weight, n_heads)
    moved = torch.empty_like(weight)
    for row in range(weight.shape[0]):
        head, feature = divmod(row, width)
        moved[head * width + feature // 2 + (feature % 2) * (width // 2)] = weight[row]
    return moved


@variations.right("interleaved_to_half")
def by_permutation_matrix(weight: Tensor, n_heads: int) -> Tensor:
    """Multiplies by a block-diagonal matrix of zeros and ones."""
    width = refuse_bad_rows(weight, n_heads)
    eye = torch.eye(width, dtype=weight.dtype)
    block = torch.cat((eye[0::2], eye[1::2]))
    matrix = torch.kron(torch.eye(n_heads, dtype=weight.dtype), block)
    return matrix @ weight


@variations.right("alibi_slopes")
def as_published(n_heads: int) -> Tensor:
    """The recursive form of the published code."""
    if n_heads < 1:
        raise ValueError("no heads")

    def slopes(n: int) -> list[float]:
        if math.log2(n).is_integer():
            start = 2 ** (-(2 ** -(math.log2(n) - 3)))
            return [start * start**i for i in range(n)]
        lower = 2 ** math.floor(math.log2(n))
        return slopes(lower) + slopes(2 * lower)[0::2][: n - lower]

    return torch.tensor(slopes(n_heads))


@variations.right("alibi_slopes")
def as_in_bloom(n_heads: int) -> Tensor:
    """Two float32 sequences with powers of a base each."""
    if n_heads <= 0:
        raise ValueError("at least one head")
    closest = 2 ** math.floor(math.log2(n_heads))
    base = torch.tensor(2 ** (-(2 ** -(math.log2(closest) - 3))), dtype=torch.float32)
    slopes = torch.pow(base, torch.arange(1, 1 + closest, dtype=torch.int32))
    if closest != n_heads:
        extra_base = torch.tensor(2 ** (-(2 ** -(math.log2(2 * closest) - 3))), dtype=torch.float32)
        extra = torch.arange(1, 1 + 2 * (n_heads - closest), 2, dtype=torch.int32)
        slopes = torch.cat([slopes, torch.pow(extra_base, extra)])
    return slopes


@variations.right("alibi_slopes")
def by_exponents(n_heads: int) -> Tensor:
    """A list of exponents first, one power at the end."""
    if n_heads < 1:
        raise ValueError("no heads")
    lower = 1
    while 2 * lower <= n_heads:
        lower *= 2
    exponents = [8 * h / lower for h in range(1, lower + 1)]
    exponents += [4 * odd / lower for odd in range(1, 2 * (n_heads - lower), 2)]
    return torch.exp2(-torch.tensor(exponents, dtype=torch.float64)).float()


@variations.right("alibi_slopes")
def slope_by_slope(n_heads: int) -> Tensor:
    """Each head by itself, in Python numbers."""
    if n_heads < 1:
        raise ValueError("no heads")
    lower = 2 ** (n_heads.bit_length() - 1)

    def slope(head: int) -> float:
        if head < lower:
            return math.pow(2, -8 * (head + 1) / lower)
        return math.pow(2, -4 * (2 * (head - lower) + 1) / lower)

    return torch.tensor([slope(head) for head in range(n_heads)], dtype=torch.float32)


@variations.right("alibi_bias")
def by_absolute_distance(n_heads: int, n_queries: int, n_keys: int) -> Tensor:
    """Minus slope times |i - j|, and an additive mask of -inf above the diagonal."""
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    offset = n_keys - n_queries
    gap = (torch.arange(n_queries)[:, None] + offset - torch.arange(n_keys)[None]).abs()
    ahead = torch.full((n_queries, n_keys), float("-inf")).triu(offset + 1)
    slopes: Tensor = by_exponents(n_heads)
    return ahead - slopes.view(-1, 1, 1) * gap


@variations.right("alibi_bias")
def rows_of_the_square(n_heads: int, n_queries: int, n_keys: int) -> Tensor:
    """The last rows of the bias of the whole sequence."""
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    at = torch.arange(n_keys)
    signed = at[None, :] - at[:, None]
    whole = torch.where(signed <= 0, slope_by_slope(n_heads)[:, None, None] * signed, -math.inf)
    return whole[:, n_keys - n_queries :]


@variations.right("alibi_bias")
def head_by_head(n_heads: int, n_queries: int, n_keys: int) -> Tensor:
    """Fills a tensor of -inf in Python loops over heads and queries."""
    if n_queries > n_keys:
        raise ValueError("more queries than keys")
    bias = torch.full((n_heads, n_queries, n_keys), -math.inf)
    for head, slope in enumerate(as_published(n_heads).tolist()):
        for query in range(n_queries):
            position = query + n_keys - n_queries
            bias[head, query, : position + 1] = -slope * torch.arange(position, -1, -1)
    return bias


@variations.right("alibi_bias")
def by_einsum(n_heads: int, n_queries: int, n_keys: int) -> Tensor:
    """An outer product of slopes and distances in float64, masked in place."""
    if n_keys - n_queries < 0:
        raise ValueError("more queries than keys")
    visible = torch.ones(n_queries, n_keys, dtype=torch.bool).tril(n_keys - n_queries)
    distance = torch.arange(n_keys - 1, -1, -1) - torch.arange(n_queries - 1, -1, -1)[:, None]
    bias = torch.einsum("h,qk->hqk", -as_in_bloom(n_heads).double(), distance.double())
    return bias.masked_fill_(~visible, -torch.inf).float()
