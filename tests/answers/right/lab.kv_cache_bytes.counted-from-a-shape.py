"""Math.prod over the shape of one cached tensor."""
import math


def kv_cache_bytes(n_blocks, n_kv_heads, head_width, seq, batch, bytes_per_value):
    one_tensor = math.prod((batch, n_kv_heads, seq, head_width))
    return len(("k", "v")) * n_blocks * one_tensor * bytes_per_value
