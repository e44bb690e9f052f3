"""One planted fault in a right submission: the run says at which block and stage the numbers part, and whose it is."""

import pytest

PLANTED = {
    "embedding scaled": (
        {"objective": ("return table[tokens]", "return table[tokens] * table.shape[1] ** 0.5")},
        ("embedding", "objective.embed", "root of D"),
    ),
    "sum for mean": (
        {"normalization": ("wide.square().mean(dim=-1", "wide.square().sum(dim=-1")},
        ("block 0, norm 1", "normalization.rms_norm", "sum"),
    ),
    "mean taken off": (
        {"normalization": ("mean_square = wide.sq", "wide = wide - wide.mean(-1, True); mean_square = wide.sq")},
        ("block 0, norm 1", "normalization.rms_norm", "mean first"),
    ),
    "heads cut along the sequence": (
        {"heads": ("x.reshape(batch, seq, n_heads, width // n_heads).transpose(1, 2)",
                   "x.reshape(batch, n_heads, seq, width // n_heads)")},
        ("block 0, queries into heads", "heads.split_heads", ""),
    ),
    "frequencies fall too slowly": (
        {"positions": ("torch.pow(base, -exponents)", "torch.pow(base, -exponents / 2)")},
        ("block 0, rotary angles", "positions.rope_angles", ""),
    ),
    "neighbours turned": (
        {"positions": ("a, b = x.chunk(2, dim=-1)", "a, b = x[..., 0::2], x[..., 1::2]")},
        ("block 0, rotation of the queries", "positions.apply_rope_half", ""),
    ),
    "turned backwards": (
        {"positions": ("cat((a * cos - b * sin, a * sin + b * cos)", "cat((a * cos + b * sin, b * cos - a * sin)")},
        ("block 0, rotation of the queries", "positions.apply_rope_half", ""),
    ),
    "whole copies": (
        {"heads": ("x.repeat_interleave(n_repeats, dim=1)", "x.repeat(1, n_repeats, 1, 1)")},
        ("block 0, keys for every query head", "heads.repeat_kv", "copies"),
    ),
    "itself masked": (
        {"attention": ("key_positions <= query_positions", "key_positions < query_positions")},
        ("block 0, causal mask", "attention.causal_mask", ""),
    ),
    "scores not scaled": (
        {"attention": ("k.transpose(-2, -1) / math.sqrt(q.shape[-1])", "k.transpose(-2, -1)")},
        ("block 0, scores", "attention.attention_scores", ""),
    ),
    "softmax over the queries": (
        {"attention": ("return softmax(scores, dim=-1)", "return softmax(scores, dim=-2)")},
        ("block 0, attention weights", "attention.attention_weights", ""),
    ),
    "heads put together along the sequence": (
        {"heads": ("x.transpose(1, 2).flatten(start_dim=2)", "x.reshape(x.shape[0], x.shape[2], -1)")},
        ("block 0, heads put together", "heads.merge_heads", ""),
    ),
    "normed stream kept": (
        {"block": ("return h + sublayer(norm(h))", "h = norm(h); return h + sublayer(h)")},
        ("block 0, first addition", "block.pre_norm", ""),
    ),
    "ReLU for SiLU": (
        {"feedforward": ("(wide * torch.sigmoid(wide))", "wide.clamp(min=0)")},
        ("block 0, gate", "feedforward.silu", "ReLU"),
    ),
    "gate and up exchanged": (
        {"feedforward": ('silu(x @ weights["w_gate"].T)', 'silu(x @ weights["w_up"].T) * 0 + x @ weights["w_gate"].T')},
        ("block 0, feed-forward network", "feedforward.swiglu", ""),
    ),
    "queries not turned": (
        {"block": ("        apply_rope_half(q, angles),\n", "        q,\n")},
        ("block 0, context", "block.llama_block", "`q`"),
    ),
    "one norm's weight for both": (
        {"block": ('lambda x: rms_norm(x, weights["norm2.weight"], eps), lambda x: swiglu',
                   'lambda x: rms_norm(x, weights["norm1.weight"], eps), lambda x: swiglu')},
        ("block 0, norm 2", "block.llama_block", "`weight`"),
    ),
    "blocks in the wrong order": (
        {"model": ("    for block in _blocks(weights):\n        h = llama_block",
                   "    for block in reversed(_blocks(weights)):\n        h = llama_block")},
        ("block 0", "model.llama", ""),
    ),
    "no final norm": (
        {"model": ('h = rms_norm(h, weights["norm_f.weight"], eps)', "h = h + 0")},
        ("unembedding", "model.llama", "norm"),
    ),
    "new keys in front": (
        {"decoding": ("torch.cat([keys, k], dim=2)", "torch.cat([k, keys], dim=2)")},
        ("block 0, growing cache", "decoding.append_cache", ""),
    ),
    "logits of the first place": (
        {"decoding": ("logits[:, -1].argmax", "logits[:, 0].argmax")},
        ("generation", "decoding.generate", ""),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def faults(follow):
    """What is found in each."""
    return {name: follow(changes).fault for name, (changes, _) in PLANTED.items()}


@pytest.mark.parametrize("name", PLANTED)
def test_a_fault_is_found_where_it_was_planted(faults, name):
    place, exercise, word = PLANTED[name][1]
    found = faults[name]
    assert (found.place, found.exercise) == (place, exercise), found.says
    assert word in found.says


def test_most_faults_are_named_from_the_catalogue(faults):
    unnamed = [name for name, fault in faults.items() if not fault.misconception]
    assert len(unnamed) <= 4, unnamed


def test_right_functions_have_no_fault(follow):
    found = follow({})
    assert found.fault is None
    assert len(found.whole) > 10
    assert {finding.verdict for finding in found.whole} == {"same"}


def test_heads_may_be_repeated_before_they_are_turned(follow):
    """What is right in another order is not taken for the fault: here that is a mask that is not given."""
    turned = ("repeat_kv(apply_rope_half(k, angles), group)", "apply_rope_half(repeat_kv(k, group), angles)")
    assert follow({"block": turned}).fault is None


def test_a_fault_shows_in_the_text(run):
    performance = run(PLANTED["whole copies"][0])
    assert performance.plain != performance.reference
    assert performance.cached != performance.reference
    assert not performance.same


def test_a_function_that_is_missing_is_said_to_be_missing(run):
    performance = run({"heads": ("return x.repeat_interleave(n_repeats, dim=1)", "raise NotImplementedError")})
    assert performance.walk.fault.place == "block 0, keys for every query head"
    assert performance.walk.fault.says == "Your function is not written yet."
    assert performance.plain.trouble == "`model.llama` is not written yet."


def test_a_file_that_cannot_be_read_is_named_first(run):
    performance = run({"heads": ("return x.repeat_interleave(", "return x.repeat_interleave((")})
    assert "heads.py" in performance.problems[0]
    assert performance.walk.fault is None
    assert performance.plain.tokens == ()


def test_a_function_that_ends_the_process_costs_no_more_than_itself(run):
    performance = run(
        {"feedforward": ("    return (wide * torch.sigmoid(wide))", "    __import__('os')._exit(0)\n    return (wide)")}
    )
    assert performance.walk.fault.exercise == "feedforward.silu"
    assert "did not answer" in performance.walk.fault.says
    assert "ended the whole process" in performance.plain.trouble


def test_a_result_of_another_kind_is_told(run):
    performance = run({"decoding": ("    return tokens\n", "    return [3]\n")})
    assert performance.walk.fault.exercise == "decoding.generate"
    assert performance.plain.tokens == ()
    assert performance.cached == performance.reference
