"""CAUSE: forgotten: only one tensor is counted, keys and values are two"""
def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    return n_blocks * n_kv_heads * head_width * seq * batch * bytes_per_value
