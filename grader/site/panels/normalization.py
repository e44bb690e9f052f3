"""Panel: what the scale of activations does to LayerNorm and RMSNorm, and what it does not."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from grader.run.functions import Functions
from grader.site.panels.model import Data, Guess, Number, Panel, Part, Slider, Table
from grader.site.panels.values import real

ROW = (0.7, -1.2, 0.1, 2.1, -0.6, 1.5, -0.3)
"""One token's vector at scale 1."""
SCALES = tuple(round(step / 10, 1) for step in range(1, 101))
START = 5.0


def scaled() -> Tensor:
    """The row at every scale, `(100, 7)`."""
    return torch.tensor(SCALES, dtype=torch.float64)[:, None] * torch.tensor(ROW, dtype=torch.float64)


def _layer_norm(functions: Functions, _: Functions) -> Any:
    width = len(ROW)
    ones, zeros = torch.ones(width, dtype=torch.float64), torch.zeros(width, dtype=torch.float64)
    return functions.call("normalization.layer_norm", scaled(), ones, zeros)


def _rms_norm(functions: Functions, _: Functions) -> Any:
    return functions.call("normalization.rms_norm", scaled(), torch.ones(len(ROW), dtype=torch.float64))


def _table(data: Data) -> Table:
    place = SCALES.index(START)
    raw = data["given"]["raw"][place]
    rows = [
        (f"feature {number}", Number(raw[number]), Number(layer), Number(rms))
        for number, (layer, rms) in enumerate(zip(data["layer_norm"][place], data["rms_norm"][place], strict=True))
    ]
    return Table(f"One token's vector at scale {START:.1f}", ("", "raw", "LayerNorm", "RMSNorm"), tuple(rows))


def _said(data: Data) -> str:
    place = SCALES.index(START)

    def spread(values: list[Any], digits: int) -> str:
        numbers = [real(value) for value in values]
        return f"from {min(numbers):.{digits}f} to {max(numbers):.{digits}f}"

    return (
        f"At scale {START:.1f} the raw values run {spread(data['given']['raw'][place], 1)}; "
        f"after LayerNorm {spread(data['layer_norm'][place], 2)}, after RMSNorm {spread(data['rms_norm'][place], 2)}."
    )


PANEL = Panel(
    name="normalization",
    title="The scale of the activations",
    lesson="normalization",
    after="invariances-and-limiting-cases",
    intro="One token's vector of seven features, multiplied by a number of your choice before it is normalized.",
    notice="The raw values grow with the scale; the normalized ones stay where they are, at every scale.",
    controls=(Slider("scale", "Activation scale", SCALES[0], SCALES[-1], 0.1, START),),
    parts=(
        Part("layer_norm", ("normalization.layer_norm",), _layer_norm),
        Part("rms_norm", ("normalization.rms_norm",), _rms_norm),
    ),
    table=_table,
    said=_said,
    guess=Guess("At scale 10, what is the largest value after LayerNorm?", {"scale": 10.0}),
    given=lambda: {"raw": scaled(), "scales": list(SCALES)},
)
