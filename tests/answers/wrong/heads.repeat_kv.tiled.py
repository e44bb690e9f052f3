"""CAUSE: tiles the kv heads as 0,1,0,1 instead of repeating each as 0,0,1,1"""
# shows: Hkv=2, n_repeats=2: the output heads are kv heads 0,1,0,1


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError("n_repeats must be at least 1")
    return x.repeat(1, n_repeats, 1, 1)
