"""Hidden suites, one file a lesson: ordinary pytest, read and run by grader.session."""
