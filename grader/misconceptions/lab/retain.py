"""Known mistakes in spending an information budget."""

from typing import Any

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.lab.shared import about, catalogue

FIRST = "test_sinks_recent_and_scores"


@catalogue.flawed(
    "retain",
    *about(
        "who-is-protected",
        {
            "scores-alone": "Sinks and recent units compete with their scores; they stay whatever their scores are.",
            "sinks-ignored": "The sinks are not protected: the first n_sink units stay whatever their scores are.",
            "recent-ignored": "The recent units are not protected: the last n_recent units stay whatever their scores "
            "are.",
            "ends-swapped": "Sinks and recent units have changed places: sinks are the first, recent units the last.",
            "newest-left-out": "The recent units end one too early; the newest unit is one of them.",
            "recent-of-none-outranks-all": "With n_recent = 0 every unit is marked as recent, so that the first ones "
            "win whatever their scores are: a slice from -0 on is the whole.",
            "protected-by-a-bonus": "Protected units get 1 added to their scores, which is enough only where all "
            "scores lie between 0 and 1; they stay whatever the scores are.",
            "large-number-for-infinity": "A large number marks protected units as better than all others; scores may "
            "be larger still. A mask or an infinite score is safe.",
        },
    ),
    *about(
        "who-is-protected",
        {
            "recent-of-none-is-all": "With n_recent = 0 every unit counts as recent and stays: a slice from -0 on is "
            "the whole."
        },
        fails="test_scores_alone",
    ),
    *about(
        "places-filled-twice-or-not-at-all",
        {
            "protected-beside-the-budget": "The budget is spent on scores alone, sinks and recent units come on top; "
            "they are a part of the budget.",
            "protected-chosen-again": "Protected units take part in the choice by score again, so that a place is "
            "spent on a unit that was kept already.",
            "never-by-score": "Places that sinks and recent units leave free stay empty; they go to the highest "
            "scores.",
        },
        fails=FIRST,
    ),
    *about(
        "places-filled-twice-or-not-at-all",
        {
            "listed-twice": "Units that are protected and chosen too, or protected twice, stand in the result twice; "
            "each index comes once.",
            "cut-after-sorting": "Protected and chosen units are put together, sorted and then cut to the budget: the "
            "cut takes away the newest ones. Decide who stays before you sort.",
        },
    ),
    *about(
        "places-filled-twice-or-not-at-all",
        {
            "large-negative-number-for-taken": "A large negative number marks units that are taken already; scores may "
            "be lower still, and then those units are chosen again. A mask is safe.",
        },
        fails="test_scores_of_any_size",
    ),
    *about(
        "places-filled-twice-or-not-at-all",
        {
            "overlap-listed-twice": "Units that are sinks and recent at once stand in the result twice; each comes "
            "once.",
            "overlap-takes-two-places": "Units that are sinks and recent at once stand in the result twice and take "
            "the place of others; each comes once.",
        },
        fails="test_overlap",
    ),
    *about(
        "highest-ties-and-order",
        {
            "lowest-scores": "The lowest scores are kept; the highest should be.",
            "largest-in-size": "Scores are ranked by their size without sign; a large negative score is a low one.",
            "ties-to-the-later": "Among equal scores the later unit is kept; the earlier one should be.",
            "order-of-scores": "The indices come in the order of protection and scores; they should rise.",
            "places-among-candidates-once": "The places are counted among the unprotected units, and some of them are "
            "kept already; count them among all T, from the first sink on.",
            "places-among-candidates": "The places are counted among the unprotected units; count them among all T, "
            "from the first sink on.",
            "places-in-the-middle-once": "The places are counted in the middle part, and some of them are kept "
            "already; count them among all T, from the first sink on.",
            "places-in-the-middle": "The places are counted in the middle part; count them among all T, from the first "
            "sink on.",
        },
    ),
    *about(
        "highest-ties-and-order",
        {
            "ties-left-to-topk": "Which of equal scores are kept is left to topk, which promises nothing about them; "
            "the earlier ones should be.",
            "ties-left-to-topk-of-all": "Protected units are put on top and topk takes its pick among equal scores, "
            "about which it promises nothing; the earlier ones should be kept.",
            "ties-left-to-topk-of-the-middle": "Which of equal scores in the middle part are kept is left to topk, "
            "which promises nothing about them; the earlier ones should be.",
        },
        fails="test_ties",
    ),
    *about(
        "highest-ties-and-order",
        {"ties-all-kept": "All units that tie at the edge are kept, which is more than the budget allows."},
        fails="test_ties",
    ),
    *about(
        "budgets-at-the-edge",
        {
            "nothing-raises": "More sinks and recent units than the budget get an answer; raise a ValueError.",
            "overlap-counts-once": "Whether the budget suffices is decided by how many units are protected; the rule "
            "is n_sink + n_recent > budget, overlap or not.",
        },
        fails="test_protected_beyond_the_budget",
    ),
    *about(
        "budgets-at-the-edge",
        {
            "one-at-least": "One unit is kept even where the budget is 0; then nothing stays.",
            "nothing-is-float": "With a budget of 0 the empty result is a float tensor; it should be int64.",
        },
        fails="test_budget_of_nothing",
    ),
    *about(
        "arguments-types-and-shapes",
        {
            "mask-returned": "You return a mask of T truth values; the indices of the kept units are wanted.",
            "scores-returned": "You return the scores of the kept units; their indices are wanted.",
            "list-returned": "You return a list; an int64 tensor is wanted.",
            "indices-as-floats": "The indices are floats; they should be int64, to select with.",
        },
        fails=FIRST,
    ),
    *about(
        "arguments-types-and-shapes",
        {"changes-scores": "The caller's scores are changed to mark protected units; work on a copy."},
        fails="test_leaves_scores_alone",
    ),
)
def retain(wrong: Wrong, scores: Tensor, budget: int, n_sink: int = 0, n_recent: int = 0) -> Any:
    """A list of kept units, filled place by place."""
    seq = len(scores)
    _refuse(wrong, seq, budget, n_sink, n_recent)
    middle_once = wrong("places-in-the-middle-once")
    middle = middle_once or wrong("places-in-the-middle")
    if middle and budget >= seq:  # whoever cuts out a middle part asks first whether there is one
        return _handed_back(wrong, scores, list(range(seq)))
    if wrong("ends-swapped"):
        n_sink, n_recent = n_recent, n_sink
    kept = _protected(wrong, seq, n_sink, n_recent)
    if wrong("changes-scores"):
        scores[kept] = -1e9
    two_places = wrong("overlap-takes-two-places")
    if not (wrong("listed-twice") or wrong("overlap-listed-twice") or two_places):
        kept = list(dict.fromkeys(kept))
    places = max(budget, 1) if wrong("one-at-least") else budget
    worth = _marked(wrong, scores, kept)
    if wrong("protected-by-a-bonus") or wrong("large-number-for-infinity"):
        kept = []
    on_top = wrong("protected-beside-the-budget") or wrong("cut-after-sorting")
    left = places if on_top else places - len(kept if two_places else set(kept))
    again = wrong("protected-chosen-again") or wrong("listed-twice") or wrong("large-negative-number-for-taken")
    free = [unit for unit in range(seq) if again or unit not in kept]
    all_alike = wrong("recent-of-none-outranks-all") and n_recent == 0
    candidates = free if all_alike else _by_worth(wrong, worth, free)
    chosen = [] if wrong("never-by-score") else candidates[: max(left, 0)]
    if by_topk := _by_topk(wrong, worth, kept, len(chosen)):
        chosen = by_topk
    if wrong("ties-all-kept") and chosen:
        chosen = [unit for unit in candidates if scores[unit] >= scores[chosen[-1]]]
    if wrong("places-among-candidates-once") or wrong("places-among-candidates") or middle:
        numbered = sorted(candidates)
        chosen = [numbered.index(unit) for unit in chosen]
    twice = wrong("listed-twice") or wrong("places-among-candidates") or (middle and not middle_once)
    kept += [unit for unit in chosen if twice or unit not in kept]
    if two_places:
        kept = kept[: min(budget, seq)]
    kept = kept if wrong("order-of-scores") else sorted(kept)
    return _handed_back(wrong, scores, kept[:budget] if wrong("cut-after-sorting") else kept)


