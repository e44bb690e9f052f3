"""The facts that the panel of positions tells, and what it keeps of the lab's record."""

import math

import torch

from grader.capstone.model import CONFIG
from grader.lab.length import Settings
from grader.site.export import golden
from grader.site.keep_record import kept
from grader.site.panels.positions import HEADS, LAST_TRAINED, QUERIES, SLOPES, TRAINED, content, query_and_key
from reference.positions import alibi_slopes

DATA = golden("positions")


def test_the_marks_are_where_the_model_and_the_lab_stopped_training() -> None:
    assert CONFIG["max_positions"] == TRAINED
    assert LAST_TRAINED in QUERIES
    assert DATA["given"]["record"]["trained"] == Settings().trained_length


def test_when_both_words_move_no_rope_and_no_alibi_score_changes_and_a_sinusoidal_one_does() -> None:
    for place, query in enumerate(QUERIES):
        for head in range(HEADS):
            assert DATA["rope"]["change"][place][head] < 1e-5
            assert DATA["alibi"]["change"][place][head] == 0
            if query != LAST_TRAINED:
                assert DATA["sinusoidal"]["added"]["change"][place][head] > 0.3
        assert DATA["sinusoidal"]["alone"]["change"][place][0] < 1e-6


def test_at_distance_0_a_rotation_changes_nothing_and_a_bias_adds_nothing() -> None:
    for part in ("rope", "alibi"):
        found = torch.tensor([DATA[part]["scores"][-1][head][0] for head in range(HEADS)], dtype=torch.float64)
        torch.testing.assert_close(found, content(), rtol=0, atol=1e-6)


def test_the_rope_scores_are_waves_of_the_lengths_of_the_pairs() -> None:
    query, key = (torch.complex(*vectors.chunk(2, -1)) for vectors in query_and_key())
    distance = torch.arange(QUERIES[-1] + 1, dtype=torch.float64)
    speed = 10000.0 ** (-torch.arange(8, dtype=torch.float64) / 8)
    turned = torch.polar(torch.ones(len(distance), 8, dtype=torch.float64), distance[:, None] * speed)
    waves = (query[:, None] * key.conj()[:, None] * turned).real.sum(-1) / math.sqrt(16)
    found = torch.tensor(DATA["rope"]["scores"][-1], dtype=torch.float64)
    torch.testing.assert_close(found, waves, rtol=0, atol=2e-5)


def test_the_names_of_the_heads_give_their_slopes() -> None:
    assert [1 / int(slope.partition("/")[2]) for slope in SLOPES] == alibi_slopes(HEADS).tolist()


def test_in_the_labs_record_rope_and_the_table_rise_beyond_the_trained_length_and_alibi_hardly_moves() -> None:
    none, table, rope, alibi = DATA["given"]["record"]["loss"]
    for losses in (table, rope):
        assert losses[1] > 1.35 * losses[0]
        assert min(losses[2:]) > 2 * losses[0]
    assert max(alibi) - alibi[0] < 0.1
    assert len(none) == Settings().multiples


def test_the_kept_record_is_one_of_these_settings() -> None:
    record = kept("length")
    assert set(record) == {"experiment", "seed", "versions", "settings", "measured"}
    settings = Settings()
    for name in ("trained_length", "multiples", "n_seeds", "steps", "n_blocks", "d_model"):
        assert record["settings"][name] == getattr(settings, name)
