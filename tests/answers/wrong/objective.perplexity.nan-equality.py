"""CAUSE: compares with NaN by ==, which is never true, so NaN is not rejected"""
import torch


# shows: perplexity(tensor(nan)) returns nan, should raise ValueError
def perplexity(loss):
    if loss == float("nan"):
        raise ValueError("loss must not be NaN")
    return loss.exp()
