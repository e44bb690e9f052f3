"""Known mistakes of the lesson on the whole model: each exercise written once, with a switch at every fork."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("model")
Weights = dict[str, Tensor]


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


# The two models --------------------------------------------------------------------------------------------------

STACK = about(
    "blocks-out-of-turn",
    {
        "sorted-as-text": "The blocks' numbers are sorted as text, so that block 10 runs right after block 1; compare "
        "them as integers.",
        "in-key-order": "The blocks run in the order in which the dict happens to hold them; their numbers decide.",
        "reversed": "The blocks run from the last to the first; block 0 comes first.",
        "first-block-for-all": "Block 0 is run N times; every block has weights of its own.",
        "last-block-for-all": "Every round of the loop uses the weights of the last block; each has its own.",
        "last-block-left-out": "The last block is never run: N blocks are numbered 0 to N - 1.",
        "ten-blocks-at-most": "Only blocks 0 to 9 are run: a number may have more than one digit, and as text the "
        "largest is 9.",
        "blocks-side-by-side": "Every block reads the embeddings; each should read what the block before it returned.",
        "stream-added-again": "The residual stream is added to what a block returns; the block has added it already.",
    },
)
OUTPUTS = (
    *about(
        "what-comes-out",
        {
            "probabilities": "You return probabilities; logits are wanted, without a softmax.",
            "log-probabilities": "You return log-probabilities; logits are wanted, without a softmax.",
            "logits-scaled": "The logits are divided by the root of D; that scale belongs to attention scores.",
        },
    ),
    *about(
        "what-comes-out",
        {
            "only-last-position": "You return the logits of the last position; training needs those of all T.",
            "last-position-cut": "The last position is missing; whoever computes the loss drops it, not the model.",
            "hidden-states": "You return the normalised stream; it must still be compared with every token's row.",
        },
        fails="test_three_tokens_one_block",
    ),
)
DRIFT = (
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {
            "changes-weights": "The caller's dict of weights is changed (a key taken out or written), so that the next "
            "call finds another model; make dicts of your own.",
        },
        fails="test_leaves_arguments_alone",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {
            "detached": "The logits are cut off from the weights (detach, no_grad, .data): nothing can be learned.",
            "embedding-detached": "The embedded tokens are cut off from their table, which then learns from the "
            "output side alone, or not at all.",
        },
        fails="test_gradient",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"returns-float32": "The logits are float32 although the weights are not: give back their dtype."},
        fails="test_dtype",
    ),
)


def final_norm(others: Mapping[str, str]) -> tuple[Misconception, ...]:
    """The mistakes about the norm after the last block: the shared ones, and those of one model."""
    return about(
        "the-final-norm",
        {
            "no-final-norm": "There is no norm after the last block; the stream is compared with the tokens as it is.",
            "norm-after-every-block": "The final norm runs after every block; it runs once, after the last.",
            "norm-before-last-block": "The final norm runs before the last block; it runs after it.",
            **others,
        },
    )


def stack_of(wrong: Wrong, weights: Weights) -> list[Weights]:
    """The weights of each block in the order in which they run."""
    numbers = list(dict.fromkeys(key.split(".")[1] for key in weights if key.startswith("blocks.")))
    if wrong("ten-blocks-at-most"):
        numbers = [number for number in numbers if int(number) <= int(max(numbers))]
    if not wrong("in-key-order"):
        numbers.sort(key=str if wrong("sorted-as-text") else int, reverse=wrong("reversed"))
    if wrong("last-block-left-out"):
        numbers = numbers[:-1]
    if wrong("first-block-for-all") or wrong("last-block-for-all"):
        numbers = [numbers[0 if wrong("first-block-for-all") else -1]] * len(numbers)
    return [{k.split(".", 2)[2]: w for k, w in weights.items() if k.startswith(f"blocks.{n}.")} for n in numbers]


def run(
    wrong: Wrong,
    h: Tensor,
    weights: Weights,
    block: Callable[[Tensor, Weights], Tensor],
    norm: Callable[[Tensor], Tensor],
) -> Tensor:
    """The blocks and the final norm, `(B, T, D)` -> `(B, T, D)`."""
    blocks, start = stack_of(wrong, weights), h
    early, often = wrong("norm-before-last-block"), wrong("norm-after-every-block")
    for n, own in enumerate(blocks):
        h = norm(h) if early and n == len(blocks) - 1 else h
        out = block(start if wrong("blocks-side-by-side") else h, own)
        out = out + h if wrong("stream-added-again") else out
        h = norm(out) if often else out
    return h if early or often or wrong("no-final-norm") else norm(h)


def logits_of(wrong: Wrong, h: Tensor, table: Tensor, weights: Weights) -> Tensor:
    """What is returned; weights: the caller's dict, which one mistake changes."""
    if wrong("changes-weights"):
        weights.pop("wte")
    if wrong("hidden-states"):
        return h
    logits = F.linear(h, table)
    if wrong("logits-scaled"):
        logits = logits / math.sqrt(h.shape[-1])
    if wrong("probabilities"):
        logits = logits.softmax(-1)
    if wrong("log-probabilities"):
        logits = logits.log_softmax(-1)
    if wrong("only-last-position"):
        logits = logits[:, -1]
    if wrong("last-position-cut"):
        logits = logits[:, :-1]
    logits = logits.detach() if wrong("detached") else logits
    return logits.float() if wrong("returns-float32") else logits


