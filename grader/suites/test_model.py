"""Hidden suite of the lesson on the whole model: GPT-2, LLaMA, their parameters, and GPT-2's first weights.

Models here are a few features wide, with weights large enough that a misplaced norm or a block out of turn moves every
logit. Seeded weights are judged by their statistics and never compared with the reference's: which numbers a seed gives
is the learner's own affair.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.suite import Check, Draw, dtype, exercise, law, public, raises, shape, value

PRECISIONS = pytest.mark.parametrize("precision", [torch.float32, torch.bfloat16], ids=["float32", "bfloat16"])
Weights = dict[str, Tensor]
Path = int | tuple[int, str]


def matrix(draw: Draw, rows: int, columns: int) -> Tensor:
    """A random projection that keeps the size of what it is applied to."""
    return draw.normal(rows, columns, scale=columns**-0.5)


def gain(draw: Draw, width: int) -> Tensor:
    """Gains around 1, all different."""
    return draw.normal(width, scale=0.5, shift=1.0)


def gpt2_weights(draw: Draw, vocab: int, width: int, hidden: int, n_blocks: int, positions: int) -> Weights:
    """Random weights of a GPT-2, biases and gains included."""
    weights = {"wte": draw.normal(vocab, width), "wpe": draw.normal(positions, width)}
    for n in range(n_blocks):
        block = {"ln1.gamma": gain(draw, width), "ln1.beta": draw.normal(width, scale=0.5)}
        for letter in "qkvo":
            block[f"attn.w{letter}"] = matrix(draw, width, width)
            block[f"attn.b{letter}"] = draw.normal(width, scale=0.5)
        block |= {"ln2.gamma": gain(draw, width), "ln2.beta": draw.normal(width, scale=0.5)}
        block |= {"mlp.w_in": matrix(draw, hidden, width), "mlp.b_in": draw.normal(hidden, scale=0.5)}
        block |= {"mlp.w_out": matrix(draw, width, hidden), "mlp.b_out": draw.normal(width, scale=0.5)}
        weights.update((f"blocks.{n}.{key}", tensor) for key, tensor in block.items())
    return weights | {"ln_f.gamma": gain(draw, width), "ln_f.beta": draw.normal(width, scale=0.5)}


def llama_weights(
    draw: Draw, vocab: int, width: int, kv_width: int, hidden: int, n_blocks: int, *, tied: bool = False
) -> Weights:
    """Random weights of a LLaMA, with an output matrix of its own unless it is tied."""
    weights = {"wte": draw.normal(vocab, width)}
    for n in range(n_blocks):
        block = {"norm1.weight": gain(draw, width)}
        heights = {"q": width, "k": kv_width, "v": kv_width, "o": width}
        block |= {f"attn.w{letter}": matrix(draw, size, width) for letter, size in heights.items()}
        block |= {"norm2.weight": gain(draw, width), "mlp.w_gate": matrix(draw, hidden, width)}
        block |= {"mlp.w_up": matrix(draw, hidden, width), "mlp.w_down": matrix(draw, width, hidden)}
        weights.update((f"blocks.{n}.{key}", tensor) for key, tensor in block.items())
    weights["norm_f.weight"] = gain(draw, width)
    return weights if tied else weights | {"lm_head": draw.normal(vocab, width)}


def tidy(draw: Draw, weights: Weights) -> Weights:
    """The same keys and shapes with numbers of one decimal, for a person to read."""
    return {key: draw.tidy(*weight.shape, low=-1.0, high=1.0) for key, weight in weights.items()}


def quiet(weights: Weights) -> Weights:
    """A model whose residual stream stays near 0.003, where eps counts: small tables, blocks that write little."""
    loud = ("wte", "wpe", "attn.wo", "attn.bo", "mlp.w_out", "mlp.b_out", "mlp.w_down")
    return {key: weight * 0.003 if key.endswith(loud) else weight for key, weight in weights.items()}


def in_other_order(draw: Draw, weights: Weights) -> Weights:
    """The same dict with its keys shuffled, the last block first."""
    keys = list(weights)
    shuffled = [keys[i] for i in draw.permutation(len(keys)).tolist()]
    last = max((int(key.split(".")[1]) for key in keys if key.startswith("blocks.")), default=0)
    shuffled.sort(key=lambda key: not key.startswith(f"blocks.{last}."))
    return {key: weights[key] for key in shuffled}


def cast(weights: Weights, precision: torch.dtype) -> Weights:
    """The same weights, rounded."""
    return {key: weight.to(precision) for key, weight in weights.items()}


def paths(weights: Weights) -> tuple[Path, ...]:
    """Gradient paths of all weights but the key biases, whose true gradient is zero up to rounding."""
    return tuple((1, key) for key in weights if not key.endswith("attn.bk"))


def replaced(tokens: Tensor, position: int, vocab: int) -> Tensor:
    """Another token at one position of every sample."""
    others = tokens.clone()
    others[:, position] = (others[:, position] + 1 + vocab // 2) % vocab
    return others


def expect_logits(check: Check, logits: object, tokens: Tensor, vocab: int) -> Tensor:
    """The result as a tensor `(B, T, V)`."""
    check.expect(isinstance(logits, Tensor), "A tensor was expected.")
    assert isinstance(logits, Tensor)
    check.expect(logits.shape == (*tokens.shape, vocab), "The result must have the shape (B, T, V).")
    return logits


def expect_causal(check: Check, before: Tensor, after: Tensor, position: int) -> None:
    """The law that a replaced token changes the logits at its own position and after, and none before."""
    sentence = "A token that is replaced changes logits at positions before it: the model sees its future."
    check.close(before[:, :position], after[:, :position], 1e-5, sentence)
    for t in (position, -1):
        moved = (before[:, t].double() - after[:, t].double()).abs().max() > 1e-4
        check.expect(moved, "A token that is replaced changes nothing at its own position or at the last one.")


class Decoder:
    """What holds for both models. Subclasses draw them: tokens, weights, and the arguments that follow."""

    def smallest(self, draw: Draw) -> tuple[Tensor, Weights, tuple[int, ...]]:
        """Three different tokens and one block."""
        raise NotImplementedError

    def model(self, draw: Draw, batch: int = 2) -> tuple[Tensor, Weights, tuple[int, ...]]:
        """Six tokens and two blocks."""
        raise NotImplementedError

    @public
    @value(3)
    def test_three_tokens_one_block(self, check: Check, draw: Draw) -> None:
        """Embed the tokens, run one block, normalise once, and score every token of the vocabulary."""
        tokens, weights, heads = self.smallest(draw)
        check(tokens, tidy(draw, weights), *heads)

    @public
    @law(1)
    def test_causal(self, check: Check, draw: Draw) -> None:
        """A replaced token changes no logit before it, and the last position sees every token."""
        tokens, weights, heads = self.model(draw)
        vocab = len(weights["wte"])
        before = expect_logits(check, check.call(tokens, weights, *heads), tokens, vocab)
        for position in (0, 3):
            after = check.call(replaced(tokens, position, vocab), weights, *heads)
            expect_causal(check, before, expect_logits(check, after, tokens, vocab), position)

    @law(1)
    def test_samples_are_apart(self, check: Check, draw: Draw) -> None:
        """A row of a batch gives the same logits alone, and the same for a shorter beginning of it."""
        tokens, weights, heads = self.model(draw, batch=3)
        vocab = len(weights["wte"])
        whole = expect_logits(check, check.call(tokens, weights, *heads), tokens, vocab)
        for part in (tokens[1:2], tokens[1:2, :4]):
            alone = expect_logits(check, check.call(part, weights, *heads), part, vocab)
            sentence = "A sequence gives other logits in a batch, or with tokens after it, than alone."
            check.close(whole[1:2, : part.shape[1]], alone, 1e-5, sentence)

    @dtype(1)
    @PRECISIONS
    def test_dtype(self, check: Check, draw: Draw, precision: torch.dtype) -> None:
        """The logits have the dtype of the weights."""
        tokens, weights, heads = self.model(draw)
        check(tokens, cast(weights, precision), *heads)

    @public
    @shape(1)
    def test_empty_batch(self, check: Check, draw: Draw) -> None:
        """An empty batch gives an empty batch of logits."""
        tokens, weights, heads = self.model(draw)
        check(tokens[:0], weights, *heads)

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """Tokens and weights are the same after the call, and so are the keys of the dict."""
        tokens, weights, heads = self.model(draw)
        check.unchanged(tokens, weights, *heads)
        check.unchanged(tokens, in_other_order(draw, weights), *heads)


@exercise("gpt2")
class TestGpt2(Decoder):
    def smallest(self, draw: Draw) -> tuple[Tensor, Weights, tuple[int, ...]]:
        weights = gpt2_weights(draw, vocab=5, width=4, hidden=3, n_blocks=1, positions=6)
        return draw.permutation(5)[None, :3], weights, (2,)

    def model(self, draw: Draw, batch: int = 2) -> tuple[Tensor, Weights, tuple[int, ...]]:
        weights = gpt2_weights(draw, vocab=13, width=8, hidden=10, n_blocks=2, positions=7)
        return draw.integers(0, 13, batch, 6), weights, (2,)

    @value(2)
    def test_three_blocks(self, check: Check, draw: Draw) -> None:
        """A batch through three blocks."""
        weights = gpt2_weights(draw, vocab=29, width=12, hidden=20, n_blocks=3, positions=31)
        check(draw.integers(0, 29, 3, 7), weights, 6)
        check(draw.integers(0, 29, 2, 5), weights, 1)

    @value(2)
    def test_eleven_blocks(self, check: Check, draw: Draw) -> None:
        """Block 10 comes after block 9, in whatever order the dict holds its keys."""
        weights = gpt2_weights(draw, vocab=7, width=6, hidden=4, n_blocks=11, positions=8)
        check(draw.integers(0, 7, 2, 3), weights, 2)
        check(draw.integers(0, 7, 1, 4), in_other_order(draw, weights), 3)

    @value(2)
    def test_positions(self, check: Check, draw: Draw) -> None:
        """Position p of every sample takes row p of wpe, whatever the tokens; as many as wpe has rows, or one only."""
        weights = gpt2_weights(draw, vocab=9, width=6, hidden=8, n_blocks=1, positions=11)
        check(draw.integers(0, 9, 2, 1).expand(2, 5), weights, 3)
        check(draw.integers(0, 9, 4, 4), weights, 2)
        check(draw.integers(0, 9, 3, 1), weights, 2)
        check(draw.integers(0, 9, 1, 11), weights, 2)

    @value(1)
    def test_small_stream(self, check: Check, draw: Draw) -> None:
        """In a stream of size 0.003 the eps of the final norm counts: 1e-5."""
        check(
            draw.integers(0, 9, 2, 4),
            quiet(gpt2_weights(draw, vocab=9, width=8, hidden=5, n_blocks=2, positions=6)),
            4,
        )

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach every weight; those of wte come from both ends of the model."""
        weights = gpt2_weights(draw, vocab=7, width=6, hidden=5, n_blocks=2, positions=5)
        check.gradient(draw.integers(0, 7, 2, 4), weights, 3, wrt=paths(weights))

    @public
    @raises(1)
    def test_too_long(self, check: Check, draw: Draw) -> None:
        """More tokens than wpe has rows are refused; as many are not."""
        weights = gpt2_weights(draw, vocab=9, width=4, hidden=3, n_blocks=1, positions=5)
        check.raises(draw.integers(0, 9, 2, 6), weights, 2)
        check.raises(draw.integers(0, 9, 1, 9), weights, 2)
        check(draw.integers(0, 9, 2, 5), weights, 2)


