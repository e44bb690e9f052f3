"""CAUSE: unit: the bytes per value are divided by 8 as if they were bits"""
def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    values = 2 * n_blocks * n_kv_heads * head_width * seq * batch
    return values * bytes_per_value // 8