def looked_up(wrong: Wrong, tokens: Tensor, table: Tensor) -> Tensor:
    """The embedded tokens, `(B, T, D)`."""
    rows = F.embedding(tokens, table)
    if wrong("embeddings-scaled"):
        rows = rows * math.sqrt(table.shape[1])
    return rows.detach() if wrong("embedding-detached") else rows


def attend(x: Tensor, w: Weights, n_heads: int, n_kv_heads: int, turn: Callable[[Tensor], Tensor]) -> Tensor:
    """Causal attention with shared heads and optional biases, queries and keys turned: `(B, T, D)` -> `(B, T, D)`."""
    batch, seq, width = x.shape
    k_width = width // n_heads

    def heads(letter: str, count: int) -> Tensor:
        rows = F.linear(x, w[f"attn.w{letter}"], w.get(f"attn.b{letter}"))
        return rows.view(batch, seq, count, k_width).transpose(1, 2)

    q, k, v = heads("q", n_heads), heads("k", n_kv_heads), heads("v", n_kv_heads)
    k, v = (t.repeat_interleave(n_heads // n_kv_heads, 1) for t in (turn(k), v))
    scores = turn(q) @ k.mT / math.sqrt(k_width)
    future = torch.ones(seq, seq, dtype=torch.bool).triu(1)
    context = scores.masked_fill(future, -math.inf).softmax(-1) @ v
    return F.linear(context.transpose(1, 2).reshape(x.shape), w["attn.wo"], w.get("attn.bo"))


def gpt2_block(h: Tensor, w: Weights, n_heads: int) -> Tensor:
    """A block of GPT-2 on torch's own layers."""
    width = h.shape[-1:]
    x = F.layer_norm(h, width, w["ln1.gamma"], w["ln1.beta"])
    h = h + attend(x, w, n_heads, n_heads, lambda t: t)
    x = F.layer_norm(h, width, w["ln2.gamma"], w["ln2.beta"])
    x = F.gelu(F.linear(x, w["mlp.w_in"], w["mlp.b_in"]), approximate="tanh")
    return h + F.linear(x, w["mlp.w_out"], w["mlp.b_out"])


def llama_block(
    h: Tensor, w: Weights, n_heads: int, n_kv_heads: int, positions: Tensor, base: float, eps: float
) -> Tensor:
    """A block of LLaMA on torch's own layers."""
    width = h.shape[-1:]
    k_width = h.shape[-1] // n_heads
    # float32, as the course gives angles; cosines in the precision of the stream
    frequencies = base ** -(torch.arange(0, k_width, 2, dtype=torch.float64) / k_width)
    angles = torch.outer(positions.double(), frequencies).float().to(torch.promote_types(h.dtype, torch.float32))

    def turn(x: Tensor) -> Tensor:
        a, b = x.tensor_split(2, dim=-1)
        cos, sin = angles.cos(), angles.sin()
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).to(x.dtype)

    x = F.rms_norm(h, width, w["norm1.weight"], eps)
    h = h + attend(x, w, n_heads, n_kv_heads, turn)
    x = F.rms_norm(h, width, w["norm2.weight"], eps)
    return h + F.linear(F.silu(F.linear(x, w["mlp.w_gate"])) * F.linear(x, w["mlp.w_up"]), w["mlp.w_down"])


SCALED_TABLE = {
    "embeddings-scaled": "The embedded tokens are multiplied by the root of D; neither GPT-2 nor LLaMA does that.",
}


@catalogue.flawed(
    "gpt2",
    *STACK,
    *about(
        "which-position-a-token-has",
        {
            "positions-missing": "No position embeddings are added.",
            "positions-from-one": "The positions run from 1 to T; they run from 0 to T - 1.",
            "positions-by-token": "wpe is indexed by the token ids; its rows belong to positions 0 to T - 1.",
            "positions-by-sample": "wpe is indexed along the batch, so that every token of a sample has one position.",
            "positions-run-on": "The positions run on from one sample to the next; each sample starts at 0.",
            "positions-aligned-at-the-end": "You add the last T rows of wpe; a sequence starts at row 0.",
            "one-position-for-all": "Every token is given the position of the last one.",
            **SCALED_TABLE,
        },
    ),
    *about(
        "longer-than-the-table",
        {
            "no-check": "The length is not checked, so that torch complains later and about something else: raise a "
            "ValueError first, with a message.",
            "assertion": "A sequence that is too long is noticed, but not with a ValueError: raise one.",
            "cut-to-length": "A sequence that is too long is cut without a word; raise a ValueError.",
            "last-position-reused": "Tokens beyond the table share its last position; raise a ValueError.",
        },
        fails="test_too_long",
    ),
    *final_norm(
        {
            "final-norm-is-rms": "The final norm removes no mean; GPT-2 ends with a LayerNorm.",
            "final-shift-missing": "The final norm does not add ln_f.beta.",
            "final-gain-missing": "The final norm does not multiply by ln_f.gamma.",
            "final-norm-eps": "The eps of the final norm is 1e-6; in GPT-2 it is 1e-5, as in the blocks.",
        }
    ),
    *OUTPUTS,
    *DRIFT,
)
def gpt2(wrong: Wrong, tokens: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """GPT-2 with switches."""
    wte, wpe = weights["wte"], weights["wpe"]
    seq, n_positions = tokens.shape[1], len(wpe)
    lenient = wrong("cut-to-length") or wrong("last-position-reused") or wrong("no-check")
    if seq > n_positions and wrong("assertion"):
        raise AssertionError("too long")
    if seq > n_positions and not lenient:
        raise ValueError("too long")
    if wrong("cut-to-length"):
        tokens = tokens[:, -n_positions:]
        seq = tokens.shape[1]
    h = looked_up(wrong, tokens, wte)
    if not wrong("positions-missing"):
        h = h + wpe[position_rows(wrong, tokens, n_positions)]
    gamma, beta = weights["ln_f.gamma"], weights["ln_f.beta"]

    def norm(x: Tensor) -> Tensor:
        if wrong("final-norm-is-rms"):
            return F.rms_norm(x, x.shape[-1:], eps=1e-5) * gamma + beta
        eps = 1e-6 if wrong("final-norm-eps") else 1e-5
        y = F.layer_norm(x, x.shape[-1:], eps=eps)
        y = y if wrong("final-gain-missing") else y * gamma
        return y if wrong("final-shift-missing") else y + beta

    h = run(wrong, h, weights, lambda x, own: gpt2_block(x, own, n_heads), norm)
    return logits_of(wrong, h, wte, weights)


def position_rows(wrong: Wrong, tokens: Tensor, n_positions: int) -> Tensor:
    """Which row of wpe each token is given."""
    batch, seq = tokens.shape
    rows = torch.arange(seq)
    if wrong("positions-from-one"):
        rows = rows + 1
    if wrong("positions-by-token"):
        rows = tokens
    if wrong("positions-by-sample"):
        rows = torch.arange(batch)[:, None]
    if wrong("positions-run-on"):
        rows = torch.arange(batch * seq).view(batch, seq)
    if wrong("positions-aligned-at-the-end"):
        rows = rows + n_positions - seq
    if wrong("one-position-for-all"):
        rows = torch.tensor([seq - 1])
    return rows.clamp(max=n_positions - 1) if wrong("last-position-reused") else rows


@catalogue.flawed(
    "llama",
    *STACK,
    *about(
        "which-position-a-token-has",
        {
            "no-rotation": "Every token is given position 0, so that nothing is turned; positions are 0 to T - 1.",
            "positions-reversed": "The positions run from T - 1 down to 0; they run upwards.",
            "positions-by-token": "The token ids are taken for positions; positions are 0 to T - 1.",
            "sinusoids-added": "Sinusoids are added to the embeddings; here positions come in by rotation alone.",
            **SCALED_TABLE,
        },
    ),
    *about(
        "arguments-that-must-be-passed-on",
        {
            "base-ignored": "The base is not passed on: the blocks turn with 10000 whatever is asked.",
            "eps-ignored": "eps is not passed on: all norms use 1e-6 whatever is asked.",
            "eps-not-in-blocks": "eps reaches the final norm only; the norms of the blocks need it too.",
            "eps-not-in-final-norm": "eps reaches the blocks only; it is the final norm's too.",
            "eps-of-gpt2": "Your default for eps is 1e-5; it should be 1e-6.",
        },
    ),
    *about(
        "tied-or-not",
        {
            "always-tied": "lm_head has no effect: the logits come from wte even when the model has a matrix for them.",
            "tables-swapped": "Tokens are embedded with lm_head and scored with wte; it is the other way round.",
            "head-for-both": "lm_head is used at both ends; tokens are embedded with wte.",
        },
    ),
    *final_norm(
        {
            "final-norm-is-layer-norm": "The final norm removes the mean; LLaMA ends with an RMSNorm.",
            "final-gain-missing": "The final norm does not multiply by norm_f.weight.",
            "final-norm-is-the-blocks": "The final norm uses the gain of the last block's second norm; it has its own.",
        }
    ),
    *OUTPUTS,
    *DRIFT,
)
def llama(
    wrong: Wrong,
    tokens: Tensor,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    base: float = 10000.0,
    eps: float | None = None,
) -> Tensor:
    """LLaMA with switches."""
    default = 1e-5 if wrong("eps-of-gpt2") else 1e-6
    given = default if eps is None or wrong("eps-ignored") else eps
    in_blocks = default if wrong("eps-not-in-blocks") else given
    at_the_end = default if wrong("eps-not-in-final-norm") else given
    base = 10000.0 if wrong("base-ignored") else base
    wte, head = weights["wte"], weights.get("lm_head", weights["wte"])
    if wrong("tables-swapped"):
        wte, head = head, wte
    if wrong("head-for-both"):
        wte = head
    if wrong("always-tied"):
        head = weights["wte"]
    positions = torch.arange(tokens.shape[1])
    if wrong("no-rotation"):
        positions = positions * 0
    if wrong("positions-reversed"):
        positions = positions.flip(0)
    if wrong("positions-by-token"):
        positions = tokens.flatten()[: len(positions)] if len(tokens) else positions
    gain = weights["norm_f.weight"]
    if wrong("final-norm-is-the-blocks"):
        gain = stack_of(wrong, weights)[-1]["norm2.weight"]

    def norm(x: Tensor) -> Tensor:
        x = x - x.mean(-1, keepdim=True) if wrong("final-norm-is-layer-norm") else x
        y = F.rms_norm(x, x.shape[-1:], eps=at_the_end)
        return y if wrong("final-gain-missing") else y * gain

    def block(x: Tensor, own: Weights) -> Tensor:
        return llama_block(x, own, n_heads, n_kv_heads, positions, base, in_blocks)

    h = looked_up(wrong, tokens, wte)
    h = run(wrong, h + sinusoids(h) if wrong("sinusoids-added") else h, weights, block, norm)
    return logits_of(wrong, h, head, weights)


def sinusoids(rows: Tensor) -> Tensor:
    """The position table of the 2017 Transformer for `(B, T, D)`, sines and cosines in turn: `(T, D)`."""
    seq, width = rows.shape[-2:]
    columns = torch.arange(width, dtype=torch.float64)
    angles = torch.arange(seq, dtype=torch.float64)[:, None] / 10000.0 ** ((columns - columns % 2) / width)
    return torch.where(columns % 2 == 0, angles.sin(), angles.cos()).to(rows.dtype)


# Counting --------------------------------------------------------------------------------------------------------

COUNTED = {
    "the-tables": {
        "tied-counted-twice": "A tied table is counted twice; it is one tensor with two uses.",
        "head-never-counted": "The output matrix of an untied model is not counted.",
        "gpt2-always-tied": "gpt2 is taken to be tied; with tied False it has an output matrix of its own.",
        "tokens-not-counted": "The token table is not counted.",
        "positions-not-counted": "The position table of gpt2 is not counted; it is learned too.",
        "positions-in-llama": "A position table is counted for llama, which has none: it turns queries and keys.",
        "one-position-too-many": "The position table has max_positions rows, not one more.",
    },
    "attention-and-its-heads": {
        "kv-full-width": "Keys and values are counted with D rows; they have Hkv heads of width K.",
        "kv-one-head-wide": "Keys and values are counted with the width of one head; they have Hkv of them.",
        "kv-heads-in-gpt2": "n_kv_heads is applied to gpt2, where every query head has keys of its own.",
        "output-projection-missing": "The output projection of attention is not counted.",
        "heads-counted-too": "The projections are multiplied by the number of heads; all heads together are D wide.",
        "masks-counted": "The causal mask is counted for every block; it is computed, not learned.",
    },
    "the-feed-forward-matrices": {
        "swiglu-of-two": "SwiGLU is counted with two matrices; it has a gate beside them.",
        "gpt2-of-three": "GPT-2's feed-forward network is counted with three matrices; it has two.",
        "hidden-width-assumed": "The hidden width is taken to be 4D; use d_hidden.",
        "hidden-width-assumed-in-gpt2": "The hidden width of gpt2 is taken to be 4D; d_hidden says what it is.",
    },
    "biases-and-norms": {
        "no-biases": "The biases of gpt2 are not counted.",
        "attention-without-biases": "The biases of gpt2's attention are not counted: four of width D in each block.",
        "mlp-without-biases": "The biases of gpt2's feed-forward network are not counted: F and D in each block.",
        "biases-in-llama": "Biases are counted for llama, which has none.",
        "no-norms": "The norms are not counted.",
        "one-norm-a-block": "One norm is counted for each block; there are two.",
        "no-final-norm": "The final norm is not counted.",
        "norms-without-shift": "A LayerNorm is counted with D numbers; it has a gain and a shift, 2D.",
        "shift-in-llama": "An RMSNorm is counted with 2D numbers; it has a gain only, D.",
    },
    "a-count-is-a-whole-number": {
        "float-returned": "You return a float; a count is an int, and a division with / makes a float of it.",
        "in-millions": "You return millions; the exact number is wanted.",
    },
}
COUNTED_BY = {
    "two_small_blocks": ("one-position-too-many", "kv-heads-in-gpt2", "gpt2-of-three", "hidden-width-assumed"),
    "tied_and_untied": (
        "gpt2-always-tied",
        "head-never-counted",
        "positions-in-llama",
        "biases-in-llama",
        "shift-in-llama",
    ),
    "shared_heads": ("kv-full-width", "kv-one-head-wide"),
    "llama_7b": ("swiglu-of-two",),
}
"""Where a mistake shows if it does not show in the first test of all."""


def counting() -> tuple[Misconception, ...]:
    """Every mistake in counting, with the test that notices it."""
    test = {name: f"test_{where}" for where, names in COUNTED_BY.items() for name in names}
    return tuple(
        Misconception(name, sentence, section, fails=test.get(name, "test_two_small_blocks"))
        for section, says in COUNTED.items()
        for name, sentence in says.items()
    )


@catalogue.flawed("count_parameters", *counting())
def count_parameters(wrong: Wrong, config: Mapping[str, Any]) -> int | float:
    """The count with switches: a list of tensors by their sizes, added up."""
    old = config["family"] == "gpt2"
    width, n_blocks, n_heads = config["d_model"], config["n_blocks"], config["n_heads"]
    assumed = wrong("hidden-width-assumed") or (old and wrong("hidden-width-assumed-in-gpt2"))
    hidden = 4 * width if assumed else config["d_hidden"]
    shared = not old or wrong("kv-heads-in-gpt2")
    kv_heads = config["n_kv_heads"] if shared and not wrong("kv-full-width") else n_heads
    kv_width = width // n_heads * (1 if wrong("kv-one-head-wide") and shared else kv_heads)

    rows = {"q": width, "k": kv_width, "v": kv_width, "o": width}
    if wrong("output-projection-missing"):
        rows.pop("o")
    attention = [size * width for size in rows.values()]
    if wrong("heads-counted-too"):
        attention = [n_heads * size for size in attention]
    if wrong("masks-counted"):
        attention.append(config["max_positions"] ** 2)
    n_matrices = 2 if (old and not wrong("gpt2-of-three")) or (not old and wrong("swiglu-of-two")) else 3
    mlp = [hidden * width] * n_matrices
    if (old or wrong("biases-in-llama")) and not wrong("no-biases"):
        attention += [] if wrong("attention-without-biases") else list(rows.values())
        mlp += [] if wrong("mlp-without-biases") else [hidden, width]

    norm = width * (2 if (old and not wrong("norms-without-shift")) or (not old and wrong("shift-in-llama")) else 1)
    norms = [norm] * (n_blocks * (1 if wrong("one-norm-a-block") else 2) + (not wrong("no-final-norm")))
    table = config["vocab"] * width
    tables = [] if wrong("tokens-not-counted") else [table]
    one_table = config["tied"] or wrong("head-never-counted") or (old and wrong("gpt2-always-tied"))
    if wrong("tied-counted-twice") or not one_table:
        tables.append(table)
    if (old and not wrong("positions-not-counted")) or (not old and wrong("positions-in-llama")):
        tables.append((config["max_positions"] + wrong("one-position-too-many")) * width)
    total: int = sum(tables) + n_blocks * sum(attention + mlp) + (0 if wrong("no-norms") else sum(norms))
    if wrong("in-millions"):
        return round(total / 1e6)
    return float(total) if wrong("float-returned") else total


# First weights ---------------------------------------------------------------------------------------------------

STREAM_TEST = "test_output_projections"
FIRST_TEST = "test_tables_and_projections"
FORGOTTEN = {
    "no-position-table": ("wpe",),
    "no-final-norm": ("ln_f.gamma", "ln_f.beta"),
    "no-bias-keys": ("bq", "bk", "bv", "bo", "b_in", "b_out"),
}
"""Keys that are left out."""


def seeded(section: str, says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes in drawing: known by the very numbers that are drawn, so that two at once cannot be told."""
    return tuple(Misconception(name, sentence, section, fails, alone=True) for name, sentence in says.items())


@catalogue.flawed(
    "init_gpt2",
    *seeded(
        "what-writes-to-the-stream",
        {
            "residual-unscaled": "The matrices that write to the stream have 0.02 like all others; divide by sqrt(2N).",
            "root-of-n": "wo and w_out are divided by sqrt(N); a block writes to the stream twice, so it is sqrt(2N).",
            "no-root": "wo and w_out are divided by 2N; divide by its root.",
            "only-attention-scaled": "Only attn.wo is scaled down; mlp.w_out writes to the stream too.",
            "only-mlp-scaled": "Only mlp.w_out is scaled down; attn.wo writes to the stream too.",
            "zero-outputs": "The matrices that write to the stream start at 0; here they start small.",
        },
        fails=STREAM_TEST,
    ),
    *seeded(
        "what-writes-to-the-stream",
        {"all-scaled": "Every matrix is divided by sqrt(2N); only those that write to the stream are."},
        fails=FIRST_TEST,
    ),
    *seeded(
        "what-writes-to-the-stream",
        {"scaled-by-depth": "The scale shrinks from block to block; it is 0.02 / sqrt(2N) in all of them."},
        fails="test_every_block_alike",
    ),
    *seeded(
        "the-spread-of-the-rest",
        {
            "standard-normal": "Nothing is scaled: the standard deviation is 1 where it should be 0.02.",
            "variance-for-deviation": "0.02 is taken for the variance: the standard deviation is 0.141.",
            "squared-deviation": "The standard deviation is 0.02 squared, 0.0004; torch wants the deviation itself.",
            "fan-in": "The standard deviation depends on the width of the layer (1 / sqrt(fan_in)); here it is 0.02.",
            "tables-standard-normal": "The tables have a deviation of 1, the default of nn.Embedding; 0.02 is wanted.",
            "positions-at-half": "wpe has a standard deviation of 0.01; here it is 0.02, as for wte.",
            "zero-positions": "wpe starts at 0; it is drawn like wte.",
            "not-centred": "The numbers are all positive (torch.rand is uniform on 0 to 1); they are normal around 0.",
        },
        fails=FIRST_TEST,
    ),
    *seeded(
        "the-spread-of-the-rest",
        {
            "uniform": "The numbers are uniform with the right deviation; they are normal.",
            "cut-at-two": "The numbers are cut off at two standard deviations; they are normal.",
        },
        fails="test_normal",
    ),
    *seeded(
        "the-spread-of-the-rest",
        {
            "random-biases": "The biases are drawn at random; they start at 0.",
            "zero-gains": "The gains start at 0, which closes every norm; they start at 1.",
            "random-gains": "The gains are drawn at random; they start at 1.",
            "shifts-at-one": "The shifts (beta) start at 1; they start at 0.",
        },
        fails="test_biases_and_gains",
    ),
    *seeded(
        "seeds",
        {
            "seed-unused": "The seed has no effect: every call gives the same weights.",
            "unseeded": "The same seed gives other weights each time: the numbers come from the global random state.",
        },
        fails="test_same_seed_same_weights",
    ),
    *seeded(
        "seeds",
        {
            "reseeded": "The generator is seeded again for every tensor, so that all begin with the same numbers.",
            "blocks-alike": "All blocks have the same numbers (one block copied, or drawn with one seed).",
            "projections-alike": "wq, wk and wv of a block are the same numbers: draw each anew.",
        },
        fails="test_no_tensor_twice",
    ),
    *seeded(
        "seeds",
        {
            "global-generator": "torch.manual_seed moves the random state that the whole program shares; draw from a "
            "torch.Generator of your own.",
            "asks-for-gradients": "The tensors require gradients; whoever trains them will ask for that.",
        },
        fails="test_leaves_no_trace",
    ),
    *seeded(
        "keys-and-shapes",
        {
            "head-added": "There is an lm_head among the keys; this model is tied, wte serves both ends.",
            "blocks-beyond-n": "There is a block more than n_blocks.",
            "heads-as-keys": "There are keys that gpt2 does not read.",
        },
        fails="test_keys",
    ),
    *seeded(
        "keys-and-shapes",
        {
            "in-out": "Matrices are stored as (in, out); they are (out, in), as nn.Linear stores them.",
            "shared-heads": "wk and wv have the width of n_kv_heads; GPT-2 has no shared heads.",
        },
        fails="test_shapes",
    ),
    *seeded(
        "keys-and-shapes",
        {
            "blocks-from-one": "The blocks are numbered from 1; the first is blocks.0.",
            "no-position-table": "There is no wpe.",
            "no-final-norm": "There is no ln_f; the final norm has a gain and a shift too.",
            "no-bias-keys": "There are no biases; gpt2 reads them even while they are 0.",
        },
        fails=FIRST_TEST,
    ),
    *seeded("keys-and-shapes", {"float64": "The weights are float64; float32 is wanted."}, fails="test_float32"),
    *seeded(
        "arguments-change-gradients-vanish-types-drift",
        {"changes-config": "The configuration is changed (a key taken out or written); it is the caller's."},
        fails="test_leaves_arguments_alone",
    ),
)
def init_gpt2(wrong: Wrong, config: dict[str, Any], seed: int) -> Weights:
    """First weights with switches."""
    width, hidden, n_blocks = config["d_model"], config["d_hidden"], config["n_blocks"]
    draws = _Draws(wrong, seed, 2 * n_blocks)
    kv_width = width // config["n_heads"] * config["n_kv_heads"] if wrong("shared-heads") else width
    weights = {"wte": draws.table("wte", config["vocab"], width)}
    weights["wpe"] = draws.table("wpe", config["max_positions"], width)
    first: Weights = {}
    for n in range(n_blocks + wrong("blocks-beyond-n")):
        sizes = {"attn.wq": (width, width), "attn.wk": (kv_width, width), "attn.wv": (kv_width, width)}
        sizes |= {"attn.wo": (width, width), "mlp.w_in": (hidden, width), "mlp.w_out": (width, hidden)}
        block = {name: draws.matrix(name, n, *size) for name, size in sizes.items()}
        if wrong("projections-alike"):
            block["attn.wk"] = block["attn.wv"] = block["attn.wq"]
        block |= {name.replace(".w", ".b"): draws.bias(len(matrix)) for name, matrix in block.items()}
        if wrong("in-out"):
            block |= {name: block[name].mT for name in sizes}
        block |= draws.norm("ln1", width) | draws.norm("ln2", width)
        first = first or block
        number = n + 1 if wrong("blocks-from-one") else n
        weights |= {f"blocks.{number}.{key}": t for key, t in (first if wrong("blocks-alike") else block).items()}
    weights |= draws.norm("ln_f", width)
    if wrong("head-added"):
        weights["lm_head"] = weights["wte"]
    if wrong("heads-as-keys"):
        weights["blocks.0.attn.mask"] = torch.ones(2, 2).tril()
    if wrong("changes-config"):
        config.pop("n_kv_heads")
    for name, endings in FORGOTTEN.items():
        if wrong(name):
            weights = {key: t for key, t in weights.items() if not key.endswith(endings)}
    if wrong("global-generator"):
        torch.manual_seed(seed)
    if wrong("asks-for-gradients"):
        weights = {key: t.clone().requires_grad_() for key, t in weights.items()}
    return {key: t.double() for key, t in weights.items()} if wrong("float64") else weights


class _Draws:
    """Tensors one after another from one generator. writes: how often the model adds to its stream."""

    def __init__(self, wrong: Wrong, seed: int, writes: int) -> None:
        self.wrong = wrong
        self.writes = writes
        self.seed = 0 if wrong("seed-unused") else seed
        self.generator = torch.Generator()
        if wrong("unseeded"):
            self.generator.seed()
        else:
            self.generator.manual_seed(self.seed)

    def normal(self, std: float, *size: int) -> Tensor:
        if self.wrong("reseeded"):
            self.generator.manual_seed(self.seed)
        if self.wrong("uniform"):
            return (torch.rand(size, generator=self.generator) - 0.5) * (std * math.sqrt(12))
        if self.wrong("not-centred"):
            return torch.rand(size, generator=self.generator) * std
        numbers = torch.randn(size, generator=self.generator)
        if self.wrong("cut-at-two"):
            torch.nn.init.trunc_normal_(numbers, generator=self.generator)
        return numbers * std

    def deviation(self, fan_in: int) -> float:
        """The standard deviation of what does not write to the stream."""
        if self.wrong("standard-normal"):
            return 1.0
        if self.wrong("variance-for-deviation"):
            return math.sqrt(0.02)
        if self.wrong("squared-deviation"):
            return 0.02**2
        return 1 / math.sqrt(fan_in) if self.wrong("fan-in") else 0.02

    def table(self, name: str, rows: int, width: int) -> Tensor:
        std = 1.0 if self.wrong("tables-standard-normal") else self.deviation(width)
        if name == "wpe":
            std *= 0.0 if self.wrong("zero-positions") else 0.5 if self.wrong("positions-at-half") else 1.0
        return self.normal(std, rows, width)

    def matrix(self, name: str, block: int, rows: int, columns: int) -> Tensor:
        return self.normal(self.deviation(columns) * self.factor(name, block), rows, columns)

    def factor(self, name: str, block: int) -> float:
        """What the deviation of a matrix is multiplied by."""
        wrong = self.wrong
        switched = wrong({"attn.wo": "only-mlp-scaled", "mlp.w_out": "only-attention-scaled"}.get(name, "all-scaled"))
        writes = name in ("attn.wo", "mlp.w_out")
        if switched == writes or wrong("residual-unscaled"):
            return 1.0
        if wrong("zero-outputs"):
            return 0.0
        if wrong("no-root"):
            return 1 / self.writes
        if wrong("scaled-by-depth"):
            return 1 / math.sqrt(2 * (block + 1))
        return 1 / math.sqrt(self.writes / 2 if wrong("root-of-n") else self.writes)

    def bias(self, size: int) -> Tensor:
        return self.normal(0.02, size) if self.wrong("random-biases") else torch.zeros(size)

    def norm(self, name: str, width: int) -> Weights:
        gamma = torch.zeros(width) if self.wrong("zero-gains") else torch.ones(width)
        gamma = self.normal(0.02, width) + 1 if self.wrong("random-gains") else gamma
        return {f"{name}.gamma": gamma, f"{name}.beta": torch.full((width,), float(self.wrong("shifts-at-one")))}
