"""CAUSE: forgotten: the cache of a single block is counted"""
def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    per_token = 2 * n_kv_heads * head_width * bytes_per_value
    return per_token * seq * batch
