"""CAUSE: normalizes only the branch, the residual is added outside the norm"""
# shows: norm = layer norm: the output has not mean 0 along the last axis


def post_norm(h, norm, sublayer):
    return h + norm(sublayer(h))
