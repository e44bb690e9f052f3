"""CAUSE: checks with assert, so AssertionError instead of ValueError"""
import torch


# shows: shift_targets(tensor([[5]])) raises AssertionError
def shift_targets(tokens: torch.Tensor):
    assert tokens.ndim == 2 and tokens.shape[1] >= 2, "tokens must be (B, T) with T >= 2"
    return tokens[..., :-1], tokens[..., 1:]
