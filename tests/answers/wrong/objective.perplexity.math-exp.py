"""CAUSE: uses math.exp on the item, returns a Python float without gradient"""
import math


# shows: perplexity(tensor(1.0)) is the float 2.718..., not a tensor
def perplexity(loss):
    value = loss.item()
    if math.isnan(value):
        raise ValueError("perplexity of NaN")
    return math.exp(value)
