"""A learner's files: where they lie, how they are read, and how a stub is put back. Nothing of them is executed.

Putting back is `grader.workspace.reset`, which parses Python: it is imported by the one command that needs it.
"""

from grader.workspace.folder import Started, Workspace, find_workspace, start
from grader.workspace.submission import (
    MODULE_FOLDER,
    Problem,
    ProblemKind,
    SourceFile,
    Submission,
    module_folder,
    read_source,
    read_submission,
    submission_of,
)

__all__ = [
    "MODULE_FOLDER",
    "Problem",
    "ProblemKind",
    "SourceFile",
    "Started",
    "Submission",
    "Workspace",
    "find_workspace",
    "module_folder",
    "read_source",
    "read_submission",
    "start",
    "submission_of",
]
