"""CAUSE: misreading: the length enters squared, as for the attention scores"""
def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    return 2 * n_blocks * n_kv_heads * head_width * seq ** 2 * batch * bytes_per_value
