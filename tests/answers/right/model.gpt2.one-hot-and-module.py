"""A helper class holds the weights as a model object; tokens enter as one-hot rows, attention is torch's own."""
import torch
import torch.nn.functional as F


class _Model:
    def __init__(self, weights, n_heads):
        self.dtype = torch.promote_types(weights["wte"].dtype, torch.float32)
        self.weights, self.n_heads = weights, n_heads
        self.width = weights["wte"].shape[1]
        if self.width % n_heads:
            raise ValueError("n_heads has to divide the width")

    def get(self, key):
        return self.weights[key].to(self.dtype) if key in self.weights else None

    def linear(self, x, w, b):
        return F.linear(x, self.get(w), self.get(b))

    def norm(self, x, name):
        return F.layer_norm(x, [self.width], self.get(name + ".gamma"), self.get(name + ".beta"))

    def block(self, x, p):
        y = self.norm(x, p + "ln1")
        q, k, v = (
            self.linear(y, p + "attn.w" + c, p + "attn.b" + c)
            .unflatten(-1, (self.n_heads, self.width // self.n_heads)).transpose(1, 2)
            for c in "qkv")
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)
        x = x + self.linear(y, p + "attn.wo", p + "attn.bo")
        y = F.gelu(self.linear(self.norm(x, p + "ln2"), p + "mlp.w_in", p + "mlp.b_in"), approximate="tanh")
        return x + self.linear(y, p + "mlp.w_out", p + "mlp.b_out")

    def __call__(self, tokens):
        table = self.get("wte")
        if tokens.shape[1] > self.weights["wpe"].shape[0]:
            raise ValueError("more tokens than learned positions")
        x = F.one_hot(tokens, table.shape[0]).to(self.dtype) @ table
        x = x + self.get("wpe")[:tokens.shape[1]]
        n = 0
        while f"blocks.{n}.ln1.gamma" in self.weights:
            x = self.block(x, f"blocks.{n}.")
            n += 1
        return self.norm(x, "ln_f") @ table.T


def gpt2(tokens, weights, n_heads):
    return _Model(weights, n_heads)(tokens).to(weights["wte"].dtype)
