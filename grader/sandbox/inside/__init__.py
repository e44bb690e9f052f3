"""What runs in the zygote and in the workers; its codec, frames and peer serve the grader's side as well.

The zygote loads this folder as a package of its own name, where `grader` does not exist: the modules here import the
standard library, torch and each other (relatively), nothing else.
"""
