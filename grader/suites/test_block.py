"""Hidden suite of the lesson on the block: pre-norm, post-norm, the blocks of GPT-2 and LLaMA, and a trace of shapes.

Batch, time, heads and widths differ, weights are of order one over the root of their inputs, gains and shifts are
random, so that every norm, residual and projection shows. Positions start anywhere and leave gaps.
"""

from collections.abc import Callable, Sequence

import pytest
import torch
from torch import Tensor

from grader.judge.answer import answer
from grader.judge.probe import Probe
from grader.suite import Check, Draw, dtype, exercise, law, public, shape, value
from reference import block as reference

Layer = Callable[[Tensor], Tensor]
Weights = dict[str, Tensor]

PRECISIONS = pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
BASE = 500.0
GPT2_SILENCERS = ("attn.wo", "attn.bo", "mlp.w_out", "mlp.b_out")
LLAMA_SILENCERS = ("attn.wo", "mlp.w_down")
"""What must be 0 for a block's sublayers to write nothing."""


def halve_and_drop_one(x: Tensor) -> Tensor:
    """Stands for a norm where a person should be able to follow the numbers."""
    return x / 2 - 1


def square_and_add_three(x: Tensor) -> Tensor:
    """Stands for a sublayer where a person should be able to follow the numbers."""
    return x * x + 3


def write_nothing(x: Tensor) -> Tensor:
    """A sublayer that leaves the stream to itself."""
    return 0 * x


def gained_norm(draw: Draw, width: int) -> Layer:
    """A norm over the last axis with random gains."""
    gain = draw.normal(width)

    def norm(x: Tensor) -> Tensor:
        return x / (x.square().mean(-1, keepdim=True) + 0.1).sqrt() * gain.to(x.dtype)

    return norm


def mixing_layer(draw: Draw, width: int) -> Layer:
    """A sublayer that mixes tokens (running sums along axis -2) and features, and is not linear."""
    matrix = draw.normal(width, width, scale=width**-0.5)

    def layer(x: Tensor) -> Tensor:
        mixed = x.cumsum(-2) if x.dim() > 1 else x
        return torch.sin(mixed) @ matrix.to(x.dtype).T

    return layer


class Counted:
    """A function that counts its calls."""

    def __init__(self, function: Layer) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, x: Tensor) -> Tensor:
        self.calls += 1
        return self.function(x)


def expect_one_call_each(check: Check, right: Callable[..., Tensor], h: Tensor, norm: Layer, sublayer: Layer) -> None:
    """The law that a norm and a sublayer are called once. The judge asks the reference too: its calls are taken off."""
    apart, together = [(Counted(norm), Counted(sublayer)) for _ in range(2)]
    answer(right, Probe((h, *apart), aim="call"))
    check.call(h, *together)
    for name, alone, both in zip(("norm", "sublayer"), apart, together, strict=True):
        calls = both.calls - alone.calls
        check.expect(calls == 1, f"The {name} was called {calls} times; once is right.")


def matrices(draw: Draw, sizes: dict[str, tuple[int, int]], tidy: bool) -> Weights:
    """Random matrices, or small ones with one decimal."""
    return {
        name: draw.tidy(*size, low=-1.0, high=1.0) if tidy else draw.normal(*size, scale=1.4 * size[1] ** -0.5)
        for name, size in sizes.items()
    }


def vectors(draw: Draw, sizes: dict[str, int], tidy: bool) -> Weights:
    """Random gains, shifts or biases, or small ones with one decimal."""
    return {name: draw.tidy(size) if tidy else draw.normal(size) for name, size in sizes.items()}


def gpt2_weights(
    draw: Draw, width: int, hidden: int, tidy: bool = False, precision: torch.dtype = torch.float64
) -> Weights:
    """All sixteen tensors of a GPT-2 block."""
    gains = vectors(draw, {f"{norm}.{part}": width for norm in ("ln1", "ln2") for part in ("gamma", "beta")}, tidy)
    square = {f"attn.w{letter}": (width, width) for letter in "qkvo"}
    weights = matrices(draw, square | {"mlp.w_in": (hidden, width), "mlp.w_out": (width, hidden)}, tidy)
    biases = {f"attn.b{letter}": width for letter in "qkvo"} | {"mlp.b_in": hidden, "mlp.b_out": width}
    return {name: w.to(precision) for name, w in (gains | weights | vectors(draw, biases, tidy)).items()}


