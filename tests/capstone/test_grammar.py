"""The grammar: its exact figures against samples, and what its stories must carry."""

import math
import random
import statistics

import pytest

from grader.capstone import carried, grammar
from grader.capstone.corpus import VOCABULARY
from grader.capstone.notation import alternatives
from grader.capstone.rules import PLURALS


@pytest.fixture(scope="module")
def documents() -> list[list[str]]:
    rng = random.Random("a thousand documents")
    return [grammar.sample_document(rng) for _ in range(1000)]


def test_a_seed_gives_the_same_document_again():
    assert grammar.sample_document(random.Random(7)) == grammar.sample_document(random.Random(7))


def test_a_thousand_documents_are_parsed_back(documents):
    for document in documents:
        assert all(nats <= 0 for nats in grammar.log_probabilities(document))
        assert grammar.next_words(document) == {}


def test_no_document_is_longer_than_the_longest(documents):
    assert max(map(len, documents)) <= grammar.longest_document() <= 80


def test_the_entropy_is_the_mean_surprise_of_the_oracle(documents):
    surprise = [-sum(grammar.log_probabilities(document)) for document in documents]
    error = statistics.stdev(surprise) / math.sqrt(len(surprise))
    assert statistics.fmean(surprise) == pytest.approx(grammar.entropy().nats_per_document, abs=4 * error)


def test_the_expected_length_is_the_mean_length(documents):
    lengths = [len(document) for document in documents]
    error = statistics.stdev(lengths) / math.sqrt(len(lengths))
    assert statistics.fmean(lengths) == pytest.approx(grammar.entropy().words_per_document, abs=4 * error)


def test_the_entropy_of_a_rule_is_that_of_its_choices():
    """Place() has six endings and no more: the sum over them by hand."""
    ways = {"in": 3 / 7, "near": 3 / 7, "on": 1 / 7}
    inner = {"in": [1 / 4, 2 / 4, 1 / 4], "near": [1 / 4, 1 / 4, 2 / 4], "on": [1.0]}
    by_hand = sum(-p * q * math.log(p * q) for way, p in ways.items() for q in inner[way])
    profile = grammar.profile(("Place",))
    assert profile.nats.sum() == pytest.approx(by_hand)
    assert profile.lengths.tolist() == pytest.approx([0, 0, 0, 1])


def test_a_long_window_nears_the_entropy_of_an_endless_row():
    assert grammar.window_entropy(20_000) == pytest.approx(grammar.entropy().nats_per_word, rel=1e-3)


def test_a_window_of_two_words_has_the_entropy_of_the_first_choice():
    first = grammar.next_words(["<s>"])
    assert grammar.window_entropy(2) == pytest.approx(-sum(p * math.log(p) for p in first.values()))


def test_a_window_without_a_target_is_refused():
    with pytest.raises(ValueError, match="no target"):
        grammar.window_entropy(1)


def test_next_words_and_log_probabilities_agree(documents):
    for document in documents[:30]:
        for position, nats in enumerate(grammar.log_probabilities(document)):
            distribution = grammar.next_words(document[:position])
            assert sum(distribution.values()) == pytest.approx(1.0)
            assert math.log(distribution[document[position]]) == pytest.approx(nats, abs=1e-12)


@pytest.mark.parametrize("prompt", ["the cat", "the dogs", "a girl", "two small goats", "mia lives"])
def test_natural_beginnings_can_be_said(prompt):
    assert grammar.next_words(["<s>", *prompt.split()])


def test_the_first_impossible_word_is_named():
    with pytest.raises(grammar.NotInGrammar, match=r"word 4, 'live', cannot stand here; possible: lives, of") as caught:
        grammar.log_probabilities(["<s>", "the", "cat", "live"])
    assert caught.value.position == 3


def test_nothing_follows_the_end(documents):
    with pytest.raises(grammar.NotInGrammar):
        grammar.log_probabilities([*documents[0], "<s>"])


def test_the_verb_after_a_relative_clause_agrees_with_the_hero():
    story = "<s> the cat of mia lives near the lake . one day the cat that the dogs chase"
    verbs = set(grammar.next_words(story.split()))
    assert verbs == {"hides", "runs", "climbs", "walks", "sleeps"}
    many = set(grammar.next_words(story.replace("cat", "cats").replace("lives", "live").split()))
    assert many == {PLURALS[verb] for verb in verbs}


def test_the_owner_of_the_first_sentence_is_the_only_name_at_the_end():
    story = (
        "<s> the cat of mia lives near the lake . one day the cat runs into the fog . "
        "soon it is dark and she looks for it . tom sees the cat and brings it home ."
    )
    assert set(grammar.next_words(story.split())) == {"mia", "at", "now"}
    assert set(grammar.next_words(f"{story} at night the cat sleeps beside".split())) == {"mia"}


def test_every_story_ends_with_the_name_it_began_with(documents):
    for document in documents:
        place = carried.name_at_the_end(document)
        first = next(word for word in document if word in place.right | place.wrong)
        assert place.right == {first}


def test_the_vocabulary_is_what_the_grammar_can_say():
    assert grammar.words_of_the_grammar() == set(VOCABULARY)


def test_weights_of_a_line_are_shared_out_among_its_choices():
    weights = [weight for weight, body in alternatives(("Known",)) if body[0] in {"cat", "cats"}]
    assert weights == [pytest.approx(7 / 16)] * 2


def test_a_name_that_stands_in_the_first_sentence_only_is_far():
    story = (
        "<s> mia lives in the barn and has a cat . one day the cat runs into the fog . "
        "soon it is dark and she looks for it ."
    )
    ending = "tom sees the cat and brings it home . at night the cat sleeps beside mia . </s>"
    near = story.replace("soon it is dark and she looks for it", "mia looks for the cat in the barn")
    assert carried.name_at_the_end(f"{story} {ending}".split()).hard
    assert not carried.name_at_the_end(f"{near} {ending}".split()).hard


def test_a_noun_of_the_other_number_before_the_verb_is_hard():
    story = "<s> mia lives in the barn and has a cat . one day the cat that the {} {} hides behind the mill ."
    plain = "<s> mia lives in the barn and has a cat . one day the cat hides behind the mill ."
    many = carried.verb_after_clause(story.format("dogs", "chase").split())
    one = carried.verb_after_clause(story.format("dog", "chases").split())
    assert many is not None
    assert one is not None
    assert (many.hard, one.hard) == (True, False)
    assert many.position == one.position == story.split().index("hides")
    assert carried.verb_after_clause(plain.split()) is None
