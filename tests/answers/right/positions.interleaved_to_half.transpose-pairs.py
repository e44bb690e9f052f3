"""Views the rows as (head, pair, member) and swaps the last two."""


def interleaved_to_half(weight, n_heads):
    rows = weight.shape[0]
    if rows % n_heads:
        raise ValueError(f"{rows} rows cannot be shared by {n_heads} heads")
    k = rows // n_heads
    if k % 2:
        raise ValueError(f"head width {k} is odd")
    grouped = weight.reshape(n_heads, k // 2, 2, *weight.shape[1:])
    return grouped.transpose(1, 2).reshape(weight.shape)