def _marked(wrong: Wrong, scores: Tensor, protected: list[int]) -> Tensor:
    """Scores in which protected units are marked by a number."""
    worth = scores.clone()
    if wrong("protected-by-a-bonus"):
        worth[protected] += 1
    if wrong("large-number-for-infinity"):
        worth[protected] = 1e9
    if wrong("large-negative-number-for-taken"):
        worth[protected] = -1e9
    return worth


def _by_topk(wrong: Wrong, worth: Tensor, protected: list[int], count: int) -> list[int]:
    """The pick of topk among units that are not protected; empty where topk is not asked."""
    others = torch.ones(len(worth), dtype=torch.bool).index_fill(0, torch.tensor(protected, dtype=torch.int64), False)
    if wrong("ties-left-to-topk"):
        return worth.masked_fill(~others, -torch.inf).topk(count).indices.tolist()
    if wrong("ties-left-to-topk-of-all"):
        picked = worth.masked_fill(~others, torch.inf).topk(len(protected) + count).indices.tolist()
        return [unit for unit in picked if others[unit]]
    if wrong("ties-left-to-topk-of-the-middle"):
        return others.nonzero().squeeze(1)[worth[others].topk(count).indices].tolist()
    return []


def _refuse(wrong: Wrong, seq: int, budget: int, n_sink: int, n_recent: int) -> None:
    """What is refused, and what should not be."""
    protected = min(n_sink + n_recent, seq) if wrong("overlap-counts-once") else n_sink + n_recent
    if protected > budget and not wrong("nothing-raises"):
        raise ValueError("the budget is too small")


