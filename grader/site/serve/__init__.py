"""The pages live on 127.0.0.1: grading as files are saved, quizzes, and the learner's own code in the pictures."""
