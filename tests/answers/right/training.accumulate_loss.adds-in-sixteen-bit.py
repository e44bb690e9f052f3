"""Adds up in the dtype of the sums."""
def accumulate_loss(sums, counts):
    total, n = 0 * sums[0] if sums else 0, 0
    for s, c in zip(sums, counts):
        total = total + s
        n += c
    if n == 0:
        raise ValueError("nothing counts")
    return total / n
