"""Runs that are killed: for each job on stdin a process is forked that carries a whole run out; it may be killed.

What grades is made (see made_run.py), everything else is real: collecting, journal, gradebook, pages. A job is JSON:
submissions, out, and kill: after how many seconds, or null. Answers with the process's exit status and its seconds.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from made_run import MadeHands, by_length

from grader.batch.order import Order
from grader.batch.parcel import Graded, Parcel
from grader.cli.batching import Workplace, carry_out

EACH = 0.004
"""Seconds that grading takes, so that kills meet every stage of a run."""


class Made(Workplace):
    def hands(self, lessons: object) -> MadeHands:
        return MadeHands(slowly)


def slowly(parcel: Parcel) -> Graded:
    time.sleep(EACH)
    return by_length(parcel)


def main() -> None:
    for line in sys.stdin:
        job = json.loads(line)
        started = time.monotonic()
        pid = os.fork()
        if pid == 0:
            sys.stderr = open(os.devnull, "w")  # noqa: SIM115, PTH123  progress
            carry_out(Order(job["submissions"], ("normalization",)), Path(job["out"]), Made())
            os._exit(0)
        if job["kill"] is not None:
            time.sleep(job["kill"])
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        answer = {"status": os.waitstatus_to_exitcode(status), "seconds": time.monotonic() - started}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
