"""CAUSE: unit: the result is in MiB, not in bytes"""
def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    total = 2 * batch * seq * n_blocks * n_kv_heads * head_width * bytes_per_value
    return total / 1024 ** 2
