"""Known mistakes of the lesson on the block: each exercise written once, with a switch at every fork."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("block")

Layer = Callable[[Tensor], Tensor]
Weights = dict[str, Tensor]


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


DRIFT = (
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"changes-h": "The caller's h is changed in place (+= does that); add into a new tensor."},
        fails="test_leaves_arguments_alone",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {
            "stream-detached": "The stream is cut off before it is added, so that no gradient passes along it: the "
            "identity path is the one that must stay open.",
            "branch-detached": "What the sublayer returns is cut off (detach, no_grad, .data): the sublayer and its "
            "norm get no gradient.",
        },
        fails="test_gradient",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"returns-float32": "The result is float32 although h is not: give back its dtype."},
        fails="test_dtype",
    ),
)


def handed_back(wrong: Wrong, h: Tensor, result: Tensor) -> Tensor:
    """The result, after what else may go wrong at the end."""
    if wrong("changes-h"):
        h.copy_(result)
    return result.float() if wrong("returns-float32") else result.to(h.dtype)


@catalogue.flawed(
    "pre_norm",
    *about(
        "norm-and-sublayer-in-another-order",
        {
            "post-norm": "The sum is normalized (the original order). In pre-norm only what the sublayer reads is.",
            "norm-after-sublayer": "The norm is applied to what the sublayer returns; it comes before the sublayer.",
            "normed-on-both-sides": "The norm is applied before and after the sublayer; before is all.",
        },
    ),
    *about(
        "a-norm-lost-shared-or-applied-twice",
        {
            "norm-missing": "The sublayer reads the stream as it is; it should read norm(h).",
            "normed-twice": "The norm is applied twice in a row.",
            "sublayer-missing": "The normalized stream is added without passing through the sublayer.",
            "sublayer-twice": "The sublayer is applied to its own result once more.",
        },
    ),
    *about(
        "a-residual-lost-doubled-or-taken-from-elsewhere",
        {
            "residual-missing": "h itself is not added: there is no path around the sublayer.",
            "residual-doubled": "h is added twice.",
            "residual-from-normed": "What is added is norm(h); the residual is h as it came in.",
        },
    ),
    *DRIFT,
)
def pre_norm(wrong: Wrong, h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """The normalized stream through the sublayer, onto the stream."""
    if wrong("post-norm"):
        branch = sublayer(h)
    else:
        source = h if wrong("norm-missing") or wrong("norm-after-sublayer") else norm(h)
        source = norm(source) if wrong("normed-twice") else source
        branch = source if wrong("sublayer-missing") else sublayer(source)
    branch = sublayer(branch) if wrong("sublayer-twice") else branch
    if wrong("norm-after-sublayer") or wrong("normed-on-both-sides"):
        branch = norm(branch)
    if wrong("branch-detached"):
        branch = branch.detach()
    stream = h.detach() if wrong("stream-detached") else h
    if wrong("residual-from-normed"):
        stream = norm(stream)
    if wrong("residual-doubled"):
        stream = 2 * stream
    total = branch if wrong("residual-missing") else torch.add(branch, stream)
    return handed_back(wrong, h, norm(total) if wrong("post-norm") else total)


@catalogue.flawed(
    "post_norm",
    *about(
        "norm-and-sublayer-in-another-order",
        {
            "pre-norm": "The norm is applied before the sublayer. In post-norm it is applied to the sum, once.",
            "norm-before-adding": "The norm is applied to what the sublayer returns; it is applied to the sum.",
            "normed-on-both-sides": "The sublayer reads norm(h); it reads h, and the sum is normalized.",
        },
    ),
    *about(
        "a-norm-lost-shared-or-applied-twice",
        {
            "norm-missing": "The sum is handed back as it is; it should be normalized.",
            "normed-twice": "The norm is applied twice in a row.",
            "summands-normed-apart": "h and the sublayer's result are normalized each for itself; first add, then "
            "normalize once.",
            "sublayer-missing": "The sublayer is never applied.",
            "sublayer-twice": "The sublayer is applied to its own result once more.",
        },
    ),
    *about(
        "a-residual-lost-doubled-or-taken-from-elsewhere",
        {
            "residual-missing": "h itself is not added: there is no path around the sublayer.",
            "residual-doubled": "h is added twice before the norm.",
            "residual-beside-the-norm": "h is added once more after the norm; it is part of the sum inside only.",
        },
    ),
    *DRIFT,
)
def post_norm(wrong: Wrong, h: Tensor, norm: Layer, sublayer: Layer) -> Tensor:
    """The sum of the stream and the sublayer's result, normalized."""
    source = norm(h) if wrong("pre-norm") or wrong("normed-on-both-sides") else h
    branch = source if wrong("sublayer-missing") else sublayer(source)
    branch = sublayer(branch) if wrong("sublayer-twice") else branch
    if wrong("norm-before-adding") or wrong("summands-normed-apart"):
        branch = norm(branch)
    if wrong("branch-detached"):
        branch = branch.detach()
    stream = h.detach() if wrong("stream-detached") else h
    if wrong("summands-normed-apart"):
        stream = norm(stream)
    if wrong("residual-doubled"):
        stream = 2 * stream
    total = branch if wrong("residual-missing") else torch.add(branch, stream)
    unnormed = any(map(wrong, ("pre-norm", "norm-before-adding", "summands-normed-apart", "norm-missing")))
    result = total if unnormed else norm(total)
    if wrong("normed-twice"):
        result = norm(result)
    return handed_back(wrong, h, result + h if wrong("residual-beside-the-norm") else result)


