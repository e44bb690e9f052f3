"""A catalogued mistake as code: the parametric function with its switches set, folded until no switch is left.

Nothing is executed: the source text is read as a tree and partially evaluated. What cannot be followed is Unsuitable.
"""
