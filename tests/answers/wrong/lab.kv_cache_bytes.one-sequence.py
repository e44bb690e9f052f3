"""CAUSE: forgotten: the batch does not enter"""
def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    return 2 * n_blocks * seq * n_kv_heads * head_width * bytes_per_value
