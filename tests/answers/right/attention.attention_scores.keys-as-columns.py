"""(k q^T)^T: the transposed product, returned as a transposed view."""


def attention_scores(q, k):
    width = q.shape[-1]
    return (k @ q.mT).mul(width ** -0.5).mT
