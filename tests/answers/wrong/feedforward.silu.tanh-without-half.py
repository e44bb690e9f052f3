"""CAUSE: sigmoid written as (1 + tanh x) / 2 instead of (1 + tanh(x/2)) / 2"""
# shows: x = 1.0 gives 0.881 instead of 0.731


def silu(x):
    gate = 0.5 * (x.tanh() + 1.0)
    return gate * x
