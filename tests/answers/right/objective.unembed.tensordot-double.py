"""tensordot over the feature axes in double precision, rounded once at the end."""
import torch


def unembed(hidden, table):
    logits = torch.tensordot(hidden.double(), table.double(), dims=([-1], [-1]))
    return logits.to(hidden.dtype)
