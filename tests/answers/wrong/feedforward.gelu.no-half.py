"""CAUSE: the factor 1/2 is missing, large x come out doubled"""
import torch

# shows: x = 10.0 gives 20 instead of 10


class _Gelu:
    SQRT_HALF = 0.5 ** 0.5

    def __call__(self, x):
        return x * (1 + torch.special.erf(x * self.SQRT_HALF))


_gelu = _Gelu()


def gelu(x):
    return _gelu(x)
