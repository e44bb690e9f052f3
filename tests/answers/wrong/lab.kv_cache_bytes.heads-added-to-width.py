"""CAUSE: formula: heads and width are added instead of multiplied"""
def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    row = n_kv_heads + head_width
    return 2 * n_blocks * row * seq * batch * bytes_per_value
