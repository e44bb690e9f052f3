"""The reference's models against the classes that the field runs: the same weights, logits and gradients.

Models are built from configurations with random weights; nothing is downloaded. Sizes are odd on purpose: heads that
share keys, a hidden width that is no multiple of anything, a base and an eps that are nobody's default.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from reference.model import count_parameters, gpt2, init_gpt2, llama
from reference.objective import cross_entropy, shift_targets
from reference.positions import rope_angles

Weights = dict[str, Tensor]
VOCAB = 23
EXACT = 1e-12
ROUNDED = 2e-6
"""The library's LLaMA normalises and turns in float32 whatever the dtype of its weights."""
ATTENTION: dict[str, Any] = {"attn_implementation": "sdpa"}
"""The library's other attention takes its softmax in float32."""


@pytest.fixture(scope="module")
def library() -> Any:
    """Five seconds of a core, which the processes that only collect this file need not spend."""
    import transformers

    return transformers


def tokens_of(batch: int, seq: int) -> Tensor:
    """Reproducible ids, some of them repeated."""
    return torch.randint(0, VOCAB, (batch, seq), generator=torch.Generator().manual_seed(batch + seq))


def shaken(model: Any) -> Any:
    """The model in float64 with random parameters throughout: its own first biases are 0 and its first gains 1."""
    generator = torch.Generator().manual_seed(0)
    model = model.double().eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            numbers = torch.randn(parameter.shape, generator=generator, dtype=torch.float64)
            if parameter.dim() == 1:
                parameter.copy_(0.5 * numbers + float(name.endswith("weight")))
            else:
                in_block = ".h." in name or ".layers." in name
                parameter.copy_(numbers * (1.2 / math.sqrt(max(parameter.shape)) if in_block else 0.7))
    return model


def from_gpt2(theirs: Mapping[str, Tensor]) -> Weights:
    """Tensors under the library's names as the course names them: Conv1D stores (in, out), q, k and v side by side."""
    ours = {"wte": theirs["transformer.wte.weight"], "wpe": theirs["transformer.wpe.weight"]}
    ours |= {"ln_f.gamma": theirs["transformer.ln_f.weight"], "ln_f.beta": theirs["transformer.ln_f.bias"]}
    for n in range(sum(key.endswith("ln_1.weight") for key in theirs)):
        own = f"transformer.h.{n}."
        layer = {key.removeprefix(own): tensor for key, tensor in theirs.items() if key.startswith(own)}
        block: Weights = {}
        for i in (1, 2):
            block |= {f"ln{i}.gamma": layer[f"ln_{i}.weight"], f"ln{i}.beta": layer[f"ln_{i}.bias"]}
        matrices, biases = layer["attn.c_attn.weight"].chunk(3, dim=1), layer["attn.c_attn.bias"].chunk(3)
        for letter, matrix, bias in zip("qkv", matrices, biases, strict=True):
            block |= {f"attn.w{letter}": matrix.T, f"attn.b{letter}": bias}
        for our, their in (("attn.{}o", "attn.c_proj"), ("mlp.{}_in", "mlp.c_fc"), ("mlp.{}_out", "mlp.c_proj")):
            block |= {our.format("w"): layer[f"{their}.weight"].T, our.format("b"): layer[f"{their}.bias"]}
        ours |= {f"blocks.{n}.{key}": tensor for key, tensor in block.items()}
    return ours


def from_llama(theirs: Mapping[str, Tensor]) -> Weights:
    """Tensors under the library's names as the course names them: both store (out, in) and turn halves of a head."""
    renamed = {
        "input_layernorm.weight": "norm1.weight",
        "post_attention_layernorm.weight": "norm2.weight",
        "mlp.gate_proj.weight": "mlp.w_gate",
        "mlp.up_proj.weight": "mlp.w_up",
        "mlp.down_proj.weight": "mlp.w_down",
    }
    renamed |= {f"self_attn.{letter}_proj.weight": f"attn.w{letter}" for letter in "qkvo"}
    outside = {"model.embed_tokens.weight": "wte", "model.norm.weight": "norm_f.weight", "lm_head.weight": "lm_head"}
    ours = {our: theirs[their] for their, our in outside.items() if their in theirs}
    for key, tensor in theirs.items():
        if key.startswith("model.layers."):
            _, _, n, name = key.split(".", 3)
            ours[f"blocks.{n}.{renamed[name]}"] = tensor
    return ours


