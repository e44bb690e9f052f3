"""CAUSE: calls norm once to check its shape and again for the result"""
# shows: a norm that counts its calls reports 2; the value is right


def pre_norm(h, norm, sublayer):
    if norm(h).shape != h.shape:
        raise ValueError("norm must keep the shape")
    return h + sublayer(norm(h))
