"""Texts on their way into a database, which holds neither NUL nor half a surrogate pair, and keys of limited length."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from typing import Any

LONGEST_KEY = 400
"""Characters of an id that a key holds. 400 of four bytes each still fit into an index of PostgreSQL."""

_UNHOLDABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_ESCAPE = re.compile(r"\\(\\|u[0-9a-f]{4})")
_DIGEST = 64


def stored(text: str) -> str:
    """The text with a backslash, NUL and half a surrogate pair written as `\\\\`, `\\u0000` and `\\ud800`: different
    texts stay different, and `original` brings them back."""
    return _UNHOLDABLE.sub(lambda found: "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}", text)


def original(text: str) -> str:
    """What `stored` was given."""
    return _ESCAPE.sub(lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), text)


def key_of(id_: str) -> str:
    """The key under which an id is kept: the id as it is stored; a very long one cut off, with its SHA-256."""
    key = stored(id_)
    if len(key) <= LONGEST_KEY:
        return key
    digest = hashlib.sha256(id_.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{key[: LONGEST_KEY - _DIGEST - 1]}~{digest}"


def quoted(text: str, most: int = 80, *, marks: bool = True) -> str:
    """A text in a sentence: in quotation marks, on one line, and cut off where it is longer than a person reads."""
    cut = text if len(text) <= most else f"{text[:most]}..."
    return repr(cut) if marks or not cut.isprintable() else cut


def as_json(record: Any) -> str:
    """A record as one line of ASCII: JSON writes as escapes what a database cannot hold."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=True, sort_keys=True)


def packed(record: Any) -> bytes:
    """A record as compressed JSON. The order of keys stays: it is the order in which a report is shown."""
    return zlib.compress(json.dumps(record, separators=(",", ":"), ensure_ascii=True).encode("ascii"))


def unpacked(content: bytes) -> Any:
    """What `packed` was given. Raises ValueError for anything else."""
    try:
        return json.loads(zlib.decompress(content))
    except zlib.error as error:
        raise ValueError(f"this is no compressed JSON: {error}") from error
