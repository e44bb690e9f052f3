"""CAUSE: subtracts the maximum of the whole tensor, not of each slice"""
import torch


# shows: softmax(tensor([[500., 499.], [0., 1.]])): the second row underflows to [0, 0]
def softmax(logits, dim=-1):
    if logits.numel() == 0:
        return torch.zeros_like(logits)
    m = logits.max()
    if torch.isinf(m):
        m = torch.zeros_like(m)
    e = (logits - m).exp()
    z = e.sum(dim, keepdim=True)
    z = z.masked_fill(z == 0, 1.0)
    return e / z
