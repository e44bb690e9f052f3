"""CAUSE: normalizes the input of the sublayer as well (sandwich)"""
# shows: norm = lambda t: 2 * t, sublayer = identity, h = 1: 6 instead of 4, and norm is called twice


def post_norm(h, norm, sublayer):
    return norm(h + sublayer(norm(h)))
