"""The facts that the panel of temperature, top-k and top-p tells."""

from typing import Any

import torch

from grader.capstone.corpus import VOCABULARY
from grader.course.load import load_course
from grader.run.functions import Reference
from grader.site.export import golden
from grader.site.panels.temperature import (
    DROPPED,
    KS,
    PANEL,
    PS,
    TEMPERATURES,
    WORDS,
    all_logits,
    kept_highest,
    logits,
)
from reference.decoding import top_p

DATA = golden("temperature")
PART = {part.name: part for part in PANEL.parts}


class With:
    """The reference with one function replaced."""

    def __init__(self, exercise: str, function: Any) -> None:
        self._reference, self._exercise, self._function = Reference(load_course()), exercise, function

    def call(self, exercise: str, *args: Any, **kwargs: Any) -> Any:
        found = self._function if exercise == self._exercise else None
        return found(*args, **kwargs) if found else self._reference.call(exercise, *args, **kwargs)


def test_the_eight_words_are_the_most_probable_of_the_model_and_in_the_vocabularys_order() -> None:
    best = all_logits().topk(8).indices.sort().values
    assert tuple(VOCABULARY[token] for token in best.tolist()) == WORDS
    assert float(all_logits().softmax(-1).topk(8).values.sum()) > 0.9
    assert logits().argsort(descending=True).tolist() != list(range(8))  # a lost order would show


def test_the_lower_the_temperature_the_fewer_words_top_p_needs() -> None:
    for p, counts in zip(PS, DATA["given"]["kept"][KS.index(8)], strict=True):
        kept = [int(count) for count in counts]
        assert kept == sorted(kept), p
    assert int(DATA["given"]["kept"][7][PS.index(0.9)][0]) == 1
    assert int(DATA["given"]["kept"][7][PS.index(0.9)][-1]) == 7


def test_a_dropped_word_has_probability_0_and_an_infinite_loss_and_a_kept_one_has_neither() -> None:
    finite = kept_highest().isfinite().tolist()
    for t in range(len(TEMPERATURES)):
        for n in range(8):
            for word in range(8):
                probability, loss = DATA["softmax"][t][n][word], DATA["loss"][t][n][word]
                assert (probability > 0) == finite[t][n][word]
                assert (loss != "inf") == finite[t][n][word]
                assert (DATA["perplexity"][t][n][word] == "inf") == (loss == "inf")


def test_nothing_in_it_is_nan() -> None:
    assert '"nan"' not in str(DATA).replace("'", '"')


def test_a_top_p_that_forgets_the_order_of_the_vocabulary_keeps_other_words() -> None:
    def unordered(row: torch.Tensor, p: float) -> torch.Tensor:
        descending = row.sort(-1, descending=True).values
        return row.masked_fill(~top_p(descending, p).isfinite(), -torch.inf)

    wrong = PART["top_p"].compute(With("decoding.top_p", unordered), Reference(load_course()))
    place = 8 * TEMPERATURES.index(1.0)
    mine, right = (marks[7][PS.index(0.5)][place : place + 8] for marks in (wrong, DATA["top_p"]))
    assert (mine, right) == ("11100000", "01100001")
    assert mine.count(DROPPED) == right.count(DROPPED)  # a count alone would not have told


def test_a_filter_that_gives_zero_for_minus_infinity_is_told_from_one_that_drops() -> None:
    def zeroed(row: torch.Tensor, k: int) -> torch.Tensor:
        return row.masked_fill(row < row.topk(k, -1).values[..., -1:], 0.0)

    wrong = PART["top_k"].compute(With("decoding.top_k", zeroed), Reference(load_course()))
    place = 8 * TEMPERATURES.index(1.0)
    assert DATA["top_k"][2][place : place + 8] == "01100001"
    assert wrong[2][place : place + 8] == "x11xxxx1"


def test_its_data_fits() -> None:
    assert len(str(DATA)) < 150_000
