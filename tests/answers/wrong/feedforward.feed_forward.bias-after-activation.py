"""CAUSE: adds b_in after the GELU instead of before"""
from .feedforward import gelu_tanh

# shows: any nonzero b_in, for example x = 0, b_in = 1: hidden is 1 instead of 0.841; zero biases hide it


def feed_forward(x, weights):
    h = gelu_tanh(x @ weights["w_in"].mT)
    h = h + weights["b_in"]
    return h @ weights["w_out"].mT + weights["b_out"]
