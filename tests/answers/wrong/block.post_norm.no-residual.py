"""CAUSE: the residual connection is missing"""
# shows: sublayer = zeros_like, norm = identity: 0 instead of h


def post_norm(h, norm, sublayer):
    out = sublayer(h)
    return norm(out)