def _protected(wrong: Wrong, seq: int, n_sink: int, n_recent: int) -> list[int]:
    """Units that stay whatever their scores, some of them twice where sinks and recent units overlap."""
    if wrong("scores-alone"):
        return []
    sinks = list(range(seq))[:n_sink]
    recent = list(range(seq))[max(seq - n_recent, 0) :]
    if wrong("recent-of-none-is-all") and n_recent == 0:
        recent = list(range(seq))
    if wrong("newest-left-out"):
        recent = list(range(seq))[max(seq - n_recent - 1, 0) : -1] if n_recent else []
    return ([] if wrong("sinks-ignored") else sinks) + ([] if wrong("recent-ignored") else recent)


def _by_worth(wrong: Wrong, scores: Tensor, units: list[int]) -> list[int]:
    """Units by what they are worth, ties in the order of the units."""
    worth = scores.double()
    worth = worth.abs() if wrong("largest-in-size") else -worth if wrong("lowest-scores") else worth
    values = worth.tolist()
    ordered = units[::-1] if wrong("ties-to-the-later") else units
    return sorted(ordered, key=lambda unit: -values[unit])


def _handed_back(wrong: Wrong, scores: Tensor, kept: list[int]) -> Any:
    """The kept units in the form that is returned."""
    if wrong("list-returned"):
        return kept
    if wrong("nothing-is-float") and not kept:
        return torch.tensor([])
    indices = torch.tensor(kept, dtype=torch.int64)
    if wrong("mask-returned"):
        return torch.zeros(len(scores), dtype=torch.bool).index_fill(0, indices, True)
    if wrong("scores-returned"):
        return scores[indices]
    return indices.double() if wrong("indices-as-floats") else indices
