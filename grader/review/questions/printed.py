"""What snippets print, found by running them: for the lint and the tests only, never while somebody is asked.

The snippets are the course's own. They run in a fresh process, all in one, because importing torch is what costs time;
each has its own names.
"""

import json
import subprocess
import sys
from collections.abc import Collection
from dataclasses import dataclass

from grader.errors import GraderFault

_SECONDS = 60
_RUNNER = """
import contextlib, io, json, sys, warnings
warnings.simplefilter("ignore")
results = []
for program in json.load(sys.stdin):
    printed, error = io.StringIO(), ""
    with contextlib.redirect_stdout(printed):
        try:
            exec(compile(program, "<snippet>", "exec"), {"__name__": "__main__"})
        except BaseException as caught:
            error = f"{type(caught).__name__}: {caught}"
    results.append([printed.getvalue(), error])
json.dump(results, sys.stdout)
"""


@dataclass(frozen=True, slots=True)
class Printed:
    """The standard output of a snippet, and the exception that ended it ("" when none did)."""

    text: str
    error: str


def run_snippets(programs: Collection[str]) -> dict[str, Printed]:
    """What each program prints. Raises GraderFault when the process that runs them fails or takes a minute."""
    if not programs:
        return {}
    wanted = list(dict.fromkeys(programs))
    command = [sys.executable, "-I", "-c", _RUNNER]
    try:
        ended = subprocess.run(
            command, input=json.dumps(wanted), capture_output=True, text=True, timeout=_SECONDS, check=True
        )
    except subprocess.TimeoutExpired as error:
        raise GraderFault(f"The snippets of the quizzes ran for more than {_SECONDS} seconds.") from error
    except subprocess.CalledProcessError as error:
        raise GraderFault(f"The snippets of the quizzes could not be run: {error.stderr.strip()[-400:]}") from error
    return {program: Printed(*result) for program, result in zip(wanted, json.loads(ended.stdout), strict=True)}
