"""A sum over blocks and over keys and values."""
def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    total = 0
    for _ in range(n_blocks):
        for _ in ("keys", "values"):
            total += batch * seq * n_kv_heads * head_width * bytes_per_value
    return total