WIRING = (
    *about(
        "norm-and-sublayer-in-another-order",
        {
            "post-norm": "Each sum is normalized (post-norm). Here the norm stands before each sublayer, and the "
            "stream itself is never normalized.",
            "norm-after-sublayer": "Each norm is applied to what its sublayer returns; it comes before the sublayer.",
            "network-first": "The feed-forward network comes first, with its norm; attention does.",
            "parallel": "The feed-forward network reads the block's input; it reads the stream after attention.",
        },
    ),
    *about(
        "a-residual-lost-doubled-or-taken-from-elsewhere",
        {
            "attention-residual-missing": "There is no path around attention: its result takes the place of the stream "
            "in place of being added to it.",
            "network-residual-missing": "There is no path around the feed-forward network: its result takes the place "
            "of the stream in place of being added to it.",
            "second-residual-from-input": "The network's result is added to the block's input, so that what attention "
            "wrote is lost; it is added to the stream after attention.",
            "input-added-again": "The block's input is added once more at the end; it is in the stream already.",
            "residuals-doubled": "Each residual is added twice, once inside the sublayer and once outside.",
            "residuals-from-normed": "The normalized stream is added to each sublayer's result; the residual is the "
            "stream before its norm.",
        },
    ),
    *about(
        "a-norm-lost-shared-or-applied-twice",
        {
            "one-norm-for-both": "The first norm's parameters serve both sublayers; the second has its own.",
            "norms-swapped": "The two norms have changed places.",
            "normed-twice": "Each norm is applied twice in a row.",
            "attention-unnormed": "Attention reads the stream as it is; it should read the normalized stream.",
            "network-unnormed": "The feed-forward network reads the stream as it is; it should read the normalized "
            "stream.",
            "only-queries-normed": "Only the queries come from the normalized stream; keys and values do too.",
            "network-reads-attention-alone": "The feed-forward network reads what attention returned, without the "
            "stream that it was added to.",
        },
    ),
    *DRIFT,
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"takes-keys": "Keys are taken out of the dict of weights that was passed (pop does that); make a new dict."},
        fails="test_leaves_arguments_alone",
    ),
)
"""What may go wrong between the parts of a block, whatever they are."""


