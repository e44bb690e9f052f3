"""Panel: temperature, top-k and top-p on one real next-word distribution, and what they do to the loss."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor

from grader.capstone.corpus import START_TOKEN, VOCABULARY, encode
from grader.capstone.model import load
from grader.run.decoder import Decoder
from grader.run.functions import Functions
from grader.site.panels.model import Cell, Choice, Data, Guess, Number, Panel, Part, Slider, Table
from grader.site.panels.values import real
from reference.decoding import apply_temperature, top_k, top_p
from reference.model import llama

PROMPT = "the cat that"
WORDS = ("anna", "chases", "follows", "hears", "knows", "mia", "rosa", "the")
"""The most probable ones after it, in the order of the vocabulary, which is not that of their logits."""
N_WORDS = len(WORDS)
TEMPERATURES = tuple(step / 10 for step in range(31))
KS = tuple(range(1, N_WORDS + 1))
PS = tuple(step / 20 for step in range(1, 21))
START_TEMPERATURE, START_K, START_P, START_CORRECT = 1.0, 8, 0.9, "knows"
KEPT, DROPPED, CHANGED = "1", "0", "x"
"""What a filter made of a logit: left as it was, minus infinity, or some other number."""
_SIGNIFICANT = 8


@cache
def all_logits() -> Tensor:
    """The logits of the whole vocabulary after the prompt, by the course's model, float64 `(V,)`."""
    shipped = load()
    model = Decoder.of(shipped.config, shipped.weights)
    tokens = torch.tensor([[START_TOKEN, *encode(PROMPT)]])  # (1, T)
    return llama(tokens, model.weights, model.n_heads, model.n_kv_heads, model.base, model.eps)[0, -1]  # (V,)


def logits() -> Tensor:
    """Those of the eight words, `(8,)`."""
    return all_logits()[[VOCABULARY.index(word) for word in WORDS]]


def scaled() -> Tensor:
    """The logits at every temperature, `(31, 8)`."""
    return torch.stack([apply_temperature(logits(), temperature) for temperature in TEMPERATURES])


def kept_highest() -> Tensor:
    """At every temperature the 1, 2, ... 8 highest logits, the others minus infinity: `(31, 8, 8)`.

    Whatever top-k and top-p are, what they leave is one of these.
    """
    rank = logits().argsort(descending=True).argsort()  # (8,)
    keep = rank < torch.tensor(KS)[:, None]  # (8, 8)
    return scaled()[:, None].masked_fill(~keep, -torch.inf)  # (31, 8, 8)


def _temperature(functions: Functions, _: Functions) -> Any:
    return [functions.call("decoding.apply_temperature", logits(), temperature) for temperature in TEMPERATURES]


def _top_k(functions: Functions, _: Functions) -> Any:
    return [_marks(functions.call("decoding.top_k", scaled(), k), scaled()) for k in KS]


def _top_p(functions: Functions, _: Functions) -> Any:
    return [[_marks(functions.call("decoding.top_p", left, p), left) for p in PS] for left in _after_top_k()]


def _after_top_k() -> list[Tensor]:
    return [top_k(scaled(), k) for k in KS]


def _marks(filtered: Tensor, before: Tensor) -> str:
    """One character for each temperature and word: kept, dropped or changed."""
    if filtered.shape != before.shape:
        raise ValueError(f"its shape is {tuple(filtered.shape)}, that of the logits is {tuple(before.shape)}")
    pairs = zip(filtered.flatten().tolist(), before.flatten().tolist(), strict=True)
    return "".join(DROPPED if now == -torch.inf else KEPT if now == then else CHANGED for now, then in pairs)


def _softmax(functions: Functions, _: Functions) -> Any:
    return _short(functions.call("objective.softmax", kept_highest()))


def _loss(functions: Functions, _: Functions) -> Any:
    def found(row: Tensor, word: int) -> Any:
        return _short(functions.call("objective.cross_entropy", row[None], torch.tensor([word])))

    lowest = int(logits().argmin())
    by_temperature = []
    for rows in kept_highest():
        dropped = found(rows[0], lowest)  # a word that was dropped is asked about once, it would be most of the calls
        by_temperature.append(
            [[found(row, word) if row[word].isfinite() else dropped for word in range(N_WORDS)] for row in rows]
        )
    return by_temperature


def _perplexity(functions: Functions, reference: Functions) -> Any:
    @cache
    def found(loss: float) -> Any:
        return _short(functions.call("objective.perplexity", torch.tensor(loss, dtype=torch.float64)))

    return [[[found(loss) for loss in losses] for losses in by_kept] for by_kept in _losses(reference).tolist()]


def _losses(reference: Functions) -> Tensor:
    """The loss of each word as the correct one, `(31, 8, 8)`: minus the logarithm of its probability."""
    return -reference.call("objective.softmax", kept_highest()).log()  # type: ignore[no-any-return]


