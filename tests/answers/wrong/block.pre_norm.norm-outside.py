"""CAUSE: normalizes after the sum (post-norm)"""
# shows: norm = lambda t: 2 * t, sublayer = lambda t: t + 1, h = 1: 6 instead of 4


def pre_norm(h, norm, sublayer):
    return norm(h + sublayer(h))
