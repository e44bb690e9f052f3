"""CAUSE: returns probabilities instead of logits"""
import torch


# shows: unembed(tensor([1., 0.]), eye(2)) gives [0.73, 0.27], not [1, 0]
def unembed(hidden, table):
    # project back onto the vocabulary to get the next-token distribution
    scores = hidden @ table.T
    return torch.softmax(scores, dim=-1)
