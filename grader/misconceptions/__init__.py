"""Known mistakes, one file a lesson; see grader.judge.misconception."""
