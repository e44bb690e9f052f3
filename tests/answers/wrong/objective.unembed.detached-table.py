"""CAUSE: detaches the tied table, so it gets no gradient from the output side"""
import torch


# shows: unembed(h, table).sum().backward() leaves table.grad None
def unembed(hidden, table):
    # tied: the table already learns through embed(), don't count its gradient twice
    w = table.detach()
    return hidden @ w.t()
