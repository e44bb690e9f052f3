"""Known mistakes, one file or package a lesson; see grader.judge.misconception."""
