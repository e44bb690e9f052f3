"""CAUSE: returns the unit complex numbers exp(i angle) of Meta's code instead of the angles"""
import torch

# shows: the result has dtype complex64; position 0 gives 1+0j instead of 0


def rope_angles(positions, head_width, base=10000.0):
    if head_width % 2 == 1:
        raise ValueError("need an even head width")
    freqs = 1.0 / (base ** (torch.arange(0, head_width, 2)[: (head_width // 2)].float() / head_width))
    freqs = torch.outer(positions.float(), freqs)
    freqs_cis = torch.polar(torch.ones_like(freqs), freqs)
    return freqs_cis
