"""einsum, because the letters say what is summed."""
import torch


def unembed(hidden, table):
    return torch.einsum("...d,vd->...v", hidden, table)
