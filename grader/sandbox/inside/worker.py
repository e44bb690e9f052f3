"""A worker: locked down first, then given the learner's sources, then asked for calls until the grader is done.

Once a source has run, everything in this process is the learner's to change; nothing that it says is believed.
"""

from __future__ import annotations

import gc
import importlib
import os
import random
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NoReturn, TextIO

import torch

from .calling import Caller
from .codec import CannotCross, Caps
from .decoder import Decoder
from .encoder import Encoder
from .fault import describe_fault
from .frames import Frame, Kind
from .limits import Limits
from .lockdown.order import Plan, lock_down
from .modules import PACKAGE, LearnerModules, install
from .peer import Peer
from .pipe import Pipe
from .status import BROKEN, OUT_OF_MEMORY

CHANNEL = 3
LAYERS = ("clean-environment",)
"""What holds for a worker beside the layers of its lockdown."""
_RESERVE = 4 << 20


def run(zygote: int, plan: Plan, name: str) -> NoReturn:
    """The life of a worker, from the fork on. The descriptors 0 to 3 and the plan's are in place, no other is open."""
    try:
        pipe = Pipe(CHANNEL)
        frame = pipe.receive()
        settings, folder = Decoder().decode(frame.body)
        limits = Limits(**settings)
        layers, scratch = lock_down(plan, limits, folder, name, zygote)
        _settle(scratch)
        pipe.send(Kind.HELLO, frame.call_id, Encoder().encode((*LAYERS, *layers)))
        _Server(pipe, limits).serve()
    except MemoryError:
        os._exit(OUT_OF_MEMORY)
    except BaseException:
        os.write(2, traceback.format_exc(limit=-8)[-4000:].encode(errors="replace"))
        os._exit(BROKEN)


def _settle(scratch: str) -> None:
    """Own folder, own environment, fresh seeds, and output that is not held back."""
    os.chdir(scratch)
    os.environ.clear()
    os.environ.update(HOME=scratch, TMPDIR=scratch, OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    tempfile.tempdir = None
    sys.argv[:] = [PACKAGE]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    torch.manual_seed(0)
    random.seed(0)
    sys.stdout, sys.stderr = _stream(1), _stream(2)
    # Hidden tests ask for empty batches and the like, of which torch warns; a learner would look for the cause in vain.
    warnings.simplefilter("ignore")
    gc.enable()


def _stream(descriptor: int) -> TextIO:
    """A text stream that keeps nothing back beyond a line, so that a killed worker's output is not lost."""
    return open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False)


class _Server:
    def __init__(self, pipe: Pipe, limits: Limits) -> None:
        self._pipe = pipe
        caps = Caps(size=limits.reply_mb << 20)
        tokens: list[object] = []
        self._peer = Peer(pipe, told=(BaseException,), new_id=None, caps=caps, tokens=tokens)
        self._caller = Caller(self._peer.computations, tokens)
        self._reserve: bytearray | None = bytearray(_RESERVE)
        self._streams = (sys.stdout, sys.stderr)

    def serve(self) -> NoReturn:
        while True:
            frame = self._pipe.receive()
            kind, body = self._answer(frame)
            self._flush()
            self._pipe.send(kind, frame.call_id, body)

    def _answer(self, frame: Frame) -> tuple[Kind, bytes]:
        with self._peer.serving(frame.call_id):
            try:
                # Decoded inside a frame of its own, so that nothing here holds on to what a call has used.
                return self._serve(frame)
            except CannotCross as error:
                return Kind.NOT_A_VALUE, Encoder().encode(str(error))
            except BaseException as error:
                if isinstance(error, MemoryError):
                    self._reserve = None
                fault = describe_fault(error)
        return Kind.RAISED, Encoder().encode(fault)

    def _serve(self, frame: Frame) -> tuple[Kind, bytes]:
        message = self._peer.decoder().decode(frame.body)
        match frame.kind:
            case Kind.LOAD:
                return self._load(*message)
            case Kind.OPEN:
                importlib.import_module(f"{PACKAGE}.{message}")
                return Kind.DONE, Encoder().encode(None)
            case Kind.CALL:
                return self._call(*message)
            case _:
                raise RuntimeError(f"a worker does not serve {frame.kind.name}")

    def _load(
        self, sources: Mapping[str, str], replace: Mapping[str, Mapping[str, Any]], synthetic: list[str]
    ) -> tuple[Kind, bytes]:
        install(LearnerModules(sources, replace, synthetic))
        return Kind.DONE, Encoder().encode(None)

    def _call(self, module: str, function: Any, *rest: Any) -> tuple[Kind, bytes]:
        if isinstance(function, str):
            function = getattr(importlib.import_module(f"{PACKAGE}.{module}"), function)
        told = self._caller.call(function, *rest)
        body = self._peer.encoder().encode(told)
        self._caller.remember(told[0])
        return Kind.RETURNED, body

    def _flush(self) -> None:
        for stream in (*self._streams, getattr(sys, "stdout", None), getattr(sys, "stderr", None)):
            # The learner's code may have closed or replaced it; then there is nothing to flush.
            with suppress(Exception):
                stream.flush()  # type: ignore[union-attr]  # None is one of the exceptions
