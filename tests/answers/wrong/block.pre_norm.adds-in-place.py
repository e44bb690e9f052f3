"""CAUSE: h += writes the sum into the caller's tensor"""
# shows: h = ones(2, 3); pre_norm(h, norm, sublayer): h itself has changed


def pre_norm(h, norm, sublayer):
    h += sublayer(norm(h))
    return h
