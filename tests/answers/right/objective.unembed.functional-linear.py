"""A tied unembedding is a linear layer without bias, so F.linear already is the answer."""
from torch import Tensor
import torch.nn.functional as F


def unembed(hidden: Tensor, table: Tensor) -> Tensor:
    return F.linear(hidden, table, bias=None)
