"""Uses glu(up * gate, gate), which is up * gate * sigmoid(gate)."""
import torch
import torch.nn.functional as F


def swiglu(x, weights):
    y = x.float() if x.element_size() == 2 else x
    gate = torch.einsum("...d,fd->...f", y, weights["w_gate"].to(y.dtype))
    up = torch.einsum("...d,fd->...f", y, weights["w_up"].to(y.dtype))
    hidden = F.glu(torch.cat([up * gate, gate], -1), -1)
    return torch.einsum("...f,df->...d", hidden, weights["w_down"].to(y.dtype)).to(x.dtype)
