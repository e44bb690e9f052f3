"""What a learner has done: an append-only log of events, and the progress that is folded from it."""