@exercise("llama")
class TestLlama(Decoder):
    def smallest(self, draw: Draw) -> tuple[Tensor, Weights, tuple[int, ...]]:
        weights = llama_weights(draw, vocab=5, width=4, kv_width=2, hidden=3, n_blocks=1)
        return draw.permutation(5)[None, :3], weights, (2, 1)

    def model(self, draw: Draw, batch: int = 2) -> tuple[Tensor, Weights, tuple[int, ...]]:
        weights = llama_weights(draw, vocab=13, width=16, kv_width=8, hidden=10, n_blocks=2)
        return draw.integers(0, 13, batch, 6), weights, (4, 2)

    @value(2)
    def test_three_blocks(self, check: Check, draw: Draw) -> None:
        """A batch through three blocks, with shared key-value heads and with one for each query head."""
        tokens = draw.integers(0, 29, 3, 7)
        check(tokens, llama_weights(draw, vocab=29, width=12, kv_width=4, hidden=20, n_blocks=3), 6, 2)
        check(tokens, llama_weights(draw, vocab=29, width=12, kv_width=12, hidden=20, n_blocks=3), 3, 3)

    @value(2)
    def test_eleven_blocks(self, check: Check, draw: Draw) -> None:
        """Block 10 comes after block 9, in whatever order the dict holds its keys."""
        weights = llama_weights(draw, vocab=7, width=8, kv_width=4, hidden=5, n_blocks=11)
        check(draw.integers(0, 7, 2, 3), weights, 4, 2)
        check(draw.integers(0, 7, 1, 4), in_other_order(draw, weights), 2, 1)

    @value(2)
    def test_tied(self, check: Check, draw: Draw) -> None:
        """Without lm_head the token table takes its place."""
        weights = llama_weights(draw, vocab=11, width=8, kv_width=4, hidden=6, n_blocks=2, tied=True)
        check(draw.integers(0, 11, 2, 5), weights, 4, 2)

    @value(2)
    def test_base_and_eps(self, check: Check, draw: Draw) -> None:
        """The base is that of every block, eps that of every norm, the last one included."""
        weights = llama_weights(draw, vocab=11, width=16, kv_width=8, hidden=6, n_blocks=2)
        check(draw.integers(0, 11, 2, 9), weights, 2, 1, base=50.0)
        check(draw.integers(0, 11, 2, 5), weights, 4, 2, eps=0.3)
        check(draw.integers(0, 11, 1, 6), weights, 4, 2, base=300.0, eps=0.1)

    @value(1)
    def test_small_stream(self, check: Check, draw: Draw) -> None:
        """In a stream of size 0.003 the default of eps counts: 1e-6."""
        weights = llama_weights(draw, vocab=9, width=8, kv_width=4, hidden=5, n_blocks=2)
        check(draw.integers(0, 9, 2, 4), quiet(weights), 4, 2)

    @value(2)
    def test_gradient(self, check: Check, draw: Draw) -> None:
        """Gradients reach every weight, with a matrix for the output and without."""
        for tied in (False, True):
            weights = llama_weights(draw, vocab=7, width=8, kv_width=4, hidden=5, n_blocks=2, tied=tied)
            check.gradient(draw.integers(0, 7, 2, 4), weights, 4, 2, wrt=paths(weights))

    @value(1)
    def test_one_token(self, check: Check, draw: Draw) -> None:
        """A sequence of one token; a single sample as long as the model is wide."""
        weights = llama_weights(draw, vocab=9, width=8, kv_width=2, hidden=5, n_blocks=2)
        check(draw.integers(0, 9, 3, 1), weights, 4, 1)
        check(draw.integers(0, 9, 1, 8), weights, 4, 1)

    @law(1)
    def test_tied_is_an_equal_matrix(self, check: Check, draw: Draw) -> None:
        """A tied model gives the logits of one whose lm_head equals wte."""
        weights = llama_weights(draw, vocab=11, width=8, kv_width=4, hidden=6, n_blocks=2, tied=True)
        tokens = draw.integers(0, 11, 2, 5)
        both = (weights, weights | {"lm_head": weights["wte"].clone()})
        tied, untied = (expect_logits(check, check.call(tokens, each, 4, 2), tokens, 11) for each in both)
        check.close(tied, untied, 1e-5, "Without lm_head the logits are not those of an lm_head that equals wte.")


