"""Adds in double precision, goes back to the dtype of h and normalizes."""


def post_norm(h, norm, sublayer):
    total = h.double() + sublayer(h)
    return norm(total.to(h.dtype))
