"""The reference's models against the classes that the field runs: the same weights, logits and gradients.

Models are built from configurations with random weights; nothing is downloaded. Sizes are odd on purpose: heads that
share keys, a hidden width that is no multiple, a base and an eps that are nobody's default.
"""

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from transformers import GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM

from reference.model import count_parameters, gpt2, llama
from reference.objective import cross_entropy, shift_targets
from reference.positions import rope_angles

Weights = dict[str, Tensor]
VOCAB = 23
ROUNDED = 2e-6
"""Relative to the largest logit: the library's LLaMA normalises and turns in float32 whatever the weights are."""
EXACT = 1e-12


def tokens_of(batch: int, seq: int) -> Tensor:
    """Reproducible ids, some of them repeated."""
    return torch.randint(0, VOCAB, (batch, seq), generator=torch.Generator().manual_seed(batch + seq))


def shaken(model: nn.Module) -> nn.Module:
    """The model in float64, every parameter random: its own first weights have biases of 0 and gains of 1."""
    generator = torch.Generator().manual_seed(0)
    model = model.double().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            numbers = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            fan_in = parameter.shape[0] if "c_" in name else parameter.shape[-1]
            gain = parameter.dim() == 1 and name.endswith("weight")
            scale = 1.2 / math.sqrt(fan_in) if parameter.dim() == 2 and "layers" in name + name.replace(".h.", "layers") else 0.5
            parameter.copy_(1 + 0.5 * numbers if gain else scale * numbers)
    return model


def from_gpt2(theirs: Weights) -> Weights:
    """Tensors under the library's names as the course names them: Conv1D stores (in, out), q, k and v side by side."""
    ours = {"wte": theirs["transformer.wte.weight"], "wpe": theirs["transformer.wpe.weight"]}
    ours |= {"ln_f.gamma": theirs["transformer.ln_f.weight"], "ln_f.beta": theirs["transformer.ln_f.bias"]}
    for n in range(sum(key.endswith("ln_1.weight") for key in theirs)):
        layer = {key.removeprefix(f"transformer.h.{n}."): t for key, t in theirs.items() if f".h.{n}." in key}
        block = {f"ln{i}.{our}": layer[f"ln_{i}.{their}"] for i in (1, 2)
                 for our, their in (("gamma", "weight"), ("beta", "bias"))}  # fmt: skip
        for letter, matrix, bias in zip(
            "qkv", layer["attn.c_attn.weight"].chunk(3, dim=1), layer["attn.c_attn.bias"].chunk(3), strict=True
        ):
            block |= {f"attn.w{letter}": matrix.T, f"attn.b{letter}": bias}
        for our, their in (("attn.{}o", "attn.c_proj"), ("mlp.{}_in", "mlp.c_fc"), ("mlp.{}_out", "mlp.c_proj")):
            block |= {our.format("w"): layer[f"{their}.weight"].T, our.format("b"): layer[f"{their}.bias"]}
        ours |= {f"blocks.{n}.{key}": tensor for key, tensor in block.items()}
    return ours


def from_llama(theirs: Weights) -> Weights:
    """Tensors under the library's names as the course names them; both store (out, in) and halves of a head."""
    renamed = {
        "input_layernorm.weight": "norm1.weight", "post_attention_layernorm.weight": "norm2.weight",
        "mlp.gate_proj.weight": "mlp.w_gate", "mlp.up_proj.weight": "mlp.w_up", "mlp.down_proj.weight": "mlp.w_down",
    } | {f"self_attn.{letter}_proj.weight": f"attn.w{letter}" for letter in "qkvo"}  # fmt: skip
    outside = {"model.embed_tokens.weight": "wte", "model.norm.weight": "norm_f.weight", "lm_head.weight": "lm_head"}
    ours = {our: theirs[their] for their, our in outside.items() if their in theirs}
    for key, tensor in theirs.items():
        if key.startswith("model.layers."):
            _, _, n, name = key.split(".", 3)
            ours[f"blocks.{n}.{renamed[name]}"] = tensor
    return ours


def compare(
    theirs: nn.Module, mapped: Callable[[Weights], Weights], ours: Callable[[Tensor, Weights], Tensor], tokens: Tensor,
    tolerance: float,
) -> Weights:  # fmt: skip
    """Logits and all gradients of the next-token loss must agree, relative to the largest. Returns the weights."""
    named = dict(theirs.named_parameters())
    expected = theirs(tokens).logits
    targets = tokens[:, 1:].flatten()
    expected_loss = F.cross_entropy(expected[:, :-1].flatten(0, 1), targets)
    slopes = torch.autograd.grad(expected_loss, list(named.values()))
    expected_slopes = mapped(dict(zip(named, slopes, strict=True)))

    weights = {key: t.detach().clone().requires_grad_() for key, t in mapped(named).items()}
    found = ours(tokens, weights)
    loss = cross_entropy(found[:, :-1], shift_targets(tokens)[1])
    found_slopes = dict(zip(weights, torch.autograd.grad(loss, list(weights.values())), strict=True))

    near(found, expected, tolerance, "logits")
    assert float(loss) == pytest.approx(float(expected_loss), rel=tolerance)
    assert found_slopes.keys() == expected_slopes.keys()
    for key, slope in found_slopes.items():
        # the gradient of a key bias is 0 up to rounding, so there the scale is that of the other gradients
        near(slope, expected_slopes[key], tolerance, key, floor=0.0 if "attn.bk" not in key else 1.0)
    return weights


def near(found: Tensor, expected: Tensor, tolerance: float, what: str, floor: float = 0.0) -> None:
    """Same dtype and shape, and equal to within `tolerance` of the largest value."""
    scale = max(floor, float(expected.detach().abs().max()))
    torch.testing.assert_close(
        found.detach(), expected.detach(), rtol=0, atol=10 * tolerance * scale, msg=lambda says: f"{what}: {says}"
    )


class TestGpt2:
    @pytest.mark.parametrize(("n_blocks", "n_heads", "hidden"), [(1, 1, 7), (3, 5, 33), (11, 2, 12)])
    def test_logits_and_gradients(self, n_blocks: int, n_heads: int, hidden: int) -> None:
        config = GPT2Config(
            vocab_size=VOCAB, n_positions=9, n_embd=10, n_layer=n_blocks, n_head=n_heads, n_inner=hidden,
            attn_pdrop=0.0, embd_pdrop=0.0, resid_pdrop=0.0, bos_token_id=0, eos_token_id=0,
        )  # fmt: skip
        model = shaken(GPT2LMHeadModel(config))
        for seq in (1, 6, 9):
            if seq > 1:
                weights = compare(model, from_gpt2, lambda x, w: gpt2(x, w, n_heads), tokens_of(2, seq), EXACT)
        assert sum(p.numel() for p in model.parameters()) == sum(w.numel() for w in weights.values())

    def test_count_of_gpt2_small(self) -> None:
        with torch.device("meta"):
            model = GPT2LMHeadModel(GPT2Config())
        config = {
            "family": "gpt2", "vocab": 50257, "d_model": 768, "n_blocks": 12, "n_heads": 12, "n_kv_heads": 12,
            "d_hidden": 3072, "max_positions": 1024, "tied": True,
        }  # fmt: skip
        assert sum(p.numel() for p in model.parameters()) == count_parameters(config)
