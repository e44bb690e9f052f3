"""What the zygote and its workers give up before a line of the learner's code is there: one module a layer.

`order` has the steps in their order; `survey` finds out once which of them this machine can take.
"""
