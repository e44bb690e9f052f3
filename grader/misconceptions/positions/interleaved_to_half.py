"""Known mistakes of carrying weights from the interleaved layout to the half layout."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.positions.shared import about, catalogue, form, refuse


@catalogue.flawed(
    "interleaved_to_half",
    *about(
        "rows-in-the-wrong-place",
        {
            "inverse": "You go the other way, from the half layout to the interleaved one: here the even rows of a "
            "head come first, then its odd rows.",
            "across-heads": "All even rows of the whole weight come first, so that heads are torn apart: reorder the "
            "K rows of each head by themselves.",
            "heads-fastest": "You read row r as belonging to head r % H; head h owns the rows h*K to (h+1)*K - 1.",
            "odd-rows-first": "The odd rows of a head come first; the even ones do, because they are first in their "
            "pairs.",
            "columns-moved": "Columns are reordered; they belong to the model width. Rows are the outputs of the "
            "projection.",
            "not-moved": "No row has moved: reshaping alone keeps the order. Two axes must change places in between.",
            "first-head-repeated": "Every head got the rows of the first one: the reordering must start at row h*K.",
        },
    ),
    *about(
        "widths-that-do-not-fit",
        {
            "odd-accepted": "An odd head width is accepted. Features come in pairs here: raise a ValueError.",
            "sizes-unchecked": "Sizes that do not fit end in torch's own error: look first, and raise a ValueError.",
        },
        fails="test_odd_head_width",
    ),
    *about(
        "widths-that-do-not-fit",
        {
            "rest-dropped": "Where the rows cannot be divided among the heads, you drop the rest: raise a ValueError.",
            "assertion": "Sizes that do not fit are noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_indivisible_rows",
    ),
    *form({"detached": "Gradients do not reach the old weight: the result is cut off from it."}, fails="test_gradient"),
    *form({"changes-weight": "Your function writes into the weight."}, fails="test_leaves_weight_alone"),
)
def interleaved_to_half(wrong: Wrong, weight: Tensor, n_heads: int) -> Tensor:
    """The reordering with switches, as a list of old rows."""
    n_rows = weight.shape[0]
    width = n_rows // n_heads
    if n_rows % n_heads and not wrong("rest-dropped"):
        if wrong("sizes-unchecked"):
            return weight.reshape(n_heads, width // 2, 2, weight.shape[1])
        refuse(wrong, "rows cannot be divided")
    if width % 2 and not wrong("odd-accepted"):
        if wrong("sizes-unchecked"):
            return weight.reshape(n_heads, width // 2, 2, weight.shape[1])
        refuse(wrong, "odd head width")
    if wrong("columns-moved"):
        return torch.cat((weight[:, 0::2], weight[:, 1::2]), dim=1)
    rows = torch.arange(n_heads * width)
    by_head = rows.reshape(1, -1) if wrong("across-heads") else rows.reshape(n_heads, width)
    if wrong("heads-fastest"):
        by_head = rows.reshape(width, n_heads).T
    if wrong("first-head-repeated"):
        by_head = by_head[:1].expand_as(by_head)
    parts = [by_head[:, 0::2], by_head[:, 1::2]]
    order = torch.cat(parts[::-1] if wrong("odd-rows-first") else parts, dim=1)
    if wrong("not-moved"):
        order = by_head
    elif wrong("inverse"):
        order = by_head.gather(1, order.argsort(dim=1))
    order = order.T if wrong("heads-fastest") else order
    moved = weight[order.flatten()]
    moved = moved.detach() if wrong("detached") else moved
    return weight.copy_(moved) if wrong("changes-weight") else moved
