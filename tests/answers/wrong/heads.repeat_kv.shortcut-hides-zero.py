"""CAUSE: the shortcut for n <= 1 returns x also for n = 0 and negative n, nothing is raised"""
# shows: repeat_kv(x, 0) returns x, should raise ValueError


def repeat_kv(x, n_repeats):
    """torch.repeat_interleave(x, dim=1, repeats=n_repeats)"""
    if n_repeats <= 1:
        return x
    return x.repeat_interleave(n_repeats, dim=1)
