"""Right answers in other styles, one file a lesson; see grader.judge.variation."""
