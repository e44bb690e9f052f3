"""Exit codes of a worker that ends on its own account."""

OUT_OF_MEMORY = 86
"""There was no memory left even to say so."""
BROKEN = 87
"""The worker's own code failed, which the learner's code can bring about."""
