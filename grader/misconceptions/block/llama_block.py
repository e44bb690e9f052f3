"""Known mistakes of the block of Llama."""

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.block.attention import ATTENTION, attended, heads_of
from grader.misconceptions.block.shared import Layer, Weights, about, catalogue, handed_back
from grader.misconceptions.block.wiring import WIRING, widened, wired


@catalogue.flawed(
    "llama_block",
    *WIRING,
    *ATTENTION,
    *about(
        "attention-inside-the-block",
        {
            "tiled": "Key-value heads are repeated as a whole (0, 1, 0, 1); the copies of one head are neighbours.",
            "first-head-for-all": "All query heads read the first key-value head; each group has its own.",
            "causal-by-position": "Who may see whom is decided by `positions`; it is decided by the order in h. "
            "Positions serve the rotation only.",
        },
    ),
    *about(
        "what-is-turned-and-by-how-much",
        {
            "not-turned": "Queries and keys are not rotated at all.",
            "values-turned": "The values are rotated as well; only queries and keys are.",
            "only-queries-turned": "Only the queries are rotated; keys are too.",
            "only-keys-turned": "Only the keys are rotated; queries are too.",
            "turned-backwards": "Queries and keys are turned clockwise; it is counter-clockwise.",
            "neighbouring-pairs": "Neighbouring features are turned together (RoFormer's layout); here feature i is "
            "paired with feature i + K/2.",
            "turned-before-projection": "What the projections read is rotated; rotate queries and keys, after "
            "projecting and splitting.",
            "turned-before-split": "The rotation runs over all heads at once, with one set of angles for the whole "
            "width; split first, then turn each head.",
            "frequencies-of-model-width": "The angles fall with 2i/D; they fall with 2i/K, where K is the width of a "
            "head.",
            "base-ignored": "The base is always 10000; use the one that is passed.",
            "positions-ignored": "The angles are those of positions 0, 1, 2, ...; use the positions that are passed.",
        },
    ),
    *about(
        "what-is-turned-and-by-how-much",
        {
            "sixteen-bit-angles": "The angles are rounded to 16 bits, which leaves far positions no digits; keep "
            "them in float32."
        },
        fails="test_far_positions_in_16_bits",
    ),
    *about(
        "the-kind-of-norm-and-its-eps",
        {
            "layer-norm-for-rms-norm": "The mean is removed: that is LayerNorm. LLaMA has RMSNorm.",
            "gains-ignored": "The gains of the norms have no effect.",
            "one-plus-gain": "The gain is taken as 1 + weight; here the weight itself is the gain.",
            "eps-ignored": "The eps that is passed has no effect.",
            "eps-default-of-the-other-norm": "Without an argument eps is 1e-6; 1e-5 is the default of LayerNorm here.",
            "eps-in-the-first-norm-only": "The eps that is passed reaches the first norm only; both have it.",
        },
    ),
    *about(
        "the-gate-and-the-value-beside-it",
        {
            "gelu-gate": "The gate is activated with GELU; SwiGLU uses SiLU.",
            "sigmoid-gate": "The gate is a sigmoid alone; SiLU is x times sigmoid(x).",
            "gate-and-up-swapped": "w_gate and w_up have changed places: the activation belongs to the gate.",
            "both-activated": "Gate and up are both activated; up stays linear.",
            "gate-and-up-added": "Gate and up are added; they are multiplied.",
        },
    ),
)
def llama_block(
    wrong: Wrong,
    h: Tensor,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    positions: Tensor,
    base: float = 10000.0,
    eps: float | None = None,
) -> Tensor:
    """RMSNorms and projections by torch's own functions, rotation by complex numbers, wired."""
    x, w = widened(wrong, h, weights)
    default = 1e-5 if wrong("eps-default-of-the-other-norm") else 1e-6
    first_eps = default if eps is None or wrong("eps-ignored") else eps
    second_eps = default if wrong("eps-in-the-first-norm-only") else first_eps

    def norm(name: str, eps: float) -> Layer:
        gain = w[f"{name}.weight"]
        gain = torch.ones_like(gain) if wrong("gains-ignored") else 1 + gain if wrong("one-plus-gain") else gain
        if wrong("layer-norm-for-rms-norm"):
            return lambda x: F.layer_norm(x, x.shape[-1:], gain, None, eps)
        return lambda x: F.rms_norm(x, x.shape[-1:], gain, eps)

    def turn(x: Tensor) -> Tensor:
        """Rotate the pairs of the last axis, `(..., T, K)`."""
        pairs = torch.arange(x.shape[-1] // 2, dtype=torch.float64)
        whole = h.shape[-1] if wrong("frequencies-of-model-width") else x.shape[-1]
        frequencies = (10000.0 if wrong("base-ignored") else base) ** (-2 * pairs / whole)
        places = torch.arange(len(positions)) if wrong("positions-ignored") else positions
        angles = (places[:, None] * frequencies).float()
        if wrong("sixteen-bit-angles") and h.element_size() == 2:
            angles = angles.to(h.dtype).float()
        angles = angles.to(x.dtype)
        turns = torch.polar(torch.ones_like(angles), -angles if wrong("turned-backwards") else angles)
        if wrong("neighbouring-pairs"):
            return torch.view_as_real(torch.complex(x[..., 0::2], x[..., 1::2]) * turns).flatten(-2)
        turned = torch.complex(*x.tensor_split(2, dim=-1)) * turns
        return torch.cat((turned.real, turned.imag), dim=-1)

    def project(x: Tensor, letter: str, count: int) -> Tensor:
        """The heads of one projection, turned if they are to be."""
        early = wrong("turned-before-projection") or wrong("turned-before-split")
        exempt = {"q": "only-keys-turned", "k": "only-queries-turned"}.get(letter)
        spared = wrong("not-turned") or (wrong(exempt) if exempt else not wrong("values-turned"))
        if wrong("turned-before-projection") and not spared:
            x = turn(heads_of(x, n_heads)).transpose(1, 2).flatten(2)
        out = x @ w[f"attn.w{letter}"].mT
        if wrong("turned-before-split") and not spared:
            out = turn(out)
        heads = heads_of(out, count)
        return heads if spared or early else turn(heads)

    def shared(x: Tensor) -> Tensor:
        """Key-value heads for all query heads."""
        group = n_heads // n_kv_heads
        if wrong("first-head-for-all"):
            x = x[:, :1].expand(x.shape)
        return x.repeat(1, group, 1, 1) if wrong("tiled") else x.repeat_interleave(group, 1)

    def attend(queries_read: Tensor, keys_read: Tensor) -> Tensor:
        q = project(queries_read, "q", n_heads)
        k, v = (shared(project(keys_read, n, n_kv_heads)) for n in "kv")
        merged = attended(wrong, q, k, v, positions if wrong("causal-by-position") else None)
        return merged if wrong("output-projection-missing") else merged @ w["attn.wo"].mT

    def gated(x: Tensor) -> Tensor:
        names = ("up", "gate") if wrong("gate-and-up-swapped") else ("gate", "up")
        gate, up = (x @ w[f"mlp.w_{name}"].mT for name in names)
        if wrong("gelu-gate"):
            gate = F.gelu(gate, approximate="tanh")
        else:
            gate = torch.sigmoid(gate) if wrong("sigmoid-gate") else F.silu(gate)
        up = F.silu(up) if wrong("both-activated") else up
        return (gate + up if wrong("gate-and-up-added") else gate * up) @ w["mlp.w_down"].mT

    return handed_back(wrong, h, wired(wrong, x, (norm("norm1", first_eps), norm("norm2", second_eps)), attend, gated))
