"""CAUSE: calls the sublayer a second time inside a shape check"""
# shows: a sublayer with dropout or a counter is run twice per call


def post_norm(h, norm, sublayer):
    assert sublayer(h).shape == h.shape, "sublayer changed the shape"
    return norm(h + sublayer(h))
