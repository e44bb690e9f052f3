"""Quiz questions: read from quiz.yaml, drawn with fresh numbers, answered by the reference, marked.

`load` reads, `draw` fills in the numbers of a seed, `marking` makes the key and marks what was typed. Only `oracle`
imports torch, and only when a value is asked for.
"""
