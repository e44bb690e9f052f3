"""Keeps a copy of the stream and adds the branch to the copy in place; has an optional scale of the branch."""


def pre_norm(h, norm, sublayer, scale=1.0):
    stream = h.clone()
    branch = sublayer(norm(h))
    stream += branch if scale == 1.0 else scale * branch
    return stream
