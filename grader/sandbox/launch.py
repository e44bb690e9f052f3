"""How the zygote is started: a fresh interpreter that knows the standard library, torch's folder and nothing else."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import IO

from grader.places import clone_folder, engine_folder, reference_folder
from grader.sandbox.inside.setup import Setup

INSIDE = Path(__file__).resolve().parent / "inside"
_KEPT = ("LANG", "LD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
"""Variables that the zygote keeps: the locale, where this interpreter's libraries lie, and OpenBLAS's kernel."""

_BOOT = """\
import importlib.util, os, sys
settings, inside = sys.argv[1:]
spec = importlib.util.spec_from_file_location("anatomy_worker", os.path.join(inside, "__init__.py"))
sys.modules[spec.name] = importlib.util.module_from_spec(spec)
from anatomy_worker.start import start
start(settings)
"""
"""Loads `inside` under a name of its own: with its folder's name, `grader` would have to be importable."""


class NoTorch(Exception):
    """This interpreter has no torch to hand to the workers."""


def start_zygote(setup: Setup, errors: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start it and return at once. errors: where its stderr goes."""
    return subprocess.Popen(
        [sys.executable, "-S", "-P", "-X", "utf8", "-c", _BOOT, setup.to_json(), str(INSIDE)],
        pass_fds=[setup.control],
        env=_environment(),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=errors,
        start_new_session=True,
    )


def parent_to_die_with() -> int:
    """Whose death ends the zygote: this process's, or 0. The kernel ties a child's life to the thread that started it,
    so only the main thread may ask for that."""
    return os.getpid() if threading.current_thread() is threading.main_thread() else 0


def secret_folders() -> list[str]:
    """Where tests and answers lie, which must be out of every worker's reach."""
    clone = clone_folder()
    return [str(folder) for folder in ([clone] if clone else [engine_folder(), reference_folder()])]


def package_folders() -> list[str]:
    """The folders of installed packages, torch's among them. Raises NoTorch. Does not import torch."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise NoTorch("torch is not installed in this Python; install it and try again")
    home = str(Path(spec.origin).parent.parent)
    folders = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    return list(dict.fromkeys([*folders, home]))


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return kept | {
        "CUDA_VISIBLE_DEVICES": "",
        "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1",
        "MALLOC_ARENA_MAX": "2",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONMALLOC": "malloc",
    }
