"""Many submissions at once: what was handed in, the run that grades it, and the journal of what came of it."""
