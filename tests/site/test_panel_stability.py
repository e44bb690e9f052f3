"""The panel of pre-norm and post-norm: its record is the lab's, and its notice is what the record shows."""

from __future__ import annotations

from dataclasses import asdict
from statistics import fmean
from typing import Any

import pytest

from grader.course.headings import headings
from grader.lab.depth import Settings
from grader.places import lessons_folder
from grader.site.keep_record import KEPT, kept
from grader.site.panels.stability import PANEL, shown_of


@pytest.fixture(scope="module")
def shown() -> Any:
    return shown_of(kept("depth"))


def arm(shown: Any, name: str) -> list[dict[str, Any]]:
    """The rows of one arm, by depth."""
    return [rows[shown["arms"].index(name)] for rows in shown["by_depth"]]


def test_the_record_is_of_the_experiment_as_the_lab_runs_it() -> None:
    record = kept("depth")
    now = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(Settings()).items()}
    assert (record["experiment"], record["seed"]) == ("depth", 0)
    assert {key: record["settings"][key] for key in now} == now


def test_of_a_record_only_what_a_second_run_gives_again_is_kept() -> None:
    assert tuple(kept("depth")) == KEPT
    assert not set(KEPT) & {"made", "machine", "timing", "plots"}


def test_each_mean_is_that_of_the_runs_beside_it(shown: Any) -> None:
    assert shown["depths"] == [2, 4, 8, 12]
    for rows in shown["by_depth"]:
        for row in rows:
            assert len(row["runs"]) == shown["seeds"] == 3
            assert row["loss"] == pytest.approx(fmean(run["loss"] for run in row["runs"]))


def test_before_training_the_gradients_are_of_like_size_in_both_orders_at_every_depth(shown: Any) -> None:
    means = [row["first_block_gradient"] for name in ("pre-norm", "post-norm") for row in arm(shown, name)]
    assert max(means) < 2 * min(means)


def test_pre_norm_learns_at_every_depth(shown: Any) -> None:
    assert [row["learned"] for row in arm(shown, "pre-norm")] == [3, 3, 3, 3]


def test_post_norm_is_as_good_at_2_blocks_and_knows_word_frequencies_only_at_12_with_a_warm_up_or_without(
    shown: Any,
) -> None:
    assert arm(shown, "post-norm")[0]["loss"] == pytest.approx(arm(shown, "pre-norm")[0]["loss"], abs=0.05)
    for name in ("post-norm", "post-norm with warm-up"):
        assert arm(shown, name)[-1]["learned"] == 0
        assert arm(shown, name)[-1]["loss"] == pytest.approx(shown["word_frequency_loss"], abs=0.02)


def test_the_texts_name_the_settings_of_the_record(shown: Any) -> None:
    settings = kept("depth")["settings"]
    assert f"for {settings['steps']} steps" in PANEL.intro
    assert f"{settings['learning_rate']:g}" in PANEL.intro
    assert settings["learned_fraction"] == 0.5
    assert f"warm-up of {settings['warmup_steps']} steps" in PANEL.notice


def test_a_run_whose_loss_is_not_finite_is_said_so(shown: Any) -> None:
    rows = [
        {**row, "loss": None, "runs": [{**run, "loss": None} for run in row["runs"]]} for row in shown["by_depth"][3]
    ]
    data = {"given": {**shown, "by_depth": [*shown["by_depth"][:3], rows]}}
    assert "pre-norm not finite" in PANEL.said(data)
    assert PANEL.table(data).rows[0][1] == "not finite"


def test_it_stands_behind_a_heading_of_its_lesson() -> None:
    page = (lessons_folder() / PANEL.lesson / "lesson.md").read_text("utf-8")
    assert PANEL.after in {heading.anchor for heading in headings(page)}