def must_agree(
    theirs: Any,
    mapped: Callable[[Mapping[str, Tensor]], Weights],
    ours: Callable[[Tensor, Weights], Tensor],
    tokens: Tensor,
    tolerance: float,
) -> None:
    """Logits, next-token loss and the gradients of all weights."""
    named = dict(theirs.named_parameters())
    expected = theirs(tokens).logits
    expected_loss = F.cross_entropy(expected[:, :-1].flatten(0, 1), tokens[:, 1:].flatten())
    slopes = torch.autograd.grad(expected_loss, list(named.values()))
    expected_slopes = mapped(dict(zip(named, slopes, strict=True)))

    weights = {key: tensor.detach().clone().requires_grad_() for key, tensor in mapped(named).items()}
    found = ours(tokens, weights)
    loss = cross_entropy(found[:, :-1], shift_targets(tokens)[1])
    found_slopes = dict(zip(weights, torch.autograd.grad(loss, list(weights.values())), strict=True))

    near(found, expected, tolerance, "the logits")
    near(loss, expected_loss, tolerance, "the loss")
    largest = max(float(slope.abs().max()) for slope in expected_slopes.values())
    assert found_slopes.keys() == expected_slopes.keys()
    for key, slope in found_slopes.items():
        near(slope, expected_slopes[key], tolerance, f"the gradient of {key}", scale=largest)


def near(found: Tensor, expected: Tensor, tolerance: float, what: str, scale: float | None = None) -> None:
    """The same dtype and shape, and equal to within `tolerance` of the scale: by default of the largest value."""
    found, expected = found.detach(), expected.detach()
    atol = tolerance * (float(expected.abs().max()) if scale is None else scale)
    torch.testing.assert_close(found, expected, rtol=0, atol=atol, msg=lambda says: f"{what}: {says}")


