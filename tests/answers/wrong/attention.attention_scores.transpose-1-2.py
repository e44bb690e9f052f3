"""CAUSE: transposes axes 1 and 2 instead of the last two, only right for 3-D input"""
import torch


# shows: with heads, q and k (2, 3, 4, 6), a shape error; with all axes 4 silently wrong
def attention_scores(q, k):
    kt = k.transpose(1, 2)
    return q @ kt / (q.size(-1) ** 0.5)
