"""Known mistakes of the shapes inside a block."""

from typing import Any

from grader.judge.misconception import Wrong
from grader.misconceptions.block.shared import about, catalogue


@catalogue.flawed(
    "trace_block",
    *about(
        "shapes-that-look-alike",
        {
            "all-heads-for-keys": "Keys and values are shown with all query heads; before they are repeated they have "
            "n_kv_heads.",
            "shared-maps": "Scores and weights are shown with the key-value heads; every query head has its own.",
            "maps-over-features": "Scores and weights are shown with the head width as their last axis; it is T again, "
            "the keys.",
            "not-split": "q, k and v are shown before they are split into heads.",
            "time-before-heads": "Time stands before the heads; heads are a leading axis.",
            "width-and-count-swapped": "Number and width of the heads have changed places.",
            "key-width-from-key-heads": "The width of keys and values is taken as d_model / n_kv_heads; all heads have "
            "d_model / n_heads.",
            "context-merged": "The context is shown after merging; it still has its heads, and attn_out follows.",
            "hidden-is-four-times": "The hidden width is taken as four times d_model; it is d_hidden.",
            "network-keeps-model-width": "gate, up and hidden are shown with the model width; they have d_hidden.",
            "hidden-after-projection": "hidden is shown after the last projection; it is the product of gate and up.",
            "batch-dropped": "The batch axis is missing.",
            "float-width": "The head width is a float: use // for whole numbers.",
        },
        fails="test_small_block",
    ),
    *about(
        "shapes-that-look-alike",
        {
            "up-before-gate": "up is listed before gate.",
            "network-before-attention": "The network's stages are listed before those of attention.",
            "residuals-left-out": "The two residual stages are missing.",
        },
        fails="test_small_block",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"changes-config": "The caller's config is changed (pop does that); read from it only."},
        fails="test_leaves_config_alone",
    ),
)
def trace_block(wrong: Wrong, config: dict[str, int]) -> list[tuple[str, list[Any]]]:
    """One shape after another, by name."""
    batch, seq, width = config["batch"], config["seq"], config["d_model"]
    n_heads, n_kv_heads = config["n_heads"], config["n_kv_heads"]
    d_hidden = config.pop("d_hidden") if wrong("changes-config") else config["d_hidden"]
    stream = [batch, seq, width]

    def heads(count: int, k: Any) -> list[Any]:
        if wrong("not-split"):
            return [batch, seq, count * k]
        count, k = (k, count) if wrong("width-and-count-swapped") else (count, k)
        return [batch, seq, count, k] if wrong("time-before-heads") else [batch, count, seq, k]

    k: Any = width / n_heads if wrong("float-width") else width // n_heads
    kv_count = n_heads if wrong("all-heads-for-keys") else n_kv_heads
    key = heads(kv_count, width // n_kv_heads if wrong("key-width-from-key-heads") else k)
    maps = [batch, n_kv_heads if wrong("shared-maps") else n_heads, seq, k if wrong("maps-over-features") else seq]
    f = 4 * width if wrong("hidden-is-four-times") else width if wrong("network-keeps-model-width") else d_hidden
    inner = [batch, seq, f]
    attention = {"norm1": stream, "q": heads(n_heads, k), "k": key, "v": key, "scores": maps, "weights": maps}
    attention |= {"context": stream if wrong("context-merged") else heads(n_heads, k), "attn_out": stream}
    network = {"norm2": stream} | (
        {"up": inner, "gate": inner} if wrong("up-before-gate") else {"gate": inner, "up": inner}
    )
    network |= {"hidden": stream if wrong("hidden-after-projection") else inner, "mlp_out": stream}
    parts = [attention, network][:: -1 if wrong("network-before-attention") else 1]
    stages = [("input", stream)]
    for number, part in enumerate(parts, 1):
        stages += part.items()
        if not wrong("residuals-left-out"):
            stages.append((f"residual{number}", stream))
    return [(name, shape[1:] if wrong("batch-dropped") else shape) for name, shape in stages]
