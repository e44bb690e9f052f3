"""The shipped model: its file, its loss against the grammar and the baseline, and what it says."""

from pathlib import Path

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from grader.capstone import carried, corpus, grammar, model
from grader.capstone.corpus import START_TOKEN, STOP_TOKEN, VOCABULARY
from grader.capstone.training import initial_weights, logits, mean_loss
from grader.errors import GraderFault, UserError

KEYS = {"family", "vocab", "d_model", "n_blocks", "n_heads", "n_kv_heads", "d_hidden", "max_positions", "tied"}


@pytest.fixture(scope="module")
def shipped() -> model.CapstoneModel:
    return model.load()


def greedy(shipped: model.CapstoneModel, prompt: str) -> list[str]:
    tokens = torch.tensor([[START_TOKEN, *corpus.encode(prompt)]])
    while tokens.shape[1] < grammar.longest_document():
        with torch.no_grad():
            following = logits(tokens, shipped.weights, shipped.config)[:, -1].argmax(-1)
        tokens = torch.cat([tokens, following[:, None]], dim=1)
        if following == STOP_TOKEN:
            break
    return corpus.decode(tokens[0].tolist()).split()


def test_the_configuration_has_all_nine_keys(shipped):
    assert set(shipped.config) == KEYS
    assert shipped.vocabulary == VOCABULARY
    assert shipped.config["vocab"] == len(VOCABULARY)


def test_weights_are_float32_and_the_file_is_small(shipped):
    assert {weight.dtype for weight in shipped.weights.values()} == {torch.float32}
    assert model.SHIPPED.stat().st_size < 500_000


def test_the_held_out_loss_is_what_the_file_says(shipped):
    record = shipped.training
    rows = corpus.windows(record.held_out_seed, record.held_out_windows, record.held_out_length, held_out=True)
    assert mean_loss(shipped.weights, shipped.config, rows) == pytest.approx(record.held_out_loss, abs=1e-4)
    assert corpus.oracle_loss(rows) == pytest.approx(record.oracle_loss)


def test_the_loss_is_near_the_entropy_and_below_the_baseline(shipped):
    record = shipped.training
    assert record.entropy == pytest.approx(grammar.window_entropy(record.held_out_length))
    assert record.entropy < record.held_out_loss < 1.15 * record.entropy
    assert record.held_out_loss < record.ngram_loss - 0.05


@pytest.mark.parametrize("prompt", ["the cat", "the dogs", "a girl", "two small goats"])
def test_a_greedy_story_is_one_of_the_grammar_and_ends(shipped, prompt):
    words = greedy(shipped, prompt)
    grammar.log_probabilities(words)
    assert words[-1] == "</s>"


def test_name_and_number_are_carried(shipped):
    found = carried.measure(shipped.weights, shipped.config, seed=1, documents=60)
    assert found.name.right >= 0.95 * found.name.places
    assert found.far.right >= 0.9 * found.far.places
    assert found.number.right >= 0.95 * found.number.places
    assert found.against.right >= 0.9 * found.against.places
    assert found.impossible < 0.02


def stored(path: Path) -> model.CapstoneModel:
    config = {**model.CONFIG, "n_blocks": 1}
    record = model.TrainingRecord(1, 2, 3, "2.13", 0, 4, 5, 0.6, 0.5, 0.5, 0.7, 6)
    model.store(path, config, initial_weights(config, 0), record)
    return model.load(path)


def test_a_model_comes_back_from_its_file_rounded_to_float16(tmp_path):
    back = stored(tmp_path / "m.safetensors")
    assert back.training.ngram_order == 6
    for name, weight in model.rounded(initial_weights(back.config, 0)).items():
        assert torch.equal(weight, back.weights[name])


def test_a_missing_file_is_the_fault_of_whoever_named_it(tmp_path, monkeypatch):
    with pytest.raises(UserError, match="There is no model at"):
        model.load(tmp_path / "none.safetensors")
    monkeypatch.setattr(model, "SHIPPED", tmp_path / "none.safetensors")
    with pytest.raises(GraderFault, match="Install decoder-anatomy again"):
        model.load()


@pytest.mark.parametrize("content", [b"", b"not a model", b"\x10\x00\x00\x00\x00\x00\x00\x00{}"])
def test_a_broken_file_is_refused(tmp_path, content):
    file = tmp_path / "m.safetensors"
    file.write_bytes(content)
    with pytest.raises(UserError, match="cannot be read"):
        model.load(file)


def test_a_file_of_another_kind_is_refused(tmp_path):
    save_file({"wte": torch.zeros(2, 2)}, tmp_path / "m.safetensors")
    with pytest.raises(UserError, match="its format is None"):
        model.load(tmp_path / "m.safetensors")


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [("vocabulary", '["the"]', "vocabulary"), ("config", "{}", "d_model"), ("training", "{}", "seed")],
)
def test_metadata_that_does_not_fit_is_refused(tmp_path, key, value, says):
    file = tmp_path / "m.safetensors"
    stored(file)
    with safe_open(file, framework="pt") as opened:
        metadata = {**opened.metadata(), key: value}
        tensors = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    save_file(tensors, file, metadata)
    with pytest.raises(UserError, match=says):
        model.load(file)


def test_a_file_without_one_of_its_tensors_is_refused(tmp_path):
    file = tmp_path / "m.safetensors"
    stored(file)
    with safe_open(file, framework="pt") as opened:
        metadata = opened.metadata()
    save_file({"wte": torch.zeros(len(VOCABULARY), 64)}, file, metadata)
    with pytest.raises(UserError, match="names and shapes"):
        model.load(file)
