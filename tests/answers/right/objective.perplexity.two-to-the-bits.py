"""Convert nats to bits and raise two to that many bits, in double precision."""
import math
import torch


def perplexity(loss: torch.Tensor) -> torch.Tensor:
    if loss != loss:
        raise ValueError("perplexity of NaN")
    bits = loss.double() / math.log(2.0)
    return (2.0 ** bits).to(loss.dtype)