def llama_weights(
    draw: Draw, width: int, kv_width: int, hidden: int, tidy: bool = False, precision: torch.dtype = torch.float64
) -> Weights:
    """All nine tensors of a LLaMA block."""
    gains = vectors(draw, {"norm1.weight": width, "norm2.weight": width}, tidy)
    rows = {"attn.wq": width, "attn.wk": kv_width, "attn.wv": kv_width, "attn.wo": width}
    sizes = {name: (n, width) for name, n in rows.items()}
    sizes |= {"mlp.w_gate": (hidden, width), "mlp.w_up": (hidden, width), "mlp.w_down": (width, hidden)}
    return {name: w.to(precision) for name, w in (gains | matrices(draw, sizes, tidy)).items()}


def calm(draw: Draw, weights: Weights, precision: torch.dtype) -> Weights:
    """The same weights with gains from 0.5 to 1 and smaller branches, for gradients and for 16 bits.

    With large gains and scores the rounding of right answers (bfloat16, or float32 inside) reaches the pass line.
    """
    calmed = {}
    for name, w in weights.items():
        kind = name.partition(".")[2]
        if kind in ("gamma", "weight"):
            calmed[name] = draw.uniform(len(w), low=0.5, high=1.0)
        else:
            calmed[name] = {"wq": 1.0, "wk": 1.0, "wv": 0.8, "wo": 0.8}.get(kind, 0.5) * w
    return {name: w.to(precision) for name, w in calmed.items()}


def scaled(weights: Weights, names: Sequence[str], factor: float) -> Weights:
    """The same weights with some of them multiplied."""
    return {name: factor * w if name in names else w for name, w in weights.items()}


def paths(weights: Weights) -> tuple[int | tuple[int, str], ...]:
    """Gradient paths of h and of all weights but the key bias, whose true gradient is zero up to rounding."""
    return (0, *((1, name) for name in weights if name != "attn.bk"))


def moved_at(h: Tensor, position: int) -> Tensor:
    """`h` with another vector at one position."""
    moved = h.clone()
    moved[:, position] = 1.5 - 2 * moved[:, position]
    return moved


def expect_causal(check: Check, before: object, after: object, h: Tensor, position: int) -> None:
    """The law that a changed position alters itself, what comes later, and nothing before it."""
    assert isinstance(before, Tensor)
    assert isinstance(after, Tensor)
    check.expect(before.shape == after.shape == h.shape, "The result must have the shape of h.")
    sentence = "A changed position alters results that come before it."
    check.close(before[:, :position], after[:, :position], 1e-6, sentence)
    for place, said in ((position, "its own result"), (-1, "every later result")):
        same = torch.equal(before[:, place], after[:, place])
        check.expect(not same, f"A changed position leaves {said} as it was.")


