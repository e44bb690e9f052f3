"""CAUSE: mutated argument: += on the first sum changes the caller's tensor (and fails when it is a leaf that needs a gradient)"""
def accumulate_loss(sums, counts):
    if sum(counts) == 0:
        raise ValueError("nothing counts")
    total = sums[0]
    for s in sums[1:]:
        total += s
    return total / sum(counts)
