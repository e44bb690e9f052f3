"""Every sum becomes its share of the final mean, added one after another in float64."""
def accumulate_loss(sums, counts):
    everything = 0
    for c in counts:
        everything += c
    if everything <= 0:
        raise ValueError("no micro-batch has a target that counts")
    loss = None
    for s in sums:
        share = s.double() / everything
        loss = share if loss is None else loss + share
    return loss.to(sums[0].dtype)
