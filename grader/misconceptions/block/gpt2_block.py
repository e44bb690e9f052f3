"""Known mistakes of the block of GPT-2."""

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.block.attention import ATTENTION, attended, heads_of
from grader.misconceptions.block.shared import Layer, Weights, about, catalogue, handed_back
from grader.misconceptions.block.wiring import WIRING, widened, wired


@catalogue.flawed(
    "gpt2_block",
    *WIRING,
    *ATTENTION,
    *about(
        "attention-inside-the-block",
        {
            "one-head": "n_heads has no effect: attention has a single wide head.",
            "untransposed": "The projections of attention are applied without their transpose; weights are (out, in).",
        },
    ),
    *about(
        "the-kind-of-norm-and-its-eps",
        {
            "rms-norm-for-layer-norm": "The mean is not removed: that is RMSNorm. GPT-2 has LayerNorm.",
            "gains-ignored": "The gains of the norms (gamma) have no effect.",
            "shifts-ignored": "The shifts of the norms (beta) have no effect.",
            "eps-of-the-other-norm": "The eps is 1e-6, the default of RMSNorm; that of GPT-2's LayerNorm is 1e-5.",
            "eps-missing": "The norms have no eps; it is 1e-5.",
        },
    ),
    *about(
        "biases-and-activations",
        {
            "attention-biases-ignored": "The biases of attention are never added.",
            "network-biases-ignored": "The biases of the feed-forward network are never added.",
            "exact-gelu": "The activation is the exact GELU with erf; GPT-2 uses the tanh form.",
            "relu": "The activation is ReLU; GPT-2 uses GELU in its tanh form.",
            "silu": "The activation is SiLU; GPT-2 uses GELU in its tanh form.",
        },
    ),
)
def gpt2_block(wrong: Wrong, h: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """LayerNorms, attention and network by torch's own functions, wired."""
    x, w = widened(wrong, h, weights)
    eps = 0.0 if wrong("eps-missing") else 1e-6 if wrong("eps-of-the-other-norm") else 1e-5
    count = 1 if wrong("one-head") else n_heads

    def norm(name: str) -> Layer:
        gamma = None if wrong("gains-ignored") else w[f"{name}.gamma"]
        beta = torch.zeros_like(w[f"{name}.beta"]) if wrong("shifts-ignored") else w[f"{name}.beta"]
        if wrong("rms-norm-for-layer-norm"):
            return lambda x: F.rms_norm(x, x.shape[-1:], gamma, eps) + beta
        return lambda x: F.layer_norm(x, x.shape[-1:], gamma, beta, eps)

    def project(x: Tensor, letter: str) -> Tensor:
        bias = None if wrong("attention-biases-ignored") else w[f"attn.b{letter}"]
        matrix = w[f"attn.w{letter}"]
        return F.linear(x, matrix.mT if wrong("untransposed") else matrix, bias)

    def attend(queries_read: Tensor, keys_read: Tensor) -> Tensor:
        q = heads_of(project(queries_read, "q"), count)
        k, v = (heads_of(project(keys_read, n), count) for n in "kv")
        merged = attended(wrong, q, k, v)
        return merged if wrong("output-projection-missing") else project(merged, "o")

    def activation(x: Tensor) -> Tensor:
        if wrong("relu"):
            return F.relu(x)
        return F.silu(x) if wrong("silu") else F.gelu(x, approximate="none" if wrong("exact-gelu") else "tanh")

    def network(x: Tensor) -> Tensor:
        b_in, b_out = (None if wrong("network-biases-ignored") else w[f"mlp.b_{side}"] for side in ("in", "out"))
        return F.linear(activation(F.linear(x, w["mlp.w_in"], b_in)), w["mlp.w_out"], b_out)

    return handed_back(wrong, h, wired(wrong, x, (norm("ln1"), norm("ln2")), attend, network))
