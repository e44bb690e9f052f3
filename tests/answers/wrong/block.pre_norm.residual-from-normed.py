"""CAUSE: overwrites h with its normalized version, so the residual stream is normalized too"""
# shows: sublayer = zeros_like must leave h unchanged, but norm(h) comes back


def pre_norm(h, norm, sublayer):
    h = norm(h)
    return h + sublayer(h)
