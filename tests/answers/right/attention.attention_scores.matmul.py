"""q times k transposed, over the root of the width."""
import math


def attention_scores(q, k):
    return q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