def _entropy(functions: Functions, reference: Functions) -> Any:
    return functions.call("objective.entropy_bits", reference.call("objective.softmax", kept_highest()))


def _short(values: Tensor) -> Any:
    """Fewer digits than other panels keep, because there are thousands of numbers."""

    def rounded(value: Any) -> Any:
        return [rounded(each) for each in value] if isinstance(value, list) else float(f"{value:.{_SIGNIFICANT}g}")

    return rounded(values.tolist())


def _given() -> Data:
    counts = [[_counts(top_p(left, p)) for p in PS] for left in _after_top_k()]
    return {"prompt": PROMPT, "words": WORDS, "logits": logits(), "scaled": scaled(), "kept": counts}


def _counts(filtered: Tensor) -> str:
    """How many words are left at each temperature, a digit each."""
    return "".join(str(count) for count in filtered.isfinite().sum(-1).tolist())


def _place(data: Data) -> tuple[int, int, int, int, int]:
    """Where the starting values stand: temperature, top-k, top-p, words kept less one, the correct word."""
    t, k, p = TEMPERATURES.index(START_TEMPERATURE), KS.index(START_K), PS.index(START_P)
    return t, k, p, int(data["given"]["kept"][k][p][t]) - 1, WORDS.index(START_CORRECT)


def _table(data: Data) -> Table:
    t, k, p, n, c = _place(data)
    given = data["given"]
    after_k, after_p = data["top_k"][k][N_WORDS * t :], data["top_p"][k][p][N_WORDS * t :]
    rows: list[tuple[Cell, ...]] = []
    for word in range(N_WORDS):
        now = real(data["temperature"][t][word])
        filtered = [now if mark[word] == KEPT else float("-inf") for mark in (after_k, after_p)]
        rows.append(
            (
                WORDS[word],
                Number(given["logits"][word]),
                *(Number(value) for value in (now, *filtered)),
                Number(real(data["softmax"][t][n][word]), 3),
            )
        )
    blank = ("", "", "", "")
    rows.append((f"loss of {START_CORRECT}, nats", *blank, Number(real(data["loss"][t][n][c]), 3)))
    rows.append(("perplexity", *blank, Number(real(data["perplexity"][t][n][c]), 2)))
    rows.append(("entropy, bits", *blank, Number(real(data["entropy"][t][n]), 3)))
    return Table(
        f"Temperature {START_TEMPERATURE:.1f}, top-k {START_K}, top-p {START_P:.2f}",
        ("", "logit", "after temperature", "after top-k", "after top-p", "probability"),
        tuple(rows),
    )


def _said(data: Data) -> str:
    t, _, _, n, c = _place(data)
    return (
        f"At temperature {START_TEMPERATURE:.1f}, top-k {START_K} and top-p {START_P:.2f} leave {n + 1} of 8 words. "
        f"The correct token \u201c{START_CORRECT}\u201d has probability {real(data['softmax'][t][n][c]):.3f}: "
        f"a loss of {real(data['loss'][t][n][c]):.2f} nats, perplexity {real(data['perplexity'][t][n][c]):.2f}. "
        f"Entropy: {real(data['entropy'][t][n]):.2f} bits."
    )


PANEL = Panel(
    name="temperature",
    title="Temperature, top-k and top-p",
    lesson="decoding",
    after="truncation",
    intro=f"The eight most probable words after \u201c{PROMPT}\u201d, as the course's model scores them; here they "
    "stand for the whole vocabulary. First the temperature divides the logits, then top-k and top-p drop words, and "
    "the softmax shares out what is left. Temperature 0 is greedy.",
    notice="The lower the temperature, the fewer words top-p needs to reach its mass. A word that was dropped has "
    "probability 0, and if it is the correct one, the loss is infinite.",
    controls=(
        Slider("temperature", "Temperature", TEMPERATURES[0], TEMPERATURES[-1], 0.1, START_TEMPERATURE),
        Slider("top_k", "Top-k", KS[0], KS[-1], 1, START_K),
        Slider("top_p", "Top-p", PS[0], PS[-1], 0.05, START_P),
        Choice("correct", "The correct token", tuple((word, word) for word in WORDS), START_CORRECT),
    ),
    parts=(
        Part("temperature", ("decoding.apply_temperature",), _temperature),
        Part("top_k", ("decoding.top_k",), _top_k),
        Part("top_p", ("decoding.top_p",), _top_p),
        Part("softmax", ("objective.softmax",), _softmax),
        Part("loss", ("objective.cross_entropy",), _loss),
        Part("perplexity", ("objective.perplexity",), _perplexity),
        Part("entropy", ("objective.entropy_bits",), _entropy),
    ),
    table=_table,
    said=_said,
    guess=Guess(
        "At temperature 2, how many of the eight words does top-p 0.9 keep?",
        {"temperature": 2.0, "top_k": 8, "top_p": 0.9},
        digits=0,
    ),
    given=_given,
)
