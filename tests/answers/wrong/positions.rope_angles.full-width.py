"""CAUSE: returns the angles twice, (T, K), as the cos/sin caches of the model libraries hold them"""
import torch

# shows: rope_angles(arange(3), 8).shape is (3, 8), should be (3, 4)


def rope_angles(positions, head_width, base=10000.0):
    if head_width % 2 != 0:
        raise ValueError(f"head_width={head_width} is odd")
    inv_freq = 1.0 / (base ** (torch.arange(0, head_width, 2, dtype=torch.int64).float() / head_width))
    freqs = torch.einsum("i,j->ij", positions.float(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1)
    return emb
