"""CAUSE: writes the pre-norm order"""
# shows: norm = lambda t: 2 * t, sublayer = lambda t: t + 1, h = 1: 4 instead of 6


def post_norm(h, norm, sublayer):
    residual = h
    h = norm(h)
    h = sublayer(h)
    return residual + h
