"""CAUSE: negative token ids wrap around to the end of the table"""
import torch


# shows: embed(tensor([-1]), table) returns the last row instead of raising ValueError
def embed(tokens, table):
    try:
        return table[tokens]
    except IndexError as err:
        raise ValueError("token id outside the vocabulary") from err
