"""What the learner's source text shows before any of it runs: no torch here, and nothing of it is executed."""

from grader.judge.source.definition import Definition, State
from grader.judge.source.forbidden import Finding
from grader.judge.source.meanings import Exercise
from grader.judge.source.submission import StudentSource, parse_submission
from grader.judge.source.syntax import SyntaxProblem

__all__ = [
    "Definition",
    "Exercise",
    "Finding",
    "State",
    "StudentSource",
    "SyntaxProblem",
    "parse_submission",
]
