"""CAUSE: builds the list of heads by prepending, so head 0 ends up last"""
import torch

# shows: two heads with constant values 0 and 1: the merged features are 1,1,0,0 instead of 0,0,1,1


def merge_heads(x):
    pieces = []
    for head in x.unbind(dim=1):
        pieces.insert(0, head)
    return torch.cat(pieces, dim=-1)