def wired(
    wrong: Wrong, h: Tensor, norms: tuple[Layer, Layer], attend: Callable[[Tensor, Tensor], Tensor], network: Layer
) -> Tensor:
    """Two sublayers on one stream. `attend` takes what queries read and what keys and values read."""
    first_norm, second_norm = norms
    if wrong("one-norm-for-both"):
        second_norm = first_norm
    if wrong("norms-swapped"):
        first_norm, second_norm = second_norm, first_norm
    if wrong("normed-twice"):
        first_norm, second_norm = (lambda x, n=n: n(n(x)) for n in (first_norm, second_norm))

    def attention_step(stream: Tensor) -> Tensor:
        keys_read = stream if wrong("only-queries-normed") else None
        missing, unnormed = wrong("attention-residual-missing"), wrong("attention-unnormed")
        return step(
            wrong,
            stream,
            stream,
            first_norm,
            lambda x: attend(x, x if keys_read is None else keys_read),
            missing,
            unnormed,
        )

    def network_step(stream: Tensor) -> Tensor:
        source = h if wrong("parallel") else stream - h if wrong("network-reads-attention-alone") else stream
        onto = h if wrong("second-residual-from-input") else stream
        missing, unnormed = wrong("network-residual-missing"), wrong("network-unnormed")
        return step(wrong, source, onto, second_norm, network, missing, unnormed)

    steps = (network_step, attention_step) if wrong("network-first") else (attention_step, network_step)
    result = steps[1](steps[0](h))
    return result + h if wrong("input-added-again") else result


def step(
    wrong: Wrong, source: Tensor, onto: Tensor, norm: Layer, sublayer: Layer, missing: bool, unnormed: bool
) -> Tensor:
    """One sublayer that reads `source` and is added to `onto`."""
    late = wrong("norm-after-sublayer")
    branch = sublayer(source if wrong("post-norm") or late or unnormed else norm(source))
    if late:
        branch = norm(branch)
    if wrong("branch-detached"):
        branch = branch.detach()
    if wrong("stream-detached"):
        onto = onto.detach()
    if wrong("residuals-from-normed"):
        onto = norm(onto)
    if wrong("residuals-doubled"):
        onto = 2 * onto
    total = branch if missing else onto + branch
    return norm(total) if wrong("post-norm") else total


ATTENTION = about(
    "attention-inside-the-block",
    {
        "not-causal": "Every position sees every other; in a decoder none may look ahead.",
        "hides-own-position": "A position does not see itself; it should.",
        "no-scale": "The scores are not divided by the root of the head width K.",
        "divides-by-head-width": "The scores are divided by the head width K itself: the root is missing, or the scale "
        "is applied twice.",
        "root-of-model-width": "The scores are divided by the root of the model width D; each head compares vectors of "
        "its own width K.",
        "output-projection-missing": "The merged heads are not projected by attn.wo.",
    },
)


