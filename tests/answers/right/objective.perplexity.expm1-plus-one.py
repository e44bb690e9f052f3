"""expm1(loss) is how much worse than certainty the model is; add the one back."""
import math
import torch


def perplexity(loss):
    if math.isnan(loss.item()):
        raise ValueError("loss must be a number")
    wide = loss.to(torch.promote_types(loss.dtype, torch.float32))
    return (torch.special.expm1(wide) + 1).to(loss.dtype)
