"""Errors that a person sees as one sentence, never as a traceback."""


class UserError(Exception):
    """Something the person at the keyboard can put right: the command ends with exit code 2.

    The message says what happened, where, and what to do next.
    """

    exit_code = 2


class GraderFault(Exception):
    """The course's or the machine's own fault, never the learner's: it costs no points and ends with exit code 3."""

    exit_code = 3
