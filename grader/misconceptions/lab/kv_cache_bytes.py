"""Known mistakes in counting the bytes of a cache."""

from typing import Any

from grader.judge.misconception import Wrong
from grader.misconceptions.lab.shared import about, catalogue

SMALL = "test_small_cache"
UNITS = {
    "divided-by-eight": 8,
    "in-megabytes": 10**6,
    "in-mebibytes": 2**20,
    "in-gigabytes": 10**9,
    "in-gibibytes": 2**30,
}


@catalogue.flawed(
    "kv_cache_bytes",
    *about(
        "what-a-cache-holds",
        {
            "one-tensor": "You count keys or values, not both: a cache holds two tensors of the same size.",
            "queries-too": "You count three tensors. Queries are used once and not kept; keys and values are.",
            "one-block": "You count the cache of one block. Every block has keys and values of its own.",
            "heads-ignored": "The number of key-value heads is missing; head_width is the width of one of them.",
            "width-ignored": "The head width is missing: each key is a vector of head_width numbers.",
            "length-ignored": "The sequence length is missing: keys and values are kept for every token.",
            "batch-ignored": "The batch is missing: each sequence has a cache of its own.",
            "newest-token-left-out": "You count seq - 1 tokens. The newest token's keys and values are kept too.",
            "pairs-of-tokens": "You count the square of the length. Scores have a number for each pair of tokens, but "
            "they are not kept; keys and values have a vector for each token.",
        },
    ),
    *about(
        "bytes-bits-and-whole-numbers",
        {
            "counts-values": "You count numbers, not bytes: multiply by bytes_per_value.",
            "two-bytes-assumed": "Two bytes a value are assumed; bytes_per_value says how many there are.",
            "bits": "You return bits, eight times as many as bytes: bytes_per_value is in bytes already.",
            "divided-by-eight-cut-off": "You divide by 8 as if bytes_per_value were bits; it is in bytes already.",
            "in-megabytes-cut-off": "You return whole megabytes, and // cuts off the rest; bytes are wanted, all of "
            "them.",
            "in-mebibytes-cut-off": "You return whole mebibytes, and // cuts off the rest; bytes are wanted, all of "
            "them.",
            "in-gigabytes-cut-off": "You return whole gigabytes, and // cuts off the rest; bytes are wanted, all of "
            "them.",
            "in-gibibytes-cut-off": "You return whole gibibytes, and // cuts off the rest; bytes are wanted, all of "
            "them.",
        },
    ),
    *about(
        "bytes-bits-and-whole-numbers",
        {
            "divided-by-eight": "You divide by 8 as if bytes_per_value were bits; it is in bytes already.",
            "in-megabytes": "You return megabytes; bytes are wanted, an exact whole number.",
            "in-mebibytes": "You return mebibytes; bytes are wanted, an exact whole number.",
            "in-gigabytes": "You return gigabytes; bytes are wanted, an exact whole number.",
            "in-gibibytes": "You return gibibytes; bytes are wanted, an exact whole number.",
            "float-returned": "You return a float; a number of bytes is an int, and a division with / makes a float "
            "of it.",
        },
        fails=SMALL,
    ),
)
def kv_cache_bytes(
    wrong: Wrong, n_blocks: int, n_kv_heads: int, head_width: int, seq: int, batch: int, bytes_per_value: int
) -> Any:
    """The sizes multiplied, one after another."""
    total = 1 if wrong("one-tensor") else 3 if wrong("queries-too") else 2
    length = seq - 1 if wrong("newest-token-left-out") else seq * seq if wrong("pairs-of-tokens") else seq
    factors = {
        "one-block": n_blocks,
        "heads-ignored": n_kv_heads,
        "width-ignored": head_width,
        "length-ignored": length,
        "batch-ignored": batch,
        "counts-values": 2 if wrong("two-bytes-assumed") else bytes_per_value,
    }
    for missing, factor in factors.items():
        total *= 1 if wrong(missing) else factor
    if wrong("bits"):
        total *= 8
    for name, unit in UNITS.items():
        if wrong(name):
            return total / unit
        if wrong(f"{name}-cut-off"):
            return total // unit
    return float(total) if wrong("float-returned") else total
