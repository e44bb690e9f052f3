"""CAUSE: forgotten edge case: the divisor is held at 1 or more, so an empty step reports loss 0 instead of raising"""
def accumulate_loss(sums, counts):
    total = sum(sums[1:], sums[0])
    return total / max(1, sum(counts))
