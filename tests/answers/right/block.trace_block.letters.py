"""Describes every shape by letters and looks the letters up in the configuration."""

_STAGES = """
input BTD, norm1 BTD, q BHTK, k BGTK, v BGTK, scores BHTT, weights BHTT, context BHTK, attn_out BTD,
residual1 BTD, norm2 BTD, gate BTF, up BTF, hidden BTF, mlp_out BTD, residual2 BTD
"""


def trace_block(config):
    size = dict(B=config["batch"], T=config["seq"], D=config["d_model"], H=config["n_heads"],
                G=config["n_kv_heads"], F=config["d_hidden"], K=config["d_model"] // config["n_heads"])
    pairs = (entry.split() for entry in _STAGES.split(","))
    return [(stage, tuple(size[letter] for letter in letters)) for stage, letters in pairs]