SMALL: dict[str, Any] = {
    "family": "gpt2", "vocab": 11, "d_model": 6, "n_blocks": 2, "n_heads": 3, "n_kv_heads": 1, "d_hidden": 10,
    "max_positions": 7, "tied": True,
}  # fmt: skip
GPT2_SMALL: dict[str, Any] = {
    "family": "gpt2", "vocab": 50257, "d_model": 768, "n_blocks": 12, "n_heads": 12, "n_kv_heads": 12,
    "d_hidden": 3072, "max_positions": 1024, "tied": True,
}  # fmt: skip
LLAMA_7B: dict[str, Any] = {
    "family": "llama", "vocab": 32000, "d_model": 4096, "n_blocks": 32, "n_heads": 32, "n_kv_heads": 32,
    "d_hidden": 11008, "max_positions": 2048, "tied": False,
}  # fmt: skip


def drawn_config(draw: Draw, family: str, *, tied: bool) -> dict[str, Any]:
    """A configuration in which no two sizes agree by accident."""
    width_of_head, n_kv_heads, group = (int(draw.integers(low, low + 4, 1)) for low in (9, 2, 3))
    n_heads = n_kv_heads * group
    return {
        "family": family,
        "vocab": int(draw.integers(1000, 2000, 1)),
        "d_model": n_heads * width_of_head,
        "n_blocks": int(draw.integers(3, 9, 1)),
        "n_heads": n_heads,
        "n_kv_heads": n_kv_heads,
        "d_hidden": int(draw.integers(400, 900, 1)),
        "max_positions": int(draw.integers(200, 300, 1)),
        "tied": tied,
    }


