"""Measured experiments with the course's own functions: what is run, what is kept of it, and what may be claimed."""
