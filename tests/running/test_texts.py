"""The text that a learner's functions make of the trained model, and the command that shows it."""

import json

import pytest
import torch
from click.testing import CliRunner

from grader.capstone.corpus import START_TOKEN, STOP_TOKEN, encode
from grader.capstone.model import load
from grader.cli import main
from grader.course.load import load_course
from grader.errors import UserError
from grader.run.decoder import Decoder
from grader.run.functions import Reference
from grader.run.generation import Sampling, Wish, without_cache
from grader.run.performance import NEEDED, NEEDED_TO_SAMPLE
from grader.run.told import told, words

SECOND_HALF = (
    "    return h + swiglu(rms_norm(h, weights['norm2.weight'], eps), mlp)\n\n\ndef unused(h, weights, mlp, eps):\n"
    "    return pre_norm(h, lambda x: rms_norm(x"
)
WITHOUT_PRE_NORM = {"block": ("    return pre_norm(h, lambda x: rms_norm(x", SECOND_HALF)}


@pytest.mark.parametrize(("prompt", "most"), [("the cat", 24), ("a girl", 8), ("the dogs that", 8)])
def test_right_functions_say_what_the_reference_says(run, prompt, most):
    performance = run({}, prompt, most)
    assert performance.same
    assert performance.plain == performance.cached == performance.reference
    assert len(performance.reference.tokens) > len(performance.prompt)
    assert all(finding.verdict == "same" for finding in performance.walk.whole)


def test_another_style_says_the_same(run):
    assert run(WITHOUT_PRE_NORM).same


@pytest.mark.parametrize("sampling", [Sampling(1.0, seed=1), Sampling(0.7, top_k=5, top_p=0.9, seed=2)])
def test_drawn_tokens_are_the_same_too(run, sampling):
    performance = run({}, most=16, sampling=sampling)
    assert performance.same


def test_the_seed_decides_what_is_drawn():
    model = load()
    decoder, functions = Decoder.of(model.config, model.weights), Reference(load_course())
    prompt, context = torch.tensor([[START_TOKEN, *encode("the cat")]]), int(model.config["max_positions"])
    texts = set()
    for seed in range(3):
        wish = Wish(prompt, 12, STOP_TOKEN, context, Sampling(1.0, seed=seed))
        texts.add(tuple(without_cache(functions, decoder, wish)[0].tolist()))
    assert len(texts) > 1


def test_every_function_that_is_asked_is_listed_as_needed(run):
    performance = run({}, most=2)
    asked = {finding.stage.exercise for finding in performance.walk.whole}
    assert asked <= {*NEEDED, *NEEDED_TO_SAMPLE}


def test_the_marks_of_a_story_are_not_shown(run):
    performance = run({}, most=60)
    assert not words(performance.reference.tokens).startswith("<s>")
    assert words(performance.reference.tokens).startswith("the cat")
    assert "</s>" not in told(performance, 80)


def test_an_unknown_word_is_named(run):
    with pytest.raises(UserError, match="quokka"):
        run({}, "the quokka")


def test_more_tokens_than_the_model_knows_are_refused(run):
    with pytest.raises(UserError, match="trained on"):
        run({}, most=500)


def invoke(*words):
    return CliRunner().invoke(main, ["run", *words])


@pytest.mark.usefixtures("lent_zygote")
def test_the_command_prints_texts_and_stages(changed):
    result = invoke("the cat", "--student", str(changed({})), "--tokens", "6")
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[0].startswith("reference   the cat ")
    assert lines[1].split("yours")[1].split() == lines[0].split("reference")[1].split()
    assert "token by token: 6 new tokens, cache or no cache." in result.output
    assert any(line.split() == ["block", "4", "block.llama_block", "same"] for line in lines)
    assert result.output.isascii()


@pytest.mark.usefixtures("lent_zygote")
def test_the_command_names_the_fault_and_ends_with_1(changed):
    folder = changed({"heads": ("x.repeat_interleave(n_repeats, dim=1)", "x.repeat(1, n_repeats, 1, 1)")})
    result = invoke("--student", str(folder), "--tokens", "6")
    assert result.exit_code == 1
    assert (
        "The numbers part here: block 0, keys for every query head.\nThe exercise is heads.repeat_kv." in result.output
    )
    assert "anatomy grade heads.repeat_kv" in result.output


def test_json_holds_the_same(changed):
    result = invoke("--student", str(changed({})), "--tokens", "4", "--format", "json")
    record = json.loads(result.output)
    assert record["same"] is True
    assert record["fault"] is None
    assert record["yours"]["tokens"] == record["reference"]["tokens"] == record["yours_with_cache"]["tokens"]
    assert {stage["verdict"] for stage in record["stages"]} == {"same"}


def test_a_folder_without_modules_is_one_sentence(tmp_path):
    result = invoke("--student", str(tmp_path))
    assert result.exit_code == 2
    assert "Traceback" not in result.output


def test_a_missing_mark_is_named_since_it_is_not_shown(run):
    page = told(run({"decoding": ("    return tokens\n", "    return tokens[:, 1:]\n")}, most=3), 90)
    assert 'the texts part at token 0: "the" for the mark that begins a story.' in page
