"""Roll the tokens one place to the left and drop the last column of both."""
import torch


def shift_targets(tokens: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    batch, length = tokens.shape
    if length < 2:
        raise ValueError("T must be 2 or more")
    moved = torch.roll(tokens, shifts=-1, dims=1)
    keep = torch.arange(length - 1)
    return tokens.index_select(1, keep), moved.index_select(1, keep)
