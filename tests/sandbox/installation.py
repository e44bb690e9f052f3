"""Run as a program by test_sandbox_installed: what a worker of this installation can read, and what the proof says.

    python installation.py [--as UID] PATH...

With --as (root only) it goes on as another account. The interpreter may lie in a folder that only root may enter: then
the folders around it are made anew, in a mount namespace of this process's own, with the same things in them.
"""

import json
import os
import sys
import tempfile
from pathlib import Path

from grader.sandbox.inside.lockdown import system

_MOUNTS = 0x20000
SOURCE = """
import os
PREFIXES = ()
def listing(path):
    # An environment within the clone leaves the way to itself to be seen, and nothing beside it.
    ways = {os.path.relpath(prefix, path).split(os.sep)[0] for prefix in PREFIXES}
    if not set(os.listdir(path)) - ways:
        raise FileNotFoundError(path)

def look(paths):
    found = []
    for path in paths:
        for step in (listing if os.path.isdir(path) else open, open):
            try: step(path)
            except OSError: continue
            found.append(path)
            break
    return found
"""


def main(paths: list[str]) -> None:
    """Print one JSON object: with namespaces and without them."""
    from grader.places import suites_folder
    from grader.sandbox import Call, Zygote
    from grader.sandbox.proof import prove

    # `sys.prefix` of a worker is not the environment's: it starts without `site`.
    source = SOURCE.replace("PREFIXES = ()", f"PREFIXES = {(sys.prefix, sys.base_prefix)!r}")
    modes = []
    for without in (frozenset[str](), frozenset({"namespaces"})):
        with Zygote(without=without) as zygote:
            proof = prove(zygote)
            with zygote.worker() as worker:
                worker.load({"lab": source})
                outcome = worker.call(Call("lab", "look", (paths,)))
        modes.append(
            {
                "level": proof.level,
                "layers": proof.layers,
                "off": dict(proof.off),
                "broken": [finding.name for finding in proof.broken],
                "readable": getattr(outcome, "value", repr(outcome)),
            }
        )
    print(json.dumps({"uid": os.getuid(), "suites": str(suites_folder()), "modes": modes}))  # noqa: T201


def become(account: int) -> None:
    """Go on as another account, for good, with the interpreter within its reach."""
    system.unshare(_MOUNTS)
    system.mount(None, "/", flags=system.MS_REC | system.MS_PRIVATE)
    for needed in {sys.base_prefix, sys.prefix, str(Path(__file__).resolve().parent)}:
        for folder in reversed(Path(needed).parents):
            if not folder.stat().st_mode & 0o001:
                _open_up(folder, Path(needed).relative_to(folder).parts[0])
    os.environ.update(HOME=tempfile.gettempdir(), USER="somebody")
    os.setgroups([])
    os.setresgid(account, account, account)
    os.setresuid(account, account, account)
    arguments = [argument for argument in sys.argv[1:] if argument not in ("--as", str(account))]
    os.execv(sys.executable, [sys.executable, *sys.orig_argv[1 : -len(sys.argv) + 1], *arguments])


def _open_up(folder: Path, name: str) -> None:
    """Put an empty folder that everybody may enter in the place of one, with one thing of that one's in it."""
    aside = tempfile.mkdtemp()
    system.mount(str(folder / name), aside, flags=system.MS_BIND | system.MS_REC)
    system.mount("tmpfs", str(folder), "tmpfs", 0, "mode=755")
    (folder / name).mkdir()
    system.mount(aside, str(folder / name), flags=system.MS_BIND | system.MS_REC)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as"]:
        become(int(sys.argv[2]))
    main(sys.argv[1:])
