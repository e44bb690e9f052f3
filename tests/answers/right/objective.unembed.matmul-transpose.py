"""Plain matrix product with the transposed table."""


def unembed(hidden, table):
    return hidden @ table.T
