"""Known mistakes in counting the operations of a forward pass."""

from typing import Any

from grader.judge.misconception import Wrong
from grader.misconceptions.lab.shared import about, catalogue

SMALL = "test_small_model"


@catalogue.flawed(
    "forward_flops",
    *about(
        "a-multiply-add-is-two-operations",
        {
            "multiply-adds": "You count multiply-adds; each of them is two operations, a multiplication and an "
            "addition.",
            "backward-too": "You count three times as much, as a training step would cost. One forward pass is wanted.",
            "per-token": "You count the operations per token; those of the whole sequence are wanted.",
        },
    ),
    *about(
        "bytes-bits-and-whole-numbers",
        {"float-returned": "You return a float; a count is an int, and a division with / makes a float of it."},
        fails=SMALL,
    ),
    *about(
        "products-left-out-or-counted-too-often",
        {
            "output-projection-missing": "The output projection of attention is not counted; it is one of four.",
            "keys-and-values-once": "Of the projections of keys and values one is counted; they are two.",
            "projections-for-each-head": "The projections are counted once for each head; all heads together have the "
            "rows of one matrix.",
            "half-of-the-pairs": "The pairs of tokens cost twice what you count. Either one of two products is missing "
            "(scores, weights times values), or they were halved for causality; here all pairs count.",
            "maps-missing": "Scores and weighted means are not counted. No weight takes part in them, and they are "
            "products all the same.",
            "swiglu-of-two": "SwiGLU is counted with two matrices; it has a gate beside them.",
            "unembedding-missing": "The unembedding is not counted: every row of logits is a product with the whole "
            "table.",
            "embedding-counted": "The embedding is counted as a product; it is a lookup of rows.",
            "tied-counts-nothing": "The unembedding is counted for untied models only. A tied table is stored once "
            "and still multiplied.",
            "one-block": "You count one block; there are n_blocks of them.",
            "unembedding-in-every-block": "The unembedding is counted once for each block; it comes once, at the end.",
            "norms-counted": "The gains of the norms are counted like matrices; they scale numbers and are no "
            "product of matrices.",
            "weights-doubled": "You count two operations for each parameter and token. Norms and a lookup are no "
            "products, and the pairs of tokens use no parameters.",
        },
    ),
    *about(
        "widths-of-heads-and-of-the-network",
        {
            "kv-full-width": "Keys and values are projected to the full width D; they have Hkv heads of width K.",
            "kv-one-head-wide": "Keys and values are projected to one head; they have Hkv of them.",
            "scores-for-key-heads": "Scores and means are counted for the key-value heads; every query head has its "
            "own, and sharing saves memory, not operations.",
            "scores-for-one-head": "Scores and means are counted for one head; there are H of them.",
            "scores-of-full-width": "Every head's scores are counted with vectors as wide as the model; a head's are "
            "K = D / H wide.",
            "hidden-width-assumed": "The hidden width is taken to be 4D; use d_hidden.",
        },
    ),
    *about(
        "all-pairs-and-all-rows",
        {
            "triangle-for-causality": "Scores and means are counted for one triangle; here all T by T pairs count.",
            "newest-query-only": "Scores and means are counted for one query, as in decoding with a cache. A forward "
            "pass has T of them.",
            "last-row-only": "The unembedding is counted for the last token only; all T rows of logits are wanted.",
            "longest-context": "The length is taken from max_positions; seq says how long the sequence is.",
            "softmax-counted": "The softmax is counted too; only products of matrices are.",
        },
    ),
    *about(
        "arguments-types-and-shapes",
        {"changes-config": "The caller's config is changed (pop does that); read from it only."},
        fails="test_leaves_config_alone",
    ),
)
def forward_flops(wrong: Wrong, config: dict[str, Any], seq: int) -> int | float:
    """A list of products, each `(rows, inner, columns)` with how often it is made, added up."""
    width, n_heads, n_kv_heads = config["d_model"], config["n_heads"], config["n_kv_heads"]
    vocab, n_blocks = config["vocab"], 1 if wrong("one-block") else config["n_blocks"]
    hidden = 4 * width if wrong("hidden-width-assumed") else config["d_hidden"]
    tied = config.pop("tied") if wrong("changes-config") else config["tied"]
    seq = config["max_positions"] if wrong("longest-context") else seq
    k = width // n_heads

    kv_rows = width if wrong("kv-full-width") else k if wrong("kv-one-head-wide") else n_kv_heads * k
    block = [(seq, width, rows) for rows in (width, kv_rows, kv_rows, width)]
    if wrong("output-projection-missing"):
        block.pop()
    if wrong("keys-and-values-once"):
        block.pop(1)
    if wrong("projections-for-each-head"):
        block *= n_heads
    queries = 1 if wrong("newest-query-only") else seq
    count = n_kv_heads if wrong("scores-for-key-heads") else 1 if wrong("scores-for-one-head") else n_heads
    inner = width if wrong("scores-of-full-width") else k
    n_maps = 0 if wrong("maps-missing") else 1 if wrong("half-of-the-pairs") else 2
    maps = n_maps * count * queries * seq * inner
    if wrong("triangle-for-causality"):
        maps = maps * (seq + 1) // (2 * seq)
    block += [(seq, width, hidden)] * (2 if wrong("swiglu-of-two") else 3)
    of_block = sum(rows * through * columns for rows, through, columns in block) + maps

    logits = (1 if wrong("last-row-only") else seq) * width * vocab
    n_logits = n_blocks if wrong("unembedding-in-every-block") else 1
    if wrong("unembedding-missing") or (wrong("tied-counts-nothing") and tied):
        n_logits = 0
    n_logits += wrong("embedding-counted")
    multiply_adds = n_blocks * of_block + n_logits * logits
    if wrong("weights-doubled"):
        norms = (2 * n_blocks + 1) * width
        multiply_adds = seq * (n_blocks * (of_block - maps) // seq + norms + vocab * width * (1 if tied else 2))
    total = multiply_adds if wrong("multiply-adds") else 2 * multiply_adds
    if wrong("norms-counted"):
        total += 2 * seq * width * (2 * n_blocks + 1)
    if wrong("softmax-counted"):
        total += 3 * n_blocks * n_heads * seq * seq
    if wrong("backward-too"):
        total *= 3
    if wrong("per-token"):
        total //= seq
    return float(total) if wrong("float-returned") else total