class Turns(nn.Module):
    """The library's table of cosines and sines, from angles rounded to float32 once and turned in float64."""

    def __init__(self, head_width: int, base: float) -> None:
        super().__init__()
        self.head_width = head_width
        self.base = base

    def forward(self, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
        angles = rope_angles(position_ids[0], self.head_width, self.base).double()
        both = torch.cat((angles, angles), dim=-1)[None]
        return both.cos(), both.sin()


def without_rounding(model: Any, config: Any, base: float) -> Any:
    """The library's LLaMA with torch's RMSNorm in the place of its own, and float64 where it goes through float32."""
    for layer in model.model.layers:
        for name in ("input_layernorm", "post_attention_layernorm"):
            setattr(layer, name, torch_norm(getattr(layer, name), config.rms_norm_eps))
    model.model.norm = torch_norm(model.model.norm, config.rms_norm_eps)
    model.model.rotary_emb = Turns(config.hidden_size // config.num_attention_heads, base)
    return model


def torch_norm(norm: Any, eps: float) -> nn.Module:
    """torch's RMSNorm with the gain of another."""
    found = nn.RMSNorm(norm.weight.numel(), eps=eps, dtype=torch.float64)
    found.weight = norm.weight
    return found


class TestGpt2:
    @pytest.mark.parametrize(("n_blocks", "n_heads", "hidden"), [(1, 1, 7), (3, 5, 33), (11, 2, 12)])
    def test_logits_and_gradients(self, library: Any, n_blocks: int, n_heads: int, hidden: int) -> None:
        sizes: dict[str, Any] = {"vocab_size": VOCAB, "n_positions": 9, "n_embd": 10, "n_inner": hidden}
        sizes |= {"n_layer": n_blocks, "n_head": n_heads, "bos_token_id": 0, "eos_token_id": 0}
        model = shaken(library.GPT2LMHeadModel(library.GPT2Config(**sizes, **ATTENTION)))
        for seq in (2, 6, 9):
            must_agree(model, from_gpt2, lambda x, w: gpt2(x, w, n_heads), tokens_of(3, seq), EXACT)

    def test_first_weights_have_the_librarys_deviations(self, library: Any) -> None:
        sizes = {"vocab": 50, "d_model": 48, "n_blocks": 6, "n_heads": 4, "d_hidden": 192, "max_positions": 60}
        ours = init_gpt2(sizes | {"family": "gpt2", "n_kv_heads": 4, "tied": True}, seed=1)
        config = library.GPT2Config(
            vocab_size=50, n_positions=60, n_embd=48, n_layer=6, n_head=4, bos_token_id=0, eos_token_id=0
        )
        torch.manual_seed(0)
        theirs = from_gpt2({name: p.detach() for name, p in library.GPT2LMHeadModel(config).named_parameters()})
        assert theirs.keys() == ours.keys()
        for ending in ("wq", "wk", "wv", "wo", "w_in", "w_out"):
            pooled = [torch.cat([t.flatten() for k, t in w.items() if k.endswith(ending)]) for w in (ours, theirs)]
            assert float(pooled[0].std()) == pytest.approx(float(pooled[1].std()), rel=0.05)
        for key in (key for key in ours if ours[key].dim() == 1):
            assert torch.equal(ours[key], theirs[key])

    def test_count_of_gpt2_small(self, library: Any) -> None:
        with torch.device("meta"):
            model = library.GPT2LMHeadModel(library.GPT2Config())
        sizes = {"vocab": 50257, "d_model": 768, "n_blocks": 12, "n_heads": 12, "n_kv_heads": 12, "d_hidden": 3072}
        config = sizes | {"family": "gpt2", "max_positions": 1024, "tied": True}
        assert sum(p.numel() for p in model.parameters()) == count_parameters(config)


LLAMAS = pytest.mark.parametrize(
    ("n_heads", "n_kv_heads", "n_blocks", "base", "eps"),
    [(6, 2, 2, 300.0, 0.03), (3, 3, 1, 10000.0, 1e-6), (6, 1, 11, 50.0, 1e-5)],
)


class TestLlama:
    @pytest.mark.parametrize("exact", [True, False], ids=["in float64", "as it is"])
    @pytest.mark.parametrize("tied", [True, False], ids=["tied", "untied"])
    @LLAMAS
    def test_logits_and_gradients(
        self,
        library: Any,
        n_heads: int,
        n_kv_heads: int,
        n_blocks: int,
        base: float,
        eps: float,
        tied: bool,
        exact: bool,
    ) -> None:
        sizes: dict[str, Any] = {"vocab_size": VOCAB, "hidden_size": 24, "intermediate_size": 17}
        sizes |= {"num_hidden_layers": n_blocks}
        sizes |= {"num_attention_heads": n_heads, "num_key_value_heads": n_kv_heads, "max_position_embeddings": 32}
        asked: dict[str, Any] = {"rope_theta": base, "rms_norm_eps": eps, "tie_word_embeddings": tied}
        config = library.LlamaConfig(**sizes, **asked, **ATTENTION)
        model = shaken(library.LlamaForCausalLM(config))
        model = without_rounding(model, config, base) if exact else model
        weights = from_llama(dict(model.named_parameters()))
        assert ("lm_head" in weights) != tied

        def ours(tokens: Tensor, weights: Weights) -> Tensor:
            return llama(tokens, weights, n_heads, n_kv_heads, base=base, eps=eps)

        for seq in (2, 13):
            must_agree(model, from_llama, ours, tokens_of(3, seq), EXACT if exact else ROUNDED)

    def test_count_of_llama_7b(self, library: Any) -> None:
        with torch.device("meta"):
            model = library.LlamaForCausalLM(library.LlamaConfig())
        sizes = {"vocab": 32000, "d_model": 4096, "n_blocks": 32, "n_heads": 32, "n_kv_heads": 32, "d_hidden": 11008}
        config = sizes | {"family": "llama", "max_positions": 2048, "tied": False}
        assert sum(p.numel() for p in model.parameters()) == count_parameters(config)
