"""One K x K matrix for each position, diag(cos) and diag(sin) blocks, applied by matmul."""
import torch


def apply_rope_half(x, angles):
    if 2 * angles.shape[-1] != x.shape[-1]:
        raise ValueError("K/2 differs from the width of the angles")
    work = x.dtype if x.dtype == torch.float64 else torch.float32
    theta = angles.to(work)
    c, s = torch.diag_embed(theta.cos()), torch.diag_embed(theta.sin())
    matrix = torch.cat([torch.cat([c, -s], dim=-1), torch.cat([s, c], dim=-1)], dim=-2)
    return (matrix @ x.to(work).unsqueeze(-1)).squeeze(-1).to(x.dtype)