@exercise("pre_norm")
class TestPreNorm:
    @public
    @value(3)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """The norm, then the sublayer, then h is added."""
        check(draw.tidy(2, 3), halve_and_drop_one, square_and_add_three)

    @value(2)
    def test_sublayer_that_mixes(self, check: Check, draw: Draw) -> None:
        """A norm with gains and a sublayer in which tokens and features mix."""
        check(draw.normal(3, 5, 8, scale=2.0, shift=1.0), gained_norm(draw, 8), mixing_layer(draw, 8))

    @value(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One vector alone, one token, and four axes."""
        norm, sublayer = gained_norm(draw, 6), mixing_layer(draw, 6)
        for sizes in ((6,), (2, 1, 6), (2, 3, 4, 6)):
            check(draw.normal(*sizes, shift=1.0), norm, sublayer)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """The gradient of h comes along the stream and through sublayer and norm."""
        check.gradient(draw.normal(2, 4, 5, shift=1.0), gained_norm(draw, 5), mixing_layer(draw, 5))

    @law(1)
    def test_each_called_once(self, check: Check, draw: Draw) -> None:
        """The norm and the sublayer are called exactly once."""
        h = draw.normal(2, 3, 4)
        expect_one_call_each(check, reference.pre_norm, h, gained_norm(draw, 4), mixing_layer(draw, 4))

    @law(1)
    def test_silent_sublayer(self, check: Check, draw: Draw) -> None:
        """A sublayer that writes nothing leaves h as it is, to the last bit."""
        check.exact(draw.normal(2, 3, 5, scale=3.0, dtype=torch.float32), gained_norm(draw, 5), write_nothing)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of h."""
        check(draw.normal(2, 3, 5, dtype=precision), halve_and_drop_one, square_and_add_three)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch."""
        check(draw.normal(0, 3, 5), halve_and_drop_one, square_and_add_three)

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """h is the same after the call."""
        check.unchanged(draw.normal(2, 3, 5), halve_and_drop_one, square_and_add_three)


@exercise("post_norm")
class TestPostNorm:
    @public
    @value(3)
    def test_small_rows(self, check: Check, draw: Draw) -> None:
        """The sublayer, then h is added, then the norm."""
        check(draw.tidy(2, 3), halve_and_drop_one, square_and_add_three)

    @value(2)
    def test_sublayer_that_mixes(self, check: Check, draw: Draw) -> None:
        """A norm with gains and a sublayer in which tokens and features mix."""
        check(draw.normal(3, 5, 8, scale=2.0, shift=1.0), gained_norm(draw, 8), mixing_layer(draw, 8))

    @value(1)
    def test_any_leading_axes(self, check: Check, draw: Draw) -> None:
        """One vector alone, one token, and four axes."""
        norm, sublayer = gained_norm(draw, 6), mixing_layer(draw, 6)
        for sizes in ((6,), (2, 1, 6), (2, 3, 4, 6)):
            check(draw.normal(*sizes, shift=1.0), norm, sublayer)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """The gradient of h comes through the norm, from the stream and from the sublayer."""
        check.gradient(draw.normal(2, 4, 5, shift=1.0), gained_norm(draw, 5), mixing_layer(draw, 5))

    @law(1)
    def test_each_called_once(self, check: Check, draw: Draw) -> None:
        """The norm and the sublayer are called exactly once."""
        h = draw.normal(2, 3, 4)
        expect_one_call_each(check, reference.post_norm, h, gained_norm(draw, 4), mixing_layer(draw, 4))

    @value(1)
    def test_silent_sublayer(self, check: Check, draw: Draw) -> None:
        """A sublayer that writes nothing leaves norm(h)."""
        check(draw.normal(2, 3, 5, scale=3.0), gained_norm(draw, 5), write_nothing)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of h."""
        check(draw.normal(2, 3, 5, dtype=precision), halve_and_drop_one, square_and_add_three)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch."""
        check(draw.normal(0, 3, 5), halve_and_drop_one, square_and_add_three)

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """h is the same after the call."""
        check.unchanged(draw.normal(2, 3, 5), halve_and_drop_one, square_and_add_three)


@exercise("gpt2_block")
class TestGpt2Block:
    @public
    @value(3)
    def test_two_tokens_two_heads(self, check: Check, draw: Draw) -> None:
        """LayerNorm, causal attention, add, LayerNorm, feed-forward network, add."""
        check(draw.tidy(1, 2, 4), gpt2_weights(draw, 4, 3, tidy=True), 2)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """More samples, tokens and heads."""
        check(draw.normal(2, 5, 24), gpt2_weights(draw, 24, 40), 6)
        check(draw.normal(3, 4, 15, scale=3.0, shift=1.0), gpt2_weights(draw, 15, 22), 3)

    @value(1)
    def test_small_activations(self, check: Check, draw: Draw) -> None:
        """Activations of size 0.001, where the eps of both norms decides."""
        weights = scaled(gpt2_weights(draw, 8, 12), ("attn.wo", "attn.bo"), 1e-3)
        check(draw.normal(2, 3, 8, scale=1e-3), weights, 2)

    @value(1)
    def test_one_head_one_token(self, check: Check, draw: Draw) -> None:
        """A single head; a single token, which attends to itself."""
        check(draw.normal(2, 4, 5), gpt2_weights(draw, 5, 7), 1)
        check(draw.normal(3, 1, 6), gpt2_weights(draw, 6, 10), 2)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach h and every weight."""
        weights = calm(draw, gpt2_weights(draw, 12, 7), torch.float64)
        check.gradient(draw.normal(2, 4, 12), weights, 3, wrt=paths(weights))

    @public
    @law(1)
    def test_silent_sublayers(self, check: Check, draw: Draw) -> None:
        """Where attention and network write nothing, h comes back to the last bit."""
        weights = scaled(gpt2_weights(draw, 8, 12, precision=torch.float32), GPT2_SILENCERS, 0.0)
        check.exact(draw.normal(2, 3, 8, scale=2.0, dtype=torch.float32), weights, 4)

    @law(1)
    def test_causal(self, check: Check, draw: Draw) -> None:
        """Changing one position changes no result before it."""
        h, weights = draw.normal(2, 6, 8), gpt2_weights(draw, 8, 12)
        expect_causal(check, check.call(h, weights, 4), check.call(moved_at(h, 3), weights, 4), h, 3)

    @law(1)
    def test_common_offset_passes_through(self, check: Check, draw: Draw) -> None:
        """A number added to all features of a token stays in the stream, and no sublayer sees it."""
        h, weights = draw.normal(2, 4, 8), gpt2_weights(draw, 8, 12)
        offset = draw.normal(2, 4, 1, scale=3.0)
        plain, shifted = check.call(h, weights, 2), check.call(h + offset, weights, 2)
        check.expect(isinstance(plain, Tensor) and plain.shape == h.shape, "The result must have the shape of h.")
        sentence = (
            "A number added to all features of a token must come out as that number more, and change nothing else."
        )
        check.close(shifted, plain + offset, 1e-4, sentence)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of h."""
        weights = calm(draw, gpt2_weights(draw, 24, 40), precision)
        check(draw.normal(2, 7, 24, dtype=precision), weights, 3)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch."""
        check(draw.normal(0, 4, 6), gpt2_weights(draw, 6, 10), 2)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """h and the weights are the same after the call; no key is added or taken."""
        check.unchanged(draw.normal(2, 3, 6), gpt2_weights(draw, 6, 10), 3)


@exercise("llama_block")
class TestLlamaBlock:
    @public
    @value(3)
    def test_two_tokens_two_heads(self, check: Check, draw: Draw) -> None:
        """RMSNorm, causal attention with turned queries and keys, add, RMSNorm, SwiGLU, add."""
        weights = llama_weights(draw, 4, 2, 3, tidy=True)
        check(draw.tidy(1, 2, 4), weights, 2, 1, torch.tensor([3, 5]), base=BASE, eps=0.1)

    @value(2)
    def test_batches(self, check: Check, draw: Draw) -> None:
        """Groups of three and of two query heads, one key-value head, and as many as query heads."""
        places = torch.tensor([3, 5, 9, 10, 17])
        check(draw.normal(2, 5, 24), llama_weights(draw, 24, 8, 40), 6, 2, places, base=BASE)
        check(draw.normal(3, 5, 24, scale=3.0, shift=1.0), llama_weights(draw, 24, 12, 19), 4, 2, places, base=BASE)
        check(draw.normal(2, 5, 12), llama_weights(draw, 12, 4, 22), 3, 1, places, base=BASE)
        check(draw.normal(2, 5, 16), llama_weights(draw, 16, 16, 9), 2, 2, places, base=BASE)

    @value(1)
    def test_default_base_and_eps(self, check: Check, draw: Draw) -> None:
        """Without arguments the base is 10000, and eps is 1e-6 in both norms."""
        weights = scaled(llama_weights(draw, 16, 8, 12), ("attn.wo",), 1e-3)
        check(draw.normal(2, 4, 16, scale=1e-3), weights, 4, 2, torch.tensor([2, 3, 11, 12]))

    @value(1)
    def test_positions_in_any_order(self, check: Check, draw: Draw) -> None:
        """Positions may have gaps, repeats and any order; a token sees those before it in h."""
        weights = llama_weights(draw, 16, 8, 11)
        check(draw.normal(2, 5, 16), weights, 4, 2, torch.tensor([7, 2, 9, 2, 0]), base=BASE, eps=0.1)

    @value(1)
    def test_one_token(self, check: Check, draw: Draw) -> None:
        """A single token attends to itself, wherever it stands."""
        check(draw.normal(3, 1, 8), llama_weights(draw, 8, 4, 10), 2, 1, torch.tensor([11]), base=BASE)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach h and every weight."""
        weights = calm(draw, llama_weights(draw, 12, 4, 7), torch.float64)
        check.gradient(
            draw.normal(2, 4, 12), weights, 3, 1, torch.tensor([1, 2, 4, 8]), base=BASE, eps=0.1, wrt=paths(weights)
        )

    @public
    @law(1)
    def test_silent_sublayers(self, check: Check, draw: Draw) -> None:
        """Where attention and network write nothing, h comes back to the last bit."""
        weights = scaled(llama_weights(draw, 8, 4, 10, precision=torch.float32), LLAMA_SILENCERS, 0.0)
        check.exact(draw.normal(2, 3, 8, scale=2.0, dtype=torch.float32), weights, 2, 1, torch.tensor([4, 5, 7]))

    @law(1)
    def test_causal(self, check: Check, draw: Draw) -> None:
        """Changing one position changes no result before it."""
        h, weights = draw.normal(2, 6, 16), llama_weights(draw, 16, 8, 12)
        places = torch.tensor([5, 6, 8, 9, 20, 21])
        before, after = (check.call(x, weights, 4, 2, places, base=BASE) for x in (h, moved_at(h, 3)))
        expect_causal(check, before, after, h, 3)

    @law(1)
    def test_only_distances_count(self, check: Check, draw: Draw) -> None:
        """The same number added to all positions changes nothing."""
        h, weights = draw.normal(2, 5, 16), llama_weights(draw, 16, 8, 12)
        places = torch.tensor([0, 1, 3, 4, 8])
        near, far = (check.call(h, weights, 4, 2, places + start, base=BASE) for start in (0, 29))
        check.close(near, far, 1e-4, "The same number added to all positions changes the result.")

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The result has the dtype of h."""
        weights = calm(draw, llama_weights(draw, 24, 8, 40), precision)
        check(draw.normal(2, 7, 24, dtype=precision), weights, 6, 2, torch.arange(3, 10))

    @dtype(1)
    def test_far_positions_in_16_bits(self, check: Check, draw: Draw) -> None:
        """Angles of positions beyond a thousand keep their digits for bfloat16 activations."""
        weights = calm(draw, llama_weights(draw, 16, 8, 24), torch.bfloat16)
        places = torch.tensor([1001, 1002, 1004, 1007, 1013, 1019, 1030, 1031, 1034, 1043, 1049, 1050])
        check(draw.normal(4, 12, 16, dtype=torch.bfloat16), weights, 4, 2, places)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch."""
        check(draw.normal(0, 3, 8), llama_weights(draw, 8, 4, 10), 2, 1, torch.tensor([0, 1, 2]))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """h, the weights and the positions are the same after the call; no key is added or taken."""
        check.unchanged(draw.normal(2, 3, 8), llama_weights(draw, 8, 4, 10), 2, 1, torch.tensor([4, 5, 7]))


def sizes_of(batch: int, seq: int, d_model: int, n_heads: int, n_kv_heads: int, d_hidden: int) -> dict[str, int]:
    """A configuration for the trace."""
    heads = {"n_heads": n_heads, "n_kv_heads": n_kv_heads}
    return {"batch": batch, "seq": seq, "d_model": d_model, **heads, "d_hidden": d_hidden}


@exercise("trace_block")
class TestTraceBlock:
    @public
    @value(3)
    def test_small_block(self, check: Check) -> None:
        """Sixteen stages in order, each with its shape."""
        check(sizes_of(2, 3, 24, 6, 2, 10))

    @value(2)
    def test_real_sizes(self, check: Check) -> None:
        """LLaMA-2 7B and 70B."""
        check(sizes_of(1, 4096, 4096, 32, 32, 11008))
        check(sizes_of(4, 2048, 8192, 64, 8, 28672))

    @value(1)
    def test_single_heads(self, check: Check) -> None:
        """One key-value head for all; one head in all; one token."""
        check(sizes_of(3, 5, 16, 8, 1, 7))
        check(sizes_of(2, 7, 6, 1, 1, 9))
        check(sizes_of(5, 1, 12, 3, 3, 8))

    @value(1)
    def test_drawn_sizes(self, check: Check, draw: Draw) -> None:
        """Whatever the sizes."""
        for _ in range(3):
            batch, seq, groups, per_group, k, hidden = draw.integers(2, 9, 6).tolist()
            check(sizes_of(batch, seq, groups * per_group * k, groups * per_group, groups, hidden + 9))

    @public
    @law(1)
    def test_leaves_config_alone(self, check: Check) -> None:
        """The configuration is the same after the call."""
        check.unchanged(sizes_of(2, 3, 24, 6, 2, 10))
