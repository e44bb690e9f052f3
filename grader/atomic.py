"""Write a file whole or not at all."""

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from grader.errors import UserError


def write_bytes(path: Path, content: bytes, *, lasting: bool = True) -> int:
    """Put `content` at `path`; see `write_pieces`."""
    return write_pieces(path, (content,), lasting=lasting)


def write_pieces(path: Path, pieces: Iterable[bytes], *, lasting: bool = True) -> int:
    """Put what the pieces make together at `path`: whoever reads it, and whatever stops this process, finds the old
    file or the new one.

    lasting: wait until it is on the disk. What can be made again need not wait; a power cut may leave it empty.

    Returns:
        The number of bytes.

    Raises:
        UserError: the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}. Choose another place.") from error
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            length = sum(map(file.write, pieces))
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        fresh.chmod(0o644)
        fresh.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror}. Choose another place.") from error
    finally:
        fresh.unlink(missing_ok=True)
    return length