@exercise("count_parameters")
class TestCountParameters:
    @public
    @value(3)
    def test_two_small_blocks(self, check: Check) -> None:
        """Two blocks of GPT-2, six features wide."""
        check(SMALL)

    @value(2)
    def test_gpt2_small(self, check: Check) -> None:
        """GPT-2 small has 124,439,808 parameters, and its larger sisters theirs."""
        check(GPT2_SMALL)
        sisters = ((1024, 24, 16), (1280, 36, 20), (1600, 48, 25))
        for width, n_blocks, n_heads in sisters:
            check(GPT2_SMALL | {"d_model": width, "n_blocks": n_blocks, "n_heads": n_heads, "d_hidden": 4 * width})

    @value(2)
    def test_llama_7b(self, check: Check) -> None:
        """LLaMA-7B has 6,738,415,616 parameters; a 70B of grouped heads has its own number."""
        check(LLAMA_7B)
        grouped = {"d_model": 8192, "n_blocks": 80, "n_heads": 64, "n_kv_heads": 8, "d_hidden": 28672}
        check(LLAMA_7B | grouped)

    @value(2)
    @pytest.mark.parametrize("family", ["gpt2", "llama"])
    def test_tied_and_untied(self, check: Check, draw: Draw, family: str) -> None:
        """A tied table is counted once, two tables are counted twice."""
        for tied in (True, False):
            check(drawn_config(draw, family, tied=tied))

    @value(2)
    def test_shared_heads(self, check: Check, draw: Draw) -> None:
        """Key and value projections are as wide as the heads that they have; gpt2 has no shared ones."""
        config = drawn_config(draw, "llama", tied=True)
        for n_kv_heads in (1, config["n_heads"]):
            check(config | {"n_kv_heads": n_kv_heads})
        check(config | {"family": "gpt2"})

    @value(2)
    def test_hidden_width(self, check: Check, draw: Draw) -> None:
        """The hidden width is the one that is given; llama has three matrices of it."""
        for family in ("gpt2", "llama"):
            config = drawn_config(draw, family, tied=False)
            for hidden in (1, 3 * config["d_model"] + 1):
                check(config | {"d_hidden": hidden})

    @public
    @law(1)
    def test_what_has_no_say(self, check: Check, draw: Draw) -> None:
        """gpt2 ignores n_kv_heads, llama ignores max_positions."""
        for family, ignored in (("gpt2", "n_kv_heads"), ("llama", "max_positions")):
            config = drawn_config(draw, family, tied=True)
            before, after = check.call(config), check.call(config | {ignored: 1})
            check.expect(before == after, f"The count of a {family} depends on {ignored}, which it should ignore.")

    @law(1)
    def test_what_one_more_costs(self, check: Check, draw: Draw) -> None:
        """One more token costs a row of each table, one more position a row of wpe."""
        for family, tied in itertools.product(("gpt2", "llama"), (True, False)):
            config = drawn_config(draw, family, tied=tied)
            before, after = check.call(config), check.call(config | {"vocab": config["vocab"] + 1})
            numbers = isinstance(before, int) and isinstance(after, int)
            tables = 1 if tied else 2
            sentence = "One more token in the vocabulary must cost one row of D numbers in each table of tokens."
            check.expect(numbers and after - before == tables * config["d_model"], sentence)
        config = drawn_config(draw, "gpt2", tied=True)
        before, after = check.call(config), check.call(config | {"max_positions": config["max_positions"] + 1})
        numbers = isinstance(before, int) and isinstance(after, int)
        check.expect(numbers and after - before == config["d_model"], "One more position must cost D numbers.")

    @public
    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The configuration is the same after the call."""
        check.unchanged(drawn_config(draw, "gpt2", tied=True))
        check.unchanged(drawn_config(draw, "llama", tied=False))


ENOUGH: dict[str, Any] = {
    "family": "gpt2", "vocab": 211, "d_model": 48, "n_blocks": 5, "n_heads": 4, "n_kv_heads": 2, "d_hidden": 46,
    "max_positions": 223, "tied": True,
}  # fmt: skip
"""Large enough for 10,000 values of each table and of each kind of matrix, taken over the blocks."""
SAMPLE = 10_000
MATRICES = ("attn.wq", "attn.wk", "attn.wv", "attn.wo", "mlp.w_in", "mlp.w_out")
TO_STREAM = ("attn.wo", "mlp.w_out")


def shapes(config: Mapping[str, Any]) -> dict[str, tuple[int, ...]]:
    """The keys that `gpt2` reads, with the shape of each tensor."""
    hidden, width = config["d_hidden"], config["d_model"]
    of_block: dict[str, tuple[int, ...]] = {f"{n}.{p}": (width,) for n in ("ln1", "ln2") for p in ("gamma", "beta")}
    of_block |= {f"attn.w{n}": (width, width) for n in "qkvo"} | {f"attn.b{n}": (width,) for n in "qkvo"}
    of_block |= {"mlp.w_in": (hidden, width), "mlp.b_in": (hidden,)}
    of_block |= {"mlp.w_out": (width, hidden), "mlp.b_out": (width,)}
    whole: dict[str, tuple[int, ...]] = {"wte": (config["vocab"], width), "wpe": (config["max_positions"], width)}
    for n in range(config["n_blocks"]):
        whole.update((f"blocks.{n}.{key}", size) for key, size in of_block.items())
    return whole | {"ln_f.gamma": (width,), "ln_f.beta": (width,)}


def drawn(check: Check, config: dict[str, Any], seed: int) -> Weights:
    """The learner's weights, known to be tensors under the right keys."""
    weights = check.call(config, seed)
    check.expect(isinstance(weights, dict), "A dict of tensors was expected.")
    assert isinstance(weights, dict)
    wanted = set(shapes(config))
    if absent := sorted(wanted - set(weights)):
        check.expect(False, f"There is no {absent[0]!r} among the keys; gpt2 reads it.")
    check.expect(all(isinstance(weights[key], Tensor) for key in wanted), "Every value must be a tensor.")
    return weights


