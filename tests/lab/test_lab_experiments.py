"""The four experiments at tiny sizes: complete, repeatable, and true where the truth is known beforehand."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from grader.capstone.corpus import VOCABULARY, windows
from grader.capstone.model import CONFIG, CapstoneModel
from grader.lab import budget, cache, depth, length, running
from grader.lab.decoder import Decoder, train
from grader.lab.experiment import EXPERIMENTS, Findings
from grader.lab.llama import KeyValueCache, logits
from grader.lab.memory import TensorMemory
from grader.lab.numbers import borne_out, claims
from grader.lab.record import Record
from grader.records import clock
from reference.lab import retain
from reference.model import llama

Run = Callable[[int], Findings]

DEPTH = depth.Settings(
    depths=(1, 2), n_seeds=2, steps=4, warmup_steps=2, batch=2, length=8, d_model=8, n_heads=2, d_hidden=8,
    held_out_rows=4,
)  # fmt: skip
LENGTH = length.Settings(
    trained_length=6, multiples=3, n_seeds=2, steps=3, batch=2, n_blocks=1, d_model=8, n_heads=2, d_hidden=8,
    held_out_rows=4, skipped=5,
)  # fmt: skip
CACHE = cache.Settings(lengths=(4, 12), repeats=2, n_seeds=2, batch=2)
BUDGET = budget.Settings(budgets=(2, 6), sinks=2, length=9, rows=3, n_seeds=2)


@pytest.fixture(params=["depth", "length", "cache", "budget"])
def tiny(request: pytest.FixtureRequest, progress: Any, model: CapstoneModel) -> Run:
    """Run one of the experiments at a tiny size."""
    runs: dict[str, Run] = {
        "depth": lambda seed: depth.run(seed, progress, DEPTH),
        "length": lambda seed: length.run(seed, progress, LENGTH),
        "cache": lambda seed: cache.run(seed, progress, CACHE, model),
        "budget": lambda seed: budget.run(seed, progress, BUDGET, model),
    }
    return runs[request.param]


def test_a_second_run_with_the_same_seed_measures_the_same_numbers_and_another_seed_does_not(tiny: Run) -> None:
    first, again, other = tiny(3), tiny(3), tiny(4)
    assert first.measured == again.measured
    assert first.settings == again.settings
    assert first.measured != other.measured


def test_findings_are_complete(tiny: Run, progress: Any) -> None:
    found = tiny(3)
    assert progress.done == pytest.approx(progress.total) != 0
    json.dumps([found.settings, found.measured, found.timing], allow_nan=False)
    assert found.settings["seeds"] == [3, 4]
    for listing in found.listings:
        keys = [column.key for column in listing.columns]
        assert all(key in row for row in listing.rows for key in keys)
    for panel in found.figure.panels:
        assert panel.x.label
        assert panel.y.label
        assert [line.baseline for line in panel.lines].count(True) == 1
        assert all(len(line.x) == len(line.y) for line in panel.lines)


def test_every_number_of_a_printed_table_may_be_claimed(tiny: Run) -> None:
    found = tiny(3)
    took = running.Took(1.0, 1.0)
    content = running.content(EXPERIMENTS[0], 3, clock.now(), found, took, [])
    recorded = list(Record(Path("a.json"), content).numbers())
    for listing in found.listings:
        for row in listing.rows:
            for column in listing.columns:
                for claim in claims(column.cell(row), 1):
                    assert borne_out(claim, recorded), (listing.title, column.heading, claim.text)


def test_no_experiment_reads_or_changes_the_global_random_state(tiny: Run) -> None:
    torch.manual_seed(11)
    before = torch.get_rng_state()
    tiny(3)
    assert torch.equal(before, torch.get_rng_state())


def test_every_experiment_says_beforehand_what_it_asks_and_expects() -> None:
    assert [experiment.name for experiment in EXPERIMENTS] == ["depth", "length", "cache", "budget"]
    for experiment in EXPERIMENTS:
        assert experiment.question.endswith("?")
        assert experiment.baseline
        assert experiment.changed
        assert experiment.expected


@pytest.mark.parametrize("positions", ["none", "sinusoidal", "rope", "alibi"])
@pytest.mark.parametrize("norm", ["pre-norm", "post-norm"])
def test_the_small_decoder_never_looks_ahead(positions: Any, norm: Any) -> None:
    model = Decoder(len(VOCABULARY), 8, 2, 8, 2, norm, positions)
    weights = model.init(1)
    tokens = windows(1, 2, 9)
    whole = model.logits(tokens, weights)
    torch.testing.assert_close(whole[:, :5], model.logits(tokens[:, :5], weights))
    first = model.logits(tokens, weights | {"wte": weights["wte"].roll(1, 0)})
    assert not torch.equal(whole, first)


def test_training_lowers_the_loss_and_stops_where_it_is_no_longer_finite() -> None:
    model = Decoder(len(VOCABULARY), 16, 2, 16, 1)
    tokens = windows(1, 4, 17)
    losses = list(train(model, model.init(1), lambda _: tokens, 20, 3e-3))
    assert losses[0] == pytest.approx(math.log(len(VOCABULARY)), abs=0.1)
    assert losses[-1] < losses[0] - 0.5
    assert len(list(train(model, model.init(1), lambda _: tokens, 20, math.inf))) == 2


def test_with_a_cache_or_in_one_go_the_exchanged_attention_is_that_of_the_reference(model: CapstoneModel) -> None:
    tokens = windows(5, 2, 12)
    expected = llama(tokens, model.weights, 4, 2)
    kept = KeyValueCache()
    parts = [logits(part, model.weights, model.config, kept.attend, kept.length) for part in tokens.split([7, 1, 4], 1)]
    torch.testing.assert_close(torch.cat(parts, 1), expected)
    assert kept.length == 12


def test_the_cache_takes_what_kv_cache_bytes_says_and_less_than_recomputation(
    model: CapstoneModel, progress: Any
) -> None:
    rows = cache.run(1, progress, CACHE, model).measured["lengths"]
    for row in rows:
        assert row["cache_bytes"] == row["kv_cache_bytes"]
        assert row["same_next_token"] == row["texts"] == 2
        assert row["logit_difference"] == pytest.approx(0, abs=1e-4)
    recomputed, kept = (
        next(r for r in rows if r["way"] == way and r["length"] == 12) for way in ("recomputation", "cache")
    )
    assert recomputed["peak_kib"] > kept["peak_kib"] > kept["cache_bytes"] / 1024


def test_tensor_memory_counts_what_is_alive_at_once() -> None:
    with TensorMemory() as memory:
        a = torch.zeros(1000)
        b = a.view(10, 100).T  # no storage of its own
        c = b.contiguous()
        del a, b, c
        torch.zeros(500)
    assert memory.peak == 8000
    assert memory.live == 0


def test_the_keys_that_are_kept_are_those_that_retain_chooses() -> None:
    scores = torch.randn(2, 3, 8, 8, generator=torch.Generator().manual_seed(3))
    kept = budget.highest(scores, 3)
    for batch in range(2):
        for head in range(3):
            for query in range(8):
                chosen = retain(scores[batch, head, query, : query + 1], 3)
                assert kept[batch, head, query].nonzero().flatten().tolist() == chosen.tolist()
    assert budget.newest(6, 4, n_sink=1)[5].tolist() == [True, False, False, True, True, True]
    random = budget.at_random(8, 3, torch.Generator().manual_seed(1))
    assert random.diagonal().all()
    assert random.sum(1).tolist() == [1, 2, 3, 3, 3, 3, 3, 3]


def test_with_a_budget_for_every_key_nothing_is_lost(model: CapstoneModel, progress: Any) -> None:
    roomy = budget.Settings(budgets=(9,), sinks=2, length=9, rows=3, n_seeds=1)
    losses = [row["loss"] for row in budget.run(1, progress, roomy, model).measured["summary"]]
    assert losses == pytest.approx([losses[0]] * 5)


def test_the_budget_is_measured_within_the_length_that_the_model_was_trained_on() -> None:
    assert budget.Settings().length <= CONFIG["max_positions"]
