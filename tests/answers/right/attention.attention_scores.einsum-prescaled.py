"""Scale the queries first (fewer numbers than scores), then einsum."""
import torch


def attention_scores(q, k):
    return torch.einsum("...ik,...jk->...ij", q * q.size(-1) ** -0.5, k)