def seeds(draw: Draw, count: int = 1) -> list[int]:
    """Different seeds."""
    first = int(draw.integers(0, 2**30, 1))
    return [first + 1009 * step for step in range(count)]


def pooled(weights: Weights, config: Mapping[str, Any], ending: str) -> Tensor:
    """10,000 values of one kind of tensor, taken from the first block on, as float64 `(n,)`."""
    return torch.cat([weights[key].flatten().double() for key in shapes(config) if key.endswith(ending)])[:SAMPLE]


def expect_spread(
    check: Check, weights: Weights, config: Mapping[str, Any], ending: str, std: float, wanted: str
) -> None:
    """Standard deviation and mean within five standard errors of what they should be."""
    values = pooled(weights, config, ending)
    n = values.numel()
    found = float(values.std(correction=0))
    sentence = f"{ending} has a standard deviation of {found:.5f} over {n} values; {wanted}."
    check.expect(abs(found - std) <= 5 * std / (2 * n) ** 0.5, sentence)
    check.expect(abs(float(values.mean())) <= 5 * std / n**0.5, f"The mean of {ending} is not 0.")


def to_stream(config: Mapping[str, Any]) -> float:
    """The standard deviation of what writes to the residual stream."""
    return 0.02 / math.sqrt(2 * config["n_blocks"])


