"""`anatomy lab` as a person types it."""

import json
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli import main
from grader.lab import experiment, record, running
from grader.lab.experiment import EXPERIMENTS, Experiment, Findings
from grader.lab.progress import Lines

Lab = Callable[..., Result]
Keep = Callable[..., Path]


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    """Run `anatomy lab` in an empty folder that is no workspace."""
    monkeypatch.chdir(tmp_path)
    return lambda *arguments: CliRunner().invoke(main, ["lab", *arguments], prog_name="anatomy")


@pytest.fixture
def quick(findings: Findings, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every experiment finds the same small thing at once."""

    def run(self: Experiment, seed: int, progress: experiment.Progress) -> Findings:
        progress.begin(2)
        progress.stage("one block")
        progress.advance(2)
        return findings

    monkeypatch.setattr(Experiment, "run", run)


def test_without_a_name_it_lists_the_experiments(lab: Lab) -> None:
    done = lab()
    assert done.exit_code == 0
    for each in EXPERIMENTS:
        assert f"\n{each.name}\n  question" in "\n" + done.output
    listed = json.loads(lab("--format", "json").output)
    assert [e["name"] for e in listed["experiments"]] == ["depth", "length", "cache", "budget"]


def test_a_name_that_is_none_is_one_sentence(lab: Lab) -> None:
    done = lab("dept")
    assert done.exit_code == 2
    assert done.output == (
        "Error: There is no experiment 'dept'. There are: depth, length, cache, budget. "
        "`anatomy lab` says what each one asks.\n"
    )


@pytest.mark.usefixtures("quick")
def test_a_run_prints_the_numbers_and_leaves_a_record_and_plots(lab: Lab, tmp_path: Path) -> None:
    done = lab("depth", "--seed", "5")
    assert done.exit_code == 0
    assert "pre-norm        8  1.765" in done.stdout
    assert "100 %  about 0:00 left  one block" in done.stderr
    assert done.stdout.isascii()
    names = sorted(path.name for path in (tmp_path / "lab").iterdir())
    assert names == [f"20260301-120000-depth-seed5.{ending}" for ending in ("json", "png", "svg")]
    kept = record.read(tmp_path / "lab" / names[0])
    assert kept.experiment == "depth"
    assert kept.content["seed"] == 5
    assert kept.content["made"] == "2026-03-01T12:00:00+01:00"
    assert set(kept.content["versions"]) == {"python", "torch", "numpy", "decoder-anatomy"}
    assert set(kept.content["machine"]) == {"system", "cores", "threads"}
    assert kept.content["timing"]["seconds"] >= 0
    assert kept.content["baseline"] == EXPERIMENTS[0].baseline
    assert kept.content["measured"]["summary"][1]["loss"] == 1.7649
    assert kept.content["plots"] == names[1:]


@pytest.mark.usefixtures("quick")
def test_a_run_in_the_same_second_overwrites_nothing(lab: Lab, tmp_path: Path) -> None:
    first = json.loads(lab("depth", "--format", "json").stdout)
    before = {path: path.read_bytes() for path in (tmp_path / "lab").iterdir()}
    second = json.loads(lab("depth", "--format", "json").stdout)
    assert {path: path.read_bytes() for path in before} == before
    assert sorted(first["files"] + second["files"]) == sorted(str(p) for p in (tmp_path / "lab").iterdir())
    assert len(record.find(tmp_path / "lab")) == 2


@pytest.mark.usefixtures("quick")
def test_out_names_the_folder(lab: Lab, tmp_path: Path) -> None:
    assert lab("depth", "--out", "deep/down").exit_code == 0
    assert len(record.find(tmp_path / "deep" / "down")) == 1


@pytest.mark.usefixtures("quick")
def test_a_folder_that_cannot_be_written_is_said_before_anything_runs(
    lab: Lab, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "taken").write_text("a file")
    done = lab("depth", "--out", "taken")
    assert (done.exit_code, done.stdout) == (2, "")
    assert "taken cannot be a folder: a file is in the way. Name another one with --out." in done.stderr

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(record.tempfile, "mkstemp", refuse)
    done = lab("depth", "--out", "sealed")
    assert done.exit_code == 2
    assert done.stderr.endswith(
        "Error: sealed cannot be written (Permission denied). Make it writable, or name another folder with --out.\n"
    )


def test_a_report_is_written_once_then_examined(lab: Lab, keep: Keep) -> None:
    name = keep().name
    wrote = lab("report")
    assert wrote.exit_code == 0
    assert wrote.output.startswith("Wrote lab/report.md, which names the newest of 1 records.")
    examined = lab("report")
    assert examined.exit_code == 1
    assert "Observed effect is not filled in." in examined.output
    told = json.loads(lab("report", "--format", "json").output)
    assert told["records"] == [name]
    assert (told["written"], told["fine"]) == (False, False)
    assert told["problems"][0]["line"] is not None


def test_a_report_without_a_record_is_one_sentence(lab: Lab) -> None:
    done = lab("report")
    assert done.exit_code == 2
    assert "There is no record in" in done.output
    assert "Run an experiment first" in done.output


def test_a_report_has_no_seed(lab: Lab) -> None:
    assert lab("report", "--seed", "1").exit_code == 2


def test_plain_progress_says_what_runs_and_how_long_it_takes() -> None:
    said: list[str] = []
    moments = iter([0.0, 0.0, 1.0, 6.0, 20.0])
    lines = Lines(said.append, lambda: next(moments))
    lines.begin(4)
    lines.stage("two blocks")
    for _ in range(2):
        lines.advance(1)
    lines.stage("eight blocks")
    lines.advance(2)
    assert said == [
        "  0 %  two blocks",
        " 50 %  about 0:06 left  two blocks",
        "100 %  about 0:00 left  eight blocks",
    ]


def test_threads_are_set_while_an_experiment_runs_and_put_back(
    tmp_path: Path, findings: Findings, monkeypatch: pytest.MonkeyPatch, at: datetime
) -> None:
    import torch

    seen: list[int] = []

    def run(*_: object) -> Findings:
        seen.append(torch.get_num_threads())
        return findings

    monkeypatch.setattr(Experiment, "run", run)
    before = torch.get_num_threads()
    running.run(EXPERIMENTS[0], 1, tmp_path, at, Lines(lambda _: None))
    assert seen == [running.THREADS]
    assert torch.get_num_threads() == before
