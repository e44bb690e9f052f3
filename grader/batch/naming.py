"""Names of students that a file system, a terminal and a person can live with."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

MAX_NAME_BYTES = 120
SHOWN = 100
"""Characters of somebody else's text that a sentence shows at most."""

_PUNCTUATION = frozenset(" -_.@+=,()'")
_HASH_DIGITS = 8
_SURROGATE = re.compile("[\ud800-\udfff]")
# Windows takes these for devices, whatever the ending.
_DEVICES = frozenset(
    ["con", "prn", "aux", "nul", "conin$", "conout$"]
    + [f"{port}{digit}" for port in ("com", "lpt") for digit in "0123456789\u00b9\u00b2\u00b3"]
)


def file_names(ids: Iterable[str]) -> dict[str, str]:
    """The name, without ending, of each student's files: no two that any file system takes for one.

    It is the id itself where that is a legal and harmless name on Linux, macOS and Windows of at most 120 bytes;
    otherwise the id cleaned, '-' and 8 hexadecimal digits of its SHA-256. Ids that differ only by case or by Unicode
    form get the digits too.
    """
    wanted = list(dict.fromkeys(ids))
    shared = Counter(map(_folded, wanted))
    names = {each: each if _legal(each) and shared[_folded(each)] == 1 else _hashed(each) for each in wanted}
    digits = _HASH_DIGITS
    # Somebody's id can be what another's cleaned name comes to; a longer hash parts whom a short one does not.
    while clashing := _clashing(names):
        plain = [each for each in clashing if names[each] == each]
        if not plain:
            digits += _HASH_DIGITS
        names.update({each: _hashed(each, digits) for each in plain or clashing})
    return names


def comparable(name: str) -> str:
    """A folder's name as it is compared: macOS writes an accent as a character of its own."""
    return unicodedata.normalize("NFC", name)


def text_of(name: str) -> str:
    """A name as text that can be kept: bytes of a file system's name that are no UTF-8 are spelled out, as `\\xe9`."""
    return _SURROGATE.sub(_spelled, name)


def shown(text: str, most: int = SHOWN) -> str:
    """Somebody else's text inside a sentence: on one line, no control characters, no more than `most` characters."""
    cut = text if len(text) <= most else f"{text[:most]}..."
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode("ascii") for char in cut)


def _spelled(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if 0xDC80 <= code <= 0xDCFF else f"\\u{code:04x}"


def _legal(name: str) -> bool:
    return bool(name) and _size(name) <= MAX_NAME_BYTES and _cleaned(name) == name and not _is_device(name)


def _is_device(name: str) -> bool:
    return name.partition(".")[0].rstrip(" ").casefold() in _DEVICES


def _hashed(name: str, digits: int = _HASH_DIGITS) -> str:
    end = "-" + hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:digits]
    kept = _cleaned(name)
    while _size(kept) + len(end) > MAX_NAME_BYTES:
        kept = kept[:-1]
    kept = kept.rstrip(" .")
    return ("student" if not kept or _is_device(kept) else kept) + end


def _cleaned(name: str) -> str:
    """The name with '_' for whatever is neither letter, digit nor plain punctuation, and with a harmless start and end.

    A leading dot hides a file, a leading dash makes it an option of a command, and Windows drops dots and spaces at the
    end.
    """
    kept = "".join(char if char in _PUNCTUATION or unicodedata.category(char)[0] in "LNM" else "_" for char in name)
    return kept.lstrip(" .-").rstrip(" .")


def _clashing(names: dict[str, str]) -> list[str]:
    taken = Counter(map(_folded, names.values()))
    return [each for each, name in names.items() if taken[_folded(name)] > 1]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _size(name: str) -> int:
    return len(name.encode("utf-8", "surrogatepass"))
