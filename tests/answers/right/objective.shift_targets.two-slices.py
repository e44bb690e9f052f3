"""Two slices of the same tensor, no copies."""


def shift_targets(tokens):
    if tokens.shape[-1] < 2:
        raise ValueError("need at least two tokens to have a next one")
    return tokens[..., :-1], tokens[..., 1:]
