"""Training: the loss falls, a run can be stopped and goes on to the bit, and says where it is. Small models only."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

from grader.capstone import checkpoint, model, train
from grader.capstone.checkpoint import Recipe
from grader.capstone.model import CONFIG, shapes
from grader.capstone.training import begin, initial_weights, mean_loss, training_windows
from grader.errors import UserError
from reference.model import count_parameters

SMALL = {**CONFIG, "d_model": 16, "n_blocks": 1, "d_hidden": 16}
RECIPE = Recipe(seed=5, steps=12, batch=4, length=24, max_lr=1e-2, warmup_steps=2, threads=1)


def run(folder: Path, cut_after: int | None = None, recipe: Recipe = RECIPE) -> checkpoint.TrainingState:
    return train.train(recipe, SMALL, train.Stops(folder / "run.checkpoint", every=5, cut_after=cut_after))


def assert_same(a: checkpoint.TrainingState, b: checkpoint.TrainingState) -> None:
    assert a.step == b.step
    assert list(a.parameters) == list(b.parameters)
    assert all(torch.equal(a.parameters[name], b.parameters[name]) for name in a.parameters)


def test_the_first_weights_are_those_of_the_rule():
    weights, std = initial_weights(CONFIG, 0), 0.02 * math.sqrt(768 / 64)
    assert {name: tuple(weight.shape) for name, weight in weights.items()} == shapes(CONFIG)
    assert sum(weight.numel() for weight in weights.values()) == count_parameters(dict(CONFIG))
    assert float(weights["blocks.0.mlp.w_up"].std()) == pytest.approx(std, rel=0.05)
    assert float(weights["blocks.4.mlp.w_down"].std()) == pytest.approx(std / math.sqrt(10), rel=0.05)
    assert weights["norm_f.weight"].eq(1).all()


def test_drawing_weights_leaves_the_global_random_state_alone():
    before = torch.get_rng_state()
    initial_weights(SMALL, 1)
    assert torch.equal(before, torch.get_rng_state())


def test_every_step_has_windows_of_its_own_and_the_same_ones_again():
    assert torch.equal(training_windows(RECIPE, 3), training_windows(RECIPE, 3))
    assert not torch.equal(training_windows(RECIPE, 3), training_windows(RECIPE, 4))


def test_the_loss_falls(tmp_path):
    held_out = training_windows(RECIPE, 999)
    before = mean_loss(begin(SMALL, RECIPE).parameters, SMALL, held_out)
    assert mean_loss(run(tmp_path).parameters, SMALL, held_out) < before - 0.3


def test_a_run_from_a_seed_twice_gives_the_same_weights(tmp_path):
    (tmp_path / "again").mkdir()
    assert_same(run(tmp_path), run(tmp_path / "again"))


@pytest.mark.parametrize("cut_after", [3, 5, 7])
def test_an_interrupted_run_goes_on_to_the_bit(tmp_path, cut_after, capsys):
    (tmp_path / "whole").mkdir()
    whole = run(tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, cut_after)
    capsys.readouterr()
    assert_same(run(tmp_path), whole)
    assert f"Going on after step {cut_after} of 12" in capsys.readouterr().out


def test_the_mean_loss_does_not_depend_on_how_rows_are_shared_out():
    tokens = training_windows(Recipe(batch=40, length=12), 0)
    weights = initial_weights(SMALL, 0)
    rows = [mean_loss(weights, SMALL, row[None]) for row in tokens]
    assert mean_loss(weights, SMALL, tokens) == pytest.approx(sum(rows) / 40, rel=1e-5)


def test_progress_is_printed_in_plain_lines_when_piped(tmp_path, capsys):
    run(tmp_path)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 12
    assert lines[0].startswith("step  1 of 12  loss ")
    assert lines[-1].endswith("0:00 left")


def test_a_checkpoint_of_another_recipe_is_refused(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path, 3)
    with pytest.raises(UserError, match=r"of another run: seed 5 \(now 6\).*--fresh"):
        run(tmp_path, recipe=Recipe(**{**vars(RECIPE), "seed": 6}))


def test_a_broken_checkpoint_is_refused(tmp_path):
    (tmp_path / "run.checkpoint").write_bytes(b"PK\x03\x04 half of a file")
    with pytest.raises(UserError, match=r"run\.checkpoint cannot be read.*--fresh"):
        run(tmp_path)


def test_a_checkpoint_that_cannot_be_written_is_one_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be written"):
        checkpoint.save(tmp_path / "file" / "run.checkpoint", RECIPE, begin(SMALL, RECIPE))


def test_a_checkpoint_leaves_nothing_beside_it(tmp_path):
    checkpoint.save(tmp_path / "run.checkpoint", RECIPE, begin(SMALL, RECIPE))
    assert [file.name for file in tmp_path.iterdir()] == ["run.checkpoint"]


def test_the_command_says_where_a_stopped_run_lies(tmp_path, monkeypatch):
    def stopped(recipe: Recipe, out: Path, stops: train.Stops) -> None:
        stops.file.write_bytes(b"a state")
        raise KeyboardInterrupt

    monkeypatch.setattr(train, "_run", stopped)
    result = CliRunner().invoke(train.main, ["--out", str(tmp_path / "x.safetensors")])
    assert result.exit_code == 130
    assert f"The state is in {tmp_path / 'x.safetensors.checkpoint'}" in result.output


def test_the_command_shows_a_mistake_as_one_sentence(tmp_path):
    (tmp_path / "x.safetensors.checkpoint").write_bytes(b"nothing")
    result = CliRunner().invoke(train.main, ["--out", str(tmp_path / "x.safetensors"), "--threads", "1"])
    assert result.exit_code == 2
    assert result.output.startswith("Error: The checkpoint")
    assert "Traceback" not in result.output


def test_the_recipe_trains_on_every_position_that_the_configuration_promises():
    assert Recipe().length == CONFIG["max_positions"]


def test_the_command_trains_measures_writes_and_drops_its_checkpoint(tmp_path, monkeypatch):
    monkeypatch.setattr(model, "CONFIG", SMALL)
    monkeypatch.setattr(train, "HELD_OUT_WINDOWS", 8)
    monkeypatch.setattr(train, "CARRIED_DOCUMENTS", 3)
    out = tmp_path / "x.safetensors"
    result = CliRunner().invoke(train.main, ["--steps", "6", "--every", "2", "--out", str(out)])
    assert result.exit_code == 0, result.output
    for piece in ("step 6 of 6", "held-out loss", "entropy", "ratio", "-gram baseline", "margin", "owner's name"):
        assert piece in result.output
    assert [file.name for file in tmp_path.iterdir()] == ["x.safetensors"]
    record = model.load(out).training
    assert (record.steps, record.words) == (6, 6 * 16 * 80)
    assert f"{record.held_out_loss:.4f}" in result.output


def test_a_run_is_compared_with_the_shipped_weights(monkeypatch):
    record = model.TrainingRecord(0, 6, 6, "2.13", 0, 8, 72, 0.606, 0.5, 0.5, 0.7, 6)
    shipped = model.CapstoneModel({}, {}, (), replace(record, held_out_loss=0.6))
    monkeypatch.setattr(model, "load", lambda: shipped)
    assert train.against_shipped(record) == "shipped weights     0.6000 nats a word  this run differs by +1.00%"
