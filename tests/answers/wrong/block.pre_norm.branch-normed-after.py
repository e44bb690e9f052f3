"""CAUSE: normalizes the output of the sublayer instead of its input"""
# shows: norm = lambda t: 2 * t, sublayer = lambda t: t + 1, h = 1: 5 instead of 4; linear callables commute and hide it


def pre_norm(h, norm, sublayer):
    branch = sublayer(h)
    return h + norm(branch)
