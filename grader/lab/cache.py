"""A key-value cache against recomputation: what the next token costs as the text before it grows."""

import statistics
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass

import torch
from torch import Tensor

from grader.capstone.corpus import windows
from grader.capstone.model import CapstoneModel, load
from grader.lab.experiment import Column, Findings, Listing, Progress, Row, find_experiment
from grader.lab.figure import Axis, Figure, Panel
from grader.lab.llama import KeyValueCache, logits
from grader.lab.memory import TensorMemory
from grader.lab.rows import lines
from reference.lab import forward_flops, kv_cache_bytes
from reference.model import llama


@dataclass(frozen=True, slots=True)
class Settings:
    """At which lengths one more token is made, and how often that is timed."""

    lengths: tuple[int, ...] = (32, 64, 128, 256, 512, 1024)
    repeats: int = 9
    n_seeds: int = 3
    batch: int = 1


BASELINE, CACHED = "recomputation", "cache"
_MS, _KIB = 1e3, 1024


def run(seed: int, progress: Progress, settings: Settings = Settings(), model: CapstoneModel | None = None) -> Findings:
    """Make the next token of texts of growing length both ways with the shipped model; compare logits, time, memory."""
    model = model or load()
    progress.begin(sum(_work(length) for length in settings.lengths))
    measured: list[Row] = []
    timing: list[Row] = []
    for length in settings.lengths:
        progress.stage(f"{length} tokens")
        texts = [windows(seed + n, settings.batch, length, held_out=True) for n in range(settings.n_seeds)]  # (B, T)
        measured += _compare(texts, length, model)
        timing += _time(texts[0], length, model, settings.repeats)
        progress.advance(_work(length))
    return Findings(
        settings=asdict(settings)
        | {"seeds": [seed + n for n in range(settings.n_seeds)], "bytes_per_value": _bytes_per_value(model)}
        | {f"model_{key}": value for key, value in model.config.items()},
        measured={"lengths": measured},
        timing={"per_token": timing},
        figure=_figure(measured, timing, settings),
        listings=_listings(measured, timing),
    )


def _work(length: int) -> float:
    return 500 + length + length * length / 500  # milliseconds, roughly, in proportion


def _compare(texts: list[Tensor], length: int, model: CapstoneModel) -> list[Row]:
    """Two rows of a length, one for each way: memory, and how far the logits lie apart at most over all texts."""
    difference, same = 0.0, 0
    for tokens in texts:
        cache = _filled(tokens[:, :-1], model)
        one = cache.copy()
        with torch.no_grad(), TensorMemory() as cached_memory:
            cached = logits(tokens[:, -1:], model.weights, model.config, one.attend, cache.length)[:, -1]  # (B, V)
        with TensorMemory() as full_memory:
            full = _recomputed(tokens, model)  # (B, V)
        difference = max(difference, float((cached - full).abs().max()))
        same += int((cached.argmax(-1) == full.argmax(-1)).all())
    config = model.config
    promised = kv_cache_bytes(
        config["n_blocks"], config["n_kv_heads"], config["d_model"] // config["n_heads"], length, texts[0].shape[0],
        _bytes_per_value(model),
    )  # fmt: skip
    shared: Row = {"logit_difference": difference, "same_next_token": same, "texts": len(texts)}
    return [
        {
            "way": BASELINE,
            "length": length,
            "peak_kib": full_memory.peak / _KIB,
            "cache_bytes": 0,
            "kv_cache_bytes": 0,
            "forward_flops": forward_flops(dict(config), length),
            **shared,
        },
        {
            "way": CACHED,
            "length": length,
            # The old cache was there before the step and is not among what the step itself made.
            "peak_kib": (cached_memory.peak + cache.nbytes) / _KIB,
            "cache_bytes": one.nbytes,
            "kv_cache_bytes": promised,
            "forward_flops": None,
            **shared,
        },
    ]


def _time(tokens: Tensor, length: int, model: CapstoneModel, repeats: int) -> list[Row]:
    cache = _filled(tokens[:, :-1], model)

    def step() -> None:
        with torch.no_grad():
            logits(tokens[:, -1:], model.weights, model.config, cache.copy().attend, cache.length)

    rows: list[Row] = []
    for way, make in ((BASELINE, lambda: _recomputed(tokens, model)), (CACHED, step)):
        times = _milliseconds(make, repeats)
        median = statistics.median(times)
        rows.append({"way": way, "length": length, "ms": median, "ms_low": min(times), "ms_high": max(times)})
    return rows


def _milliseconds(make: Callable[[], object], repeats: int) -> list[float]:
    make()  # the first call finds cold caches
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        make()
        times.append(round((time.perf_counter() - started) * _MS, 4))
    return times


def _filled(tokens: Tensor, model: CapstoneModel) -> KeyValueCache:
    """A cache that has read these tokens, `(B, T)`."""
    cache = KeyValueCache()
    with torch.no_grad():
        logits(tokens, model.weights, model.config, cache.attend)
    return cache


def _recomputed(tokens: Tensor, model: CapstoneModel) -> Tensor:
    """Logits of the next token by a whole forward pass, `(B, T)` -> `(B, V)`."""
    with torch.no_grad():
        return llama(tokens, model.weights, model.config["n_heads"], model.config["n_kv_heads"])[:, -1]  # (B, V)


def _bytes_per_value(model: CapstoneModel) -> int:
    return model.weights["wte"].element_size()


def _figure(measured: list[Row], timing: list[Row], settings: Settings) -> Figure:
    length = Axis("text so far (tokens)", log=True, ticks=tuple(float(n) for n in settings.lengths))
    return Figure(
        find_experiment("cache").question,
        f"The shipped model, batch {settings.batch}, one thread. Times: median, lowest and highest of "
        f"{settings.repeats}. Memory: all tensors alive at once, the cache included, the weights not.",
        (
            Panel(
                "Time for one more token",
                length,
                Axis("time (milliseconds)", log=True),
                lines(timing, "way", "length", "ms", (BASELINE,)),
            ),
            Panel(
                "Memory while it is made",
                length,
                Axis("peak memory (KiB)", log=True),
                lines(measured, "way", "length", "peak_kib", (BASELINE,)),
            ),
        ),
    )


def _listings(measured: list[Row], timing: list[Row]) -> tuple[Listing, ...]:
    return (
        Listing(
            "Time for one more token (milliseconds)",
            (
                Column("length", "tokens so far"),
                Column("way", "way"),
                Column("ms", "ms", ".3f"),
                Column("ms_low", "lowest", ".3f"),
                Column("ms_high", "highest", ".3f"),
            ),
            timing,
        ),
        Listing(
            "Memory, and how far the logits of the two ways lie apart",
            (
                Column("length", "tokens so far"),
                Column("way", "way"),
                Column("peak_kib", "peak (KiB)", ".2f"),
                Column("cache_bytes", "cache (bytes)"),
                Column("kv_cache_bytes", "kv_cache_bytes"),
                Column("logit_difference", "difference", ".2e"),
                Column("same_next_token", "same token"),
                Column("texts", "of texts"),
            ),
            measured,
        ),
    )
