"""Judging: what a function answered, what was expected, how far apart they are, and which mistake that is."""