def random_tensors(weights: Weights, config: Mapping[str, Any]) -> Iterator[tuple[str, Tensor]]:
    """Every tensor that is drawn, with its key, flat and in float64."""
    for key in shapes(config):
        if key in ("wte", "wpe") or key.endswith(MATRICES):
            yield key, weights[key].flatten().double()


@exercise("init_gpt2")
class TestInitGpt2:
    @public
    @value(3)
    def test_tables_and_projections(self, check: Check, draw: Draw) -> None:
        """Both tables and the matrices that read from the stream have a standard deviation of 0.02 around 0."""
        weights = drawn(check, ENOUGH, *seeds(draw))
        for ending in ("wte", "wpe", "attn.wq", "attn.wk", "attn.wv", "mlp.w_in"):
            expect_spread(check, weights, ENOUGH, ending, 0.02, "it should be 0.02")

    @value(2)
    @pytest.mark.parametrize("n_blocks", [5, 8])
    def test_output_projections(self, check: Check, draw: Draw, n_blocks: int) -> None:
        """The two matrices of each block that write to the stream have 0.02 / sqrt(2N)."""
        config = ENOUGH | {"n_blocks": n_blocks}
        weights = drawn(check, config, *seeds(draw))
        for ending in TO_STREAM:
            expect_spread(check, weights, config, ending, to_stream(config), "it should be 0.02 / sqrt(2N)")

    @value(1)
    def test_every_block_alike(self, check: Check, draw: Draw) -> None:
        """The standard deviations are the same in the first block as in the last."""
        config = ENOUGH | {"d_model": 60, "d_hidden": 62, "n_blocks": 3, "vocab": 13, "max_positions": 11}
        weights = drawn(check, config, *seeds(draw))
        for n, ending in itertools.product((0, 2), TO_STREAM):
            wanted = "it should be 0.02 / sqrt(2N) in every block"
            expect_spread(check, weights, config, f"blocks.{n}.{ending}", to_stream(config), wanted)

    @value(1)
    def test_biases_and_gains(self, check: Check, draw: Draw) -> None:
        """All biases and shifts are 0, all gains 1."""
        weights = drawn(check, SMALL, *seeds(draw))
        for key in shapes(SMALL):
            if key.endswith(("beta", "bq", "bk", "bv", "bo", "b_in", "b_out")):
                check.expect((weights[key] == 0).all(), f"{key} should be all 0.")
            elif key.endswith("gamma"):
                check.expect((weights[key] == 1).all(), f"{key} should be all 1.")

    @value(1)
    def test_normal(self, check: Check, draw: Draw) -> None:
        """The numbers are normal: neither uniform nor cut off near the middle."""
        weights = drawn(check, ENOUGH, *seeds(draw))
        for ending in ("wte", "wpe", *MATRICES):
            squares = pooled(weights, ENOUGH, ending).square()
            kurtosis = float(squares.square().mean() / squares.mean().square())
            sentence = f"{ending} is not normal: the mean fourth power is {kurtosis:.2f} times the squared mean square."
            check.expect(2.55 < kurtosis < 3.4, sentence)  # 3, give or take 0.05; 2.83 if cut off at three deviations

    @public
    @law(2)
    def test_same_seed_same_weights(self, check: Check, draw: Draw) -> None:
        """The same seed gives the same weights, also after other calls; another seed gives others."""
        one, two = seeds(draw, 2)
        first, other, again = (drawn(check, SMALL, seed) for seed in (one, two, one))
        for key in shapes(SMALL):
            check.expect(torch.equal(first[key], again[key]), f"The same seed gives two different {key}.")
        for key, _ in random_tensors(first, SMALL):
            check.expect(not torch.equal(first[key], other[key]), f"Two different seeds give the same {key}.")

    @law(2)
    def test_no_tensor_twice(self, check: Check, draw: Draw) -> None:
        """Every tensor is drawn anew: none repeats or resembles another, in its own block or in others."""
        tensors = dict(random_tensors(drawn(check, ENOUGH, *seeds(draw)), ENOUGH))
        for (one, a), (two, b) in itertools.combinations(tensors.items(), 2):
            n = min(a.numel(), b.numel())
            alike = float(a[:n] @ b[:n] / (a[:n].norm() * b[:n].norm()))
            check.expect(abs(alike) < 0.2, f"{one} and {two} are the same numbers, up to a factor.")

    @public
    @shape(1)
    def test_keys(self, check: Check, draw: Draw) -> None:
        """The keys are those that gpt2 reads, no more and no fewer."""
        for config in (SMALL, SMALL | {"n_blocks": 11}, SMALL | {"n_blocks": 1, "tied": False}):
            weights = drawn(check, config, *seeds(draw))
            extra = sorted(set(weights) - set(shapes(config)))
            check.expect(not extra, f"gpt2 does not read {extra[0] if extra else ''!r}.")

    @public
    @shape(1)
    def test_shapes(self, check: Check, draw: Draw) -> None:
        """Matrices are (out, in); the heads of keys and values are not shared."""
        weights = drawn(check, SMALL, *seeds(draw))
        for key, size in shapes(SMALL).items():
            found = tuple(weights[key].shape)
            check.expect(found == size, f"{key} has shape {found}; it should be {size}.")

    @dtype(1)
    def test_float32(self, check: Check, draw: Draw) -> None:
        """Every tensor is float32."""
        weights = drawn(check, SMALL, *seeds(draw))
        for key in shapes(SMALL):
            found = str(weights[key].dtype).removeprefix("torch.")
            check.expect(weights[key].dtype == torch.float32, f"{key} is {found}; it should be float32.")

    @law(1)
    def test_leaves_no_trace(self, check: Check, draw: Draw) -> None:
        """The weights come from a generator of their own, and they ask for no gradients."""
        check.leaves_no_trace(SMALL, *seeds(draw))

    @law(1)
    def test_leaves_arguments_alone(self, check: Check, draw: Draw) -> None:
        """The configuration is the same after the call."""
        check.unchanged(SMALL, *seeds(draw))
