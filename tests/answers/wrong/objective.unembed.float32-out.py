"""CAUSE: always returns float32"""
import torch


# shows: bfloat16 (or float64) hidden and table give float32 logits
def unembed(hidden: torch.Tensor, table: torch.Tensor) -> torch.Tensor:
    """Project in full precision for numerical safety."""
    h32 = hidden.to(torch.float32)
    w32 = table.to(torch.float32)
    return torch.nn.functional.linear(h32, w32)
