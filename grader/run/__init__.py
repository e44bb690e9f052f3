"""The trained model on a learner's own functions: what it says, and where its numbers part from the reference."""
