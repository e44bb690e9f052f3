"""The stages of a decoder in the order in which they run: what each does, where it is taught and who writes it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

ByFamily: TypeAlias = tuple[str, str]
"""A text for GPT-2 and one for LLaMA, in Markdown with TeX between dollars."""
FAMILIES = ("gpt2", "llama")


@dataclass(frozen=True, slots=True)
class Stage:
    """One stage.

    id: its card is `#stage-{id}`; place: `before` or `after` the blocks, or the sublayer it belongs to; name: as it
    stands in the diagram; words, formula: by family; lesson, sections: the part of a lesson that teaches it; exercises:
    the functions that compute it, by family.
    """

    id: str
    place: str
    name: str
    words: ByFamily
    formula: ByFamily
    lesson: str
    sections: ByFamily
    exercises: tuple[tuple[str, ...], tuple[str, ...]]

    @property
    def of_block(self) -> bool:
        """Whether it stands in every block."""
        return self.place in SUBLAYERS


SUBLAYERS = ("attention", "feed-forward")


def _each(gpt2: str, llama: str) -> ByFamily:
    return (gpt2, llama)


def _both(text: str) -> ByFamily:
    return (text, text)


_THEN = "\n\n"
"""Between two formulas: each stands in a line of its own, so that narrow screens hold it."""
_LAYER_NORM = r"$$y_i = \gamma_i \, \frac{x_i - \mu}{\sqrt{v + \varepsilon}} + \beta_i$$"
_RMS_NORM = r"$$y_i = w_i \, \frac{x_i}{\sqrt{m + \varepsilon}}$$" + _THEN + r"$$m = \frac{1}{D} \sum_{j=1}^{D} x_j^2$$"
_NORM_IN_WORDS = _each(
    "each token's features are shifted to mean 0 and scaled to variance 1; then every feature has a learned gain and "
    "shift.",
    "each token's features are scaled to a mean square of 1; then every feature has a learned gain. The mean is left "
    "as it is.",
)
_NORMS = (("normalization.standardize", "normalization.layer_norm"), ("normalization.rms_norm",))
_NORM_SECTIONS = ("layernorm", "rmsnorm")
_ADDS = (("block.pre_norm", "block.gpt2_block"), ("block.pre_norm", "block.llama_block"))


def _norm(id: str, place: str, name: str, before: str) -> Stage:  # noqa: A002  the field's own name for it
    return Stage(
        id,
        place,
        name,
        (before + _NORM_IN_WORDS[0], before + _NORM_IN_WORDS[1]),
        (_LAYER_NORM, _RMS_NORM),
        "normalization",
        _NORM_SECTIONS,
        _NORMS,
    )


STAGES: tuple[Stage, ...] = (
    Stage(
        "tokens",
        "before",
        "Tokens",
        _both(
            "The text as whole numbers: each token is the number of an entry in a vocabulary of $V$. Nothing is "
            "learned here. In training the same row, shifted by one place, says what every position should predict."
        ),
        _both(r"$$x \in \{0, \ldots, V - 1\}^{B \times T}$$"),
        "objective",
        _both("what-goes-in-what-comes-out"),
        (("objective.shift_targets",), ("objective.shift_targets",)),
    ),
    Stage(
        "embedding",
        "before",
        "Embedding and positions",
        _each(
            "Each token takes its row from the token table, each place its row from the position table, and the two "
            "are added. From here on a token is a vector of $D$ numbers, and the rows of all tokens together are the "
            "residual stream. The position table has $T_{max}$ rows, so a longer text does not fit.",
            "Each token takes its row from the token table. From here on a token is a vector of $D$ numbers, and the "
            "rows of all tokens together are the residual stream. Positions are not added to it: their angles turn "
            "the queries and keys inside attention (RoPE), and nothing about them is learned.",
        ),
        (
            r"$$h_{b,t} = E_{x_{b,t}} + P_t$$",
            r"$$h_{b,t} = E_{x_{b,t}}$$" + _THEN + r"$$\theta_{t,i} = t \cdot 10000^{-2i/K}$$",
        ),
        "model",
        _both("position-and-what-shifts"),
        (("objective.embed",), ("objective.embed", "positions.rope_angles")),
    ),
    _norm(
        "attention-norm", "attention", "Norm 1", "Attention reads a copy of the stream that is brought to one scale: "
    ),
    Stage(
        "attention",
        "attention",
        "Masked attention",
        _each(
            "The only stage at which tokens read one another. Each token's query is compared with the keys of the "
            "tokens up to its own; the mask $M$ hides the later ones. A softmax turns the scores into weights, and the "
            "values are averaged with them. $H$ heads do this side by side, each $K = D / H$ wide.",
            "The only stage at which tokens read one another. Each token's query is compared with the keys of the "
            "tokens up to its own; the mask $M$ hides the later ones. A softmax turns the scores into weights, and the "
            "values are averaged with them. $H$ heads do this side by side, each $K = D / H$ wide; $H / H_{kv}$ of "
            "them share a pair of key and value heads. Queries and keys are first turned by their positions ($R$).",
        ),
        (
            r"$$a_h = \mathrm{softmax}\Big(\frac{q_h k_h^\top}{\sqrt{K}} + M\Big) \, v_h$$"
            + _THEN
            + r"$$y = [a_1, \ldots, a_H] \, W_o^\top + b_o$$",
            r"$$a_h = \mathrm{softmax}\Big(\frac{(R q_h) (R k_g)^\top}{\sqrt{K}} + M\Big) \, v_g$$"
            + _THEN
            + r"$$y = [a_1, \ldots, a_H] \, W_o^\top$$",
        ),
        "attention",
        _both("scores-weights-output"),
        (
            (
                "attention.causal_mask",
                "attention.attention_scores",
                "attention.attention_weights",
                "attention.attention",
                "heads.split_heads",
                "heads.merge_heads",
                "heads.multi_head_attention",
                "decoding.attend_cached",
            ),
            (
                "attention.causal_mask",
                "attention.attention_scores",
                "attention.attention_weights",
                "attention.attention",
                "heads.split_heads",
                "heads.repeat_kv",
                "heads.merge_heads",
                "heads.grouped_query_attention",
                "positions.apply_rope_half",
                "decoding.attend_cached",
            ),
        ),
    ),
    Stage(
        "attention-add",
        "attention",
        "Add 1",
        _both(
            "What attention wrote is added to the stream as it was before the norm. The stream itself went round norm "
            "and attention untouched: this is the first residual path of the block. A gradient takes the same way "
            "back, unchanged."
        ),
        _both(r"$$x = h + a(\mathrm{norm}_1(h))$$"),
        "block",
        _both("the-identity-path"),
        _ADDS,
    ),
    _norm(
        "feed-forward-norm",
        "feed-forward",
        "Norm 2",
        "A second norm with weights of its own, for the copy that the feed-forward network reads: ",
    ),
    Stage(
        "feed-forward",
        "feed-forward",
        "Feed-forward",
        _each(
            "A small network that works on each token by itself. The vector is widened to $F$ numbers, bent by GELU, "
            "and narrowed to $D$ again. With $F = 4D$ two thirds of a block's parameters are here.",
            "A small network that works on each token by itself. The vector is widened to $F$ numbers twice: one copy, "
            "bent by SiLU, is a gate by which the other is multiplied; then it is narrowed to $D$ again. Most of a "
            "block's parameters are usually here.",
        ),
        (
            r"$$g = \mathrm{GELU}_{\tanh}(W_\text{in} \, x + b_\text{in})$$"
            + _THEN
            + r"$$y = W_\text{out} \, g + b_\text{out}$$",
            r"$$g = \mathrm{SiLU}(W_\text{gate} \, x)$$"
            + _THEN
            + r"$$y = W_\text{down} \, (g \odot W_\text{up} \, x)$$",
        ),
        "feedforward",
        _both("two-networks"),
        (
            ("feedforward.gelu_tanh", "feedforward.feed_forward"),
            ("feedforward.silu", "feedforward.swiglu"),
        ),
    ),
    Stage(
        "feed-forward-add",
        "feed-forward",
        "Add 2",
        _both(
            "What the network wrote is added to the stream as it left the first sum: the second residual path. What "
            "leaves the block is what came in plus two things that were written to it, and the next block starts from "
            "there."
        ),
        _both(r"$$y = x + m(\mathrm{norm}_2(x))$$"),
        "block",
        _both("the-identity-path"),
        _ADDS,
    ),
    _norm(
        "final-norm",
        "after",
        "Final norm",
        "The stream is now a sum of the embedding and two terms from every block, and has grown. Here, once, the "
        "stream itself is normalized: ",
    ),
    Stage(
        "unembedding",
        "after",
        "Unembedding",
        _both(
            "Each final state is compared with the row of every token in the output matrix. The inner products are the "
            "logits: one score for each token that could come next. The matrix may be the token table once more "
            "(tied); then it costs no further parameters."
        ),
        _both(r"$$z_{b,t,v} = \sum_{d=1}^{D} h_{b,t,d} \, U_{v,d}$$"),
        "objective",
        _both("two-ends-of-one-table"),
        (("objective.unembed", "model.gpt2"), ("objective.unembed", "model.llama")),
    ),
    Stage(
        "softmax",
        "after",
        "Softmax",
        _both(
            "Scores become probabilities: positive, and 1 in all. Row $t$ rests on tokens 0 to $t$ and speaks of token "
            "$t + 1$. Training reads all $T$ rows; when a text is written only the last one is used, often after a "
            "temperature."
        ),
        _both(r"$$p_v = \frac{e^{z_v}}{\sum_{u=1}^{V} e^{z_u}}$$"),
        "objective",
        _both("softmax-and-its-limits"),
        (
            ("objective.softmax", "objective.cross_entropy", "decoding.apply_temperature"),
            ("objective.softmax", "objective.cross_entropy", "decoding.apply_temperature"),
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class ResidualPath:
    """One of the two ways around a sublayer, from before its norm to its sum."""

    sublayer: str
    button: str
    words: str


PATHS: tuple[ResidualPath, ...] = (
    ResidualPath(
        "attention",
        "Around attention",
        "The stream leaves the main line before the norm, passes by norm and attention unchanged, and is added to what "
        "attention wrote.",
    ),
    ResidualPath(
        "feed-forward",
        "Around feed-forward",
        "The stream leaves the main line before the second norm, passes by norm and network unchanged, and is added to "
        "what the network wrote.",
    ),
)


def stages_of(place: str) -> Iterable[Stage]:
    """The stages before or after the blocks, or of one sublayer, in order."""
    return tuple(stage for stage in STAGES if stage.place == place)