def heads_of(x: Tensor, n_heads: int) -> Tensor:
    """`(B, T, H*K)` -> `(B, H, T, K)`."""
    return torch.unflatten(x, -1, (n_heads, x.shape[-1] // n_heads)).transpose(1, 2)


def attended(wrong: Wrong, q: Tensor, k: Tensor, v: Tensor, order: Tensor | None = None) -> Tensor:
    """Merged contexts `(B, T, D)`. `order`: positions that decide who is earlier, by default the index."""
    batch, n_heads, seq, width = q.shape
    place = torch.arange(seq) if order is None else order
    seen = place < place[:, None] if wrong("hides-own-position") else place <= place[:, None]
    if wrong("not-causal"):
        seen = torch.ones_like(seen)
    divisor = math.sqrt(width * n_heads if wrong("root-of-model-width") else width)
    if wrong("divides-by-head-width"):
        divisor = width
    scores = q @ k.mT / (1.0 if wrong("no-scale") else divisor)
    weights = scores.masked_fill(~seen, torch.finfo(scores.dtype).min).softmax(-1) * seen
    return (weights @ v).transpose(1, 2).reshape(batch, seq, n_heads * width)


def widened(wrong: Wrong, h: Tensor, weights: Weights) -> tuple[Tensor, dict[str, Tensor]]:
    """16-bit arguments in float32, all others as they are."""
    wide = torch.promote_types(h.dtype, torch.float32)
    w = {name: weight.to(wide) for name, weight in weights.items()}
    if wrong("takes-keys"):
        weights.clear()
    return h.to(wide), w


@catalogue.flawed(
    "gpt2_block",
    *WIRING,
    *ATTENTION,
    *about(
        "attention-inside-the-block",
        {
            "one-head": "n_heads has no effect: attention has a single wide head.",
            "untransposed": "The projections of attention are applied without their transpose; weights are (out, in).",
        },
    ),
    *about(
        "the-kind-of-norm-and-its-eps",
        {
            "rms-norm-for-layer-norm": "The mean is not removed: that is RMSNorm. GPT-2 has LayerNorm.",
            "gains-ignored": "The gains of the norms (gamma) have no effect.",
            "shifts-ignored": "The shifts of the norms (beta) have no effect.",
            "eps-of-the-other-norm": "The eps is 1e-6, the default of RMSNorm; that of GPT-2's LayerNorm is 1e-5.",
            "eps-missing": "The norms have no eps; it is 1e-5.",
        },
    ),
    *about(
        "biases-and-activations",
        {
            "attention-biases-ignored": "The biases of attention are never added.",
            "network-biases-ignored": "The biases of the feed-forward network are never added.",
            "exact-gelu": "The activation is the exact GELU with erf; GPT-2 uses the tanh form.",
            "relu": "The activation is ReLU; GPT-2 uses GELU in its tanh form.",
            "silu": "The activation is SiLU; GPT-2 uses GELU in its tanh form.",
        },
    ),
)
def gpt2_block(wrong: Wrong, h: Tensor, weights: Weights, n_heads: int) -> Tensor:
    """LayerNorms, attention and network by torch's own functions, wired."""
    x, w = widened(wrong, h, weights)
    eps = 0.0 if wrong("eps-missing") else 1e-6 if wrong("eps-of-the-other-norm") else 1e-5
    count = 1 if wrong("one-head") else n_heads

    def norm(name: str) -> Layer:
        gamma = None if wrong("gains-ignored") else w[f"{name}.gamma"]
        beta = torch.zeros_like(w[f"{name}.beta"]) if wrong("shifts-ignored") else w[f"{name}.beta"]
        if wrong("rms-norm-for-layer-norm"):
            return lambda x: F.rms_norm(x, x.shape[-1:], gamma, eps) + beta
        return lambda x: F.layer_norm(x, x.shape[-1:], gamma, beta, eps)

    def project(x: Tensor, letter: str) -> Tensor:
        bias = None if wrong("attention-biases-ignored") else w[f"attn.b{letter}"]
        matrix = w[f"attn.w{letter}"]
        return F.linear(x, matrix.mT if wrong("untransposed") else matrix, bias)

    def attend(queries_read: Tensor, keys_read: Tensor) -> Tensor:
        q = heads_of(project(queries_read, "q"), count)
        k, v = (heads_of(project(keys_read, n), count) for n in "kv")
        merged = attended(wrong, q, k, v)
        return merged if wrong("output-projection-missing") else project(merged, "o")

    def activation(x: Tensor) -> Tensor:
        if wrong("relu"):
            return F.relu(x)
        return F.silu(x) if wrong("silu") else F.gelu(x, approximate="none" if wrong("exact-gelu") else "tanh")

    def network(x: Tensor) -> Tensor:
        b_in, b_out = (None if wrong("network-biases-ignored") else w[f"mlp.b_{side}"] for side in ("in", "out"))
        return F.linear(activation(F.linear(x, w["mlp.w_in"], b_in)), w["mlp.w_out"], b_out)

    return handed_back(wrong, h, wired(wrong, x, (norm("ln1"), norm("ln2")), attend, network))


@catalogue.flawed(
    "llama_block",
    *WIRING,
    *ATTENTION,
    *about(
        "attention-inside-the-block",
        {
            "tiled": "Key-value heads are repeated as a whole (0, 1, 0, 1); the copies of one head are neighbours.",
            "first-head-for-all": "All query heads read the first key-value head; each group has its own.",
            "causal-by-position": "Who may see whom is decided by `positions`; it is decided by the order in h. "
            "Positions serve the rotation only.",
        },
    ),
    *about(
        "what-is-turned-and-by-how-much",
        {
            "not-turned": "Queries and keys are not rotated at all.",
            "values-turned": "The values are rotated as well; only queries and keys are.",
            "only-queries-turned": "Only the queries are rotated; keys are too.",
            "only-keys-turned": "Only the keys are rotated; queries are too.",
            "turned-backwards": "Queries and keys are turned clockwise; it is counter-clockwise.",
            "neighbouring-pairs": "Neighbouring features are turned together (RoFormer's layout); here feature i is "
            "paired with feature i + K/2.",
            "turned-before-projection": "What the projections read is rotated; rotate queries and keys, after "
            "projecting and splitting.",
            "turned-before-split": "The rotation runs over all heads at once, with one set of angles for the whole "
            "width; split first, then turn each head.",
            "frequencies-of-model-width": "The angles fall with 2i/D; they fall with 2i/K, where K is the width of a "
            "head.",
            "base-ignored": "The base is always 10000; use the one that is passed.",
            "positions-ignored": "The angles are those of positions 0, 1, 2, ...; use the positions that are passed.",
        },
    ),
    *about(
        "what-is-turned-and-by-how-much",
        {
            "sixteen-bit-angles": "The angles are rounded to 16 bits, which leaves far positions no digits; keep "
            "them in float32."
        },
        fails="test_far_positions_in_16_bits",
    ),
    *about(
        "the-kind-of-norm-and-its-eps",
        {
            "layer-norm-for-rms-norm": "The mean is removed: that is LayerNorm. LLaMA has RMSNorm.",
            "gains-ignored": "The gains of the norms have no effect.",
            "one-plus-gain": "The gain is taken as 1 + weight; here the weight itself is the gain.",
            "eps-ignored": "The eps that is passed has no effect.",
            "eps-default-of-the-other-norm": "Without an argument eps is 1e-6; 1e-5 is the default of LayerNorm here.",
            "eps-in-the-first-norm-only": "The eps that is passed reaches the first norm only; both have it.",
        },
    ),
    *about(
        "the-gate-and-the-value-beside-it",
        {
            "gelu-gate": "The gate is activated with GELU; SwiGLU uses SiLU.",
            "sigmoid-gate": "The gate is a sigmoid alone; SiLU is x times sigmoid(x).",
            "gate-and-up-swapped": "w_gate and w_up have changed places: the activation belongs to the gate.",
            "both-activated": "Gate and up are both activated; up stays linear.",
            "gate-and-up-added": "Gate and up are added; they are multiplied.",
        },
    ),
)
def llama_block(
    wrong: Wrong,
    h: Tensor,
    weights: Weights,
    n_heads: int,
    n_kv_heads: int,
    positions: Tensor,
    base: float = 10000.0,
    eps: float | None = None,
) -> Tensor:
    """RMSNorms and projections by torch's own functions, rotation by complex numbers, wired."""
    x, w = widened(wrong, h, weights)
    default = 1e-5 if wrong("eps-default-of-the-other-norm") else 1e-6
    first_eps = default if eps is None or wrong("eps-ignored") else eps
    second_eps = default if wrong("eps-in-the-first-norm-only") else first_eps

    def norm(name: str, eps: float) -> Layer:
        gain = w[f"{name}.weight"]
        gain = torch.ones_like(gain) if wrong("gains-ignored") else 1 + gain if wrong("one-plus-gain") else gain
        if wrong("layer-norm-for-rms-norm"):
            return lambda x: F.layer_norm(x, x.shape[-1:], gain, None, eps)
        return lambda x: F.rms_norm(x, x.shape[-1:], gain, eps)

    def turn(x: Tensor) -> Tensor:
        """Rotate the pairs of the last axis, `(..., T, K)`."""
        pairs = torch.arange(x.shape[-1] // 2, dtype=torch.float64)
        whole = h.shape[-1] if wrong("frequencies-of-model-width") else x.shape[-1]
        frequencies = (10000.0 if wrong("base-ignored") else base) ** (-2 * pairs / whole)
        places = torch.arange(len(positions)) if wrong("positions-ignored") else positions
        angles = (places[:, None] * frequencies).float()
        if wrong("sixteen-bit-angles") and h.element_size() == 2:
            angles = angles.to(h.dtype).float()
        angles = angles.to(x.dtype)
        turns = torch.polar(torch.ones_like(angles), -angles if wrong("turned-backwards") else angles)
        if wrong("neighbouring-pairs"):
            return torch.view_as_real(torch.complex(x[..., 0::2], x[..., 1::2]) * turns).flatten(-2)
        turned = torch.complex(*x.tensor_split(2, dim=-1)) * turns
        return torch.cat((turned.real, turned.imag), dim=-1)

    def project(x: Tensor, letter: str, count: int) -> Tensor:
        """The heads of one projection, turned if they are to be."""
        early = wrong("turned-before-projection") or wrong("turned-before-split")
        exempt = {"q": "only-keys-turned", "k": "only-queries-turned"}.get(letter)
        spared = wrong("not-turned") or (wrong(exempt) if exempt else not wrong("values-turned"))
        if wrong("turned-before-projection") and not spared:
            x = turn(heads_of(x, n_heads)).transpose(1, 2).flatten(2)
        out = x @ w[f"attn.w{letter}"].mT
        if wrong("turned-before-split") and not spared:
            out = turn(out)
        heads = heads_of(out, count)
        return heads if spared or early else turn(heads)

    def shared(x: Tensor) -> Tensor:
        """Key-value heads for all query heads."""
        group = n_heads // n_kv_heads
        if wrong("first-head-for-all"):
            x = x[:, :1].expand(x.shape)
        return x.repeat(1, group, 1, 1) if wrong("tiled") else x.repeat_interleave(group, 1)

    def attend(queries_read: Tensor, keys_read: Tensor) -> Tensor:
        q = project(queries_read, "q", n_heads)
        k, v = (shared(project(keys_read, n, n_kv_heads)) for n in "kv")
        merged = attended(wrong, q, k, v, positions if wrong("causal-by-position") else None)
        return merged if wrong("output-projection-missing") else merged @ w["attn.wo"].mT

    def gated(x: Tensor) -> Tensor:
        names = ("up", "gate") if wrong("gate-and-up-swapped") else ("gate", "up")
        gate, up = (x @ w[f"mlp.w_{name}"].mT for name in names)
        if wrong("gelu-gate"):
            gate = F.gelu(gate, approximate="tanh")
        else:
            gate = torch.sigmoid(gate) if wrong("sigmoid-gate") else F.silu(gate)
        up = F.silu(up) if wrong("both-activated") else up
        return (gate + up if wrong("gate-and-up-added") else gate * up) @ w["mlp.w_down"].mT

    return handed_back(wrong, h, wired(wrong, x, (norm("norm1", first_eps), norm("norm2", second_eps)), attend, gated))


@catalogue.flawed(
    "trace_block",
    *about(
        "shapes-that-look-alike",
        {
            "all-heads-for-keys": "Keys and values are shown with all query heads; before they are repeated they have "
            "n_kv_heads.",
            "shared-maps": "Scores and weights are shown with the key-value heads; every query head has its own.",
            "maps-over-features": "Scores and weights are shown with the head width as their last axis; it is T again, "
            "the keys.",
            "not-split": "q, k and v are shown before they are split into heads.",
            "time-before-heads": "Time stands before the heads; heads are a leading axis.",
            "width-and-count-swapped": "Number and width of the heads have changed places.",
            "key-width-from-key-heads": "The width of keys and values is taken as d_model / n_kv_heads; all heads have "
            "d_model / n_heads.",
            "context-merged": "The context is shown after merging; it still has its heads, and attn_out follows.",
            "hidden-is-four-times": "The hidden width is taken as four times d_model; it is d_hidden.",
            "network-keeps-model-width": "gate, up and hidden are shown with the model width; they have d_hidden.",
            "hidden-after-projection": "hidden is shown after the last projection; it is the product of gate and up.",
            "batch-dropped": "The batch axis is missing.",
            "float-width": "The head width is a float: use // for whole numbers.",
        },
        fails="test_small_block",
    ),
    *about(
        "shapes-that-look-alike",
        {
            "up-before-gate": "up is listed before gate.",
            "network-before-attention": "The network's stages are listed before those of attention.",
            "residuals-left-out": "The two residual stages are missing.",
        },
        fails="test_small_block",
    ),
    *about(
        "arguments-change-gradients-vanish-types-drift",
        {"changes-config": "The caller's config is changed (pop does that); read from it only."},
        fails="test_leaves_config_alone",
    ),
)
def trace_block(wrong: Wrong, config: dict[str, int]) -> list[tuple[str, list[Any]]]:
    """One shape after another, by name."""
    batch, seq, width = config["batch"], config["seq"], config["d_model"]
    n_heads, n_kv_heads = config["n_heads"], config["n_kv_heads"]
    d_hidden = config.pop("d_hidden") if wrong("changes-config") else config["d_hidden"]
    stream = [batch, seq, width]

    def heads(count: int, k: Any) -> list[Any]:
        if wrong("not-split"):
            return [batch, seq, count * k]
        count, k = (k, count) if wrong("width-and-count-swapped") else (count, k)
        return [batch, seq, count, k] if wrong("time-before-heads") else [batch, count, seq, k]

    k: Any = width / n_heads if wrong("float-width") else width // n_heads
    kv_count = n_heads if wrong("all-heads-for-keys") else n_kv_heads
    key = heads(kv_count, width // n_kv_heads if wrong("key-width-from-key-heads") else k)
    maps = [batch, n_kv_heads if wrong("shared-maps") else n_heads, seq, k if wrong("maps-over-features") else seq]
    f = 4 * width if wrong("hidden-is-four-times") else width if wrong("network-keeps-model-width") else d_hidden
    inner = [batch, seq, f]
    attention = {"norm1": stream, "q": heads(n_heads, k), "k": key, "v": key, "scores": maps, "weights": maps}
    attention |= {"context": stream if wrong("context-merged") else heads(n_heads, k), "attn_out": stream}
    network = {"norm2": stream} | (
        {"up": inner, "gate": inner} if wrong("up-before-gate") else {"gate": inner, "up": inner}
    )
    network |= {"hidden": stream if wrong("hidden-after-projection") else inner, "mlp_out": stream}
    parts = [attention, network][:: -1 if wrong("network-before-attention") else 1]
    stages = [("input", stream)]
    for number, part in enumerate(parts, 1):
        stages += part.items()
        if not wrong("residuals-left-out"):
            stages.append((f"residual{number}", stream))
    return [(name, shape[1:] if wrong("batch-dropped") else shape) for name, shape in stages]
