"""Text and ids, windows, and the loss of the oracle and of the n-gram baseline on them."""

import math

import pytest
import torch

from grader.capstone import grammar, ngram
from grader.capstone.corpus import START_TOKEN, STOP_TOKEN, VOCABULARY, decode, encode, oracle_loss, windows
from grader.errors import UserError


def test_text_comes_back():
    text = "the cat of mia lives near the river ."
    assert decode(encode(text)) == text


def test_capitals_and_a_full_stop_without_a_space_are_understood():
    assert encode("The cat sleeps.") == encode("the cat sleeps .")


def test_an_empty_text_has_no_tokens():
    assert encode("  ") == []


def test_markers_have_fixed_ids():
    assert encode("<s> </s>") == [START_TOKEN, STOP_TOKEN] == [0, 1]


def test_an_unknown_word_is_named_with_its_neighbours():
    with pytest.raises(UserError, match=r"does not know the word 'catz'.*Near it: .*\bcats?\b"):
        encode("the catz sleeps")


def test_a_word_without_neighbours_gets_examples():
    with pytest.raises(UserError, match=r"'zzz'.*for example: the, cat"):
        encode("zzz")


def test_the_examples_are_words_of_the_vocabulary():
    encode("the cat dogs girl river sleeps")


@pytest.mark.parametrize("token", [-1, len(VOCABULARY)])
def test_an_id_outside_the_vocabulary_is_refused(token):
    with pytest.raises(ValueError, match=f"token {token} lies outside"):
        decode([token])


def test_windows_have_their_shape_and_begin_with_a_document():
    rows = windows(3, 5, 40)
    assert rows.shape == (5, 40)
    assert rows.dtype == torch.int64
    assert (rows[:, 0] == START_TOKEN).all()


def test_no_rows_are_an_empty_tensor():
    assert windows(0, 0, 16).shape == (0, 16)


def test_windows_depend_on_their_seed_only():
    assert torch.equal(windows(3, 4, 40), windows(3, 4, 40))
    assert not torch.equal(windows(3, 4, 40), windows(4, 4, 40))


def test_held_out_windows_are_others():
    assert not torch.equal(windows(3, 4, 40), windows(3, 4, 40, held_out=True))


def test_more_rows_of_a_seed_begin_with_the_same_rows():
    assert torch.equal(windows(3, 2, 40), windows(3, 6, 40)[:2])


def test_the_oracle_loss_of_one_row_by_hand():
    row = windows(11, 1, 100)
    words = decode(row[0].tolist()).split()
    second = words.index("<s>", 1)
    by_hand = -sum(grammar.log_probabilities(words[:second])) - sum(grammar.log_probabilities(words[second:]))
    assert oracle_loss(row) == pytest.approx(by_hand / 99)


def test_the_oracle_loss_nears_the_entropy_of_windows():
    assert oracle_loss(windows(0, 1000, 50)) == pytest.approx(grammar.window_entropy(50), rel=0.01)


def test_a_unigram_is_the_frequency_mixed_with_a_uniform_guess():
    a, b, c = 5, 6, 7
    training, held_out = torch.tensor([[0, a, a, b]]), torch.tensor([[0, a, c]])
    uniform = 1 / len(VOCABULARY)
    seen, unseen = (2 + 2 * uniform) / 5, 2 * uniform / 5
    assert ngram.losses_by_order(training, held_out, 1) == [pytest.approx(-(math.log(seen) + math.log(unseen)) / 2)]


def test_a_bigram_falls_back_where_its_context_is_new():
    a, b, c = 5, 6, 7
    training = torch.tensor([[0, a, b, a, b]])
    known, new = torch.tensor([[a, b]]), torch.tensor([[c, b]])
    unigram, bigram = ngram.losses_by_order(training, known, 2)
    assert math.exp(-bigram) == pytest.approx((2 + math.exp(-unigram)) / 3)
    assert ngram.losses_by_order(training, new, 2)[1] == pytest.approx(unigram)


def test_the_context_of_an_ngram_stops_at_the_beginning_of_its_document():
    a, b, c = 5, 6, 7
    training, after = torch.tensor([[0, a, b]]), torch.tensor([[0, c, 0, a]])
    alone = ngram.losses_by_order(training, torch.tensor([[0, a]]), 4)
    # The last target of `after` has the context `<s>` alone; the two others stay as they are.
    others = ngram.losses_by_order(training, torch.tensor([[0, c, 0]]), 4)
    for mixed, rest, first in zip(ngram.losses_by_order(training, after, 4), others, alone, strict=True):
        assert 3 * mixed == pytest.approx(2 * rest + first)


def test_no_ngram_beats_the_oracle():
    held_out = windows(0, 100, 60, held_out=True)
    assert min(ngram.losses_by_order(windows(0, 500, 60), held_out)) > 1.2 * oracle_loss(held_out)


@pytest.mark.parametrize("order", [0, ngram.HIGHEST_ORDER + 1])
def test_an_order_out_of_range_is_refused(order):
    with pytest.raises(ValueError, match="orders go from 1 to 8"):
        ngram.losses_by_order(windows(0, 1, 8), windows(1, 1, 8), order)
