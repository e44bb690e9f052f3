"""Questions that no author wrote: born of a learner's mistakes, of the catalogue, and of the learner's code."""
