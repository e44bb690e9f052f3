"""A small nn.Module that adds its input to whatever is wrapped in it."""
from torch import nn


class _Residual(nn.Module):
    def __init__(self, branch):
        super().__init__()
        self.branch = branch

    def forward(self, h):
        return h + self.branch(h)


def pre_norm(h, norm, sublayer):
    return _Residual(lambda stream: sublayer(norm(stream)))(h)
