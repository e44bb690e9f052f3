"""Draws uniform numbers in double and sends them through the inverse cdf of the normal."""
import torch


def init_gpt2(config, seed):
    generator = torch.Generator()
    generator.manual_seed(seed)
    width, hidden, blocks = config["d_model"], config["d_hidden"], config["n_blocks"]
    residual = 0.02 / (2 * blocks) ** 0.5 if blocks else 0.02

    def draw(rows, columns, std=0.02):
        uniform = torch.rand(rows, columns, dtype=torch.float64, generator=generator)
        return torch.erfinv(2 * uniform.clamp(min=2.0 ** -53) - 1).mul(std * 2 ** 0.5).float()

    def block():
        result = {}
        for k in "12":
            result["ln" + k + ".gamma"], result["ln" + k + ".beta"] = torch.ones(width), torch.zeros(width)
        for k in "qkv":
            result["attn.w" + k], result["attn.b" + k] = draw(width, width), torch.zeros(width)
        result["attn.wo"], result["attn.bo"] = draw(width, width, residual), torch.zeros(width)
        result["mlp.w_in"], result["mlp.b_in"] = draw(hidden, width), torch.zeros(hidden)
        result["mlp.w_out"], result["mlp.b_out"] = draw(width, hidden, residual), torch.zeros(width)
        return result

    weights = dict(wte=draw(config["vocab"], width), wpe=draw(config["max_positions"], width))
    for n in range(blocks):
        weights |= {f"blocks.{n}.{key}": value for key, value in block().items()}
    weights["ln_f.gamma"], weights["ln_f.beta"] = torch.ones(width), torch.zeros(width)
    return weights
