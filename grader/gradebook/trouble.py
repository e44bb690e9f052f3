"""What a database complains of, as one sentence that says what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from grader.errors import GraderFault, UserError

_HIDDEN = "***"

KEPT = (
    "overrides, extensions, times and policies stand nowhere else: {first}. Without one, move {it} away: the same "
    "`anatomy batch` then makes a new gradebook, with every verdict and without those decisions."
)
"""What is kept where, and what to do: the points are in the journal of the run too, decisions are not."""


class GradebookAway(UserError):
    """The gradebook cannot be used for now: it is locked, gone, full or closed to this person. Nothing is wrong with
    what is in it, and once the cause is gone the same command works. A plain UserError means that it will not."""


_LOCKED = "{where} is locked: another program has been writing to it for too long. Try again when it is done."
_LEFT_WHOLE = "run this again; what is in it is whole."
_GONE = f"{{where}} went away: the connection broke. Connect and {_LEFT_WHOLE}"
_BACKUP = KEPT.format(first="restore its backup", it="the file")

_SQLITE: tuple[tuple[str, type[UserError], str], ...] = (
    # The first that the error's name begins with.
    ("SQLITE_BUSY", GradebookAway, _LOCKED),
    ("SQLITE_LOCKED", GradebookAway, _LOCKED),
    ("SQLITE_FULL", GradebookAway, f"{{where}} cannot grow: the disk is full. Make room and {_LEFT_WHOLE}"),
    (
        "SQLITE_READONLY_DBMOVED",
        GradebookAway,
        "{where} was moved or removed while it was open. Put it back, or run this again.",
    ),
    (
        "SQLITE_READONLY",
        GradebookAway,
        "{where} cannot be written: the file or its folder is read-only. Change that, or copy it.",
    ),
    ("SQLITE_PERM", GradebookAway, "{where} cannot be opened: permission denied. Ask its owner."),
    (
        "SQLITE_CANTOPEN",
        UserError,
        "{where} cannot be opened: it is a folder, or in one that is missing or closed to you.",
    ),
    (
        "SQLITE_NOTADB",
        UserError,
        f"{{where}} is no gradebook: it is not an SQLite file. Check the path; or, if it was one before: {_BACKUP}",
    ),
    ("SQLITE_CORRUPT", UserError, f"{{where}} is damaged: its {_BACKUP}"),
    (
        "SQLITE_IOERR",
        GradebookAway,
        "{where} cannot be read or written: the disk reports an error. Check it and the space on it.",
    ),
)

_POSTGRESQL: tuple[tuple[str, type[UserError], str], ...] = (
    # By SQLSTATE, of which the first two characters are a class.
    ("55P03", GradebookAway, _LOCKED),
    ("40P01", GradebookAway, f"{{where}} is busy: two programs waited for each other; {_LEFT_WHOLE}"),
    (
        "28",
        GradebookAway,
        "{where} refuses this user or password. Check them; a password may stand in ~/.pgpass or PGPASSWORD.",
    ),
    (
        "3D000",
        GradebookAway,
        "{where}: the server has no database of that name. Make it with `createdb`, or check the URL.",
    ),
    ("42501", GradebookAway, "{where} refuses this user the right to do that. Ask for it, or use another user."),
    ("25006", GradebookAway, "{where} is read-only. Use the main server, or another user."),
    ("53100", GradebookAway, f"{{where}} cannot grow: the server's disk is full. Make room and {_LEFT_WHOLE}"),
    ("53300", GradebookAway, "{where} has too many connections. Try again in a moment."),
    ("57P", GradebookAway, f"{{where}} went away: the server was stopped. Start it and {_LEFT_WHOLE}"),
    ("08", GradebookAway, _GONE),
    (
        "XX001",
        UserError,
        "{where} is damaged, says the server: its " + KEPT.format(first="restore its backup", it="that database"),
    ),
    (
        "XX002",
        UserError,
        "{where} is damaged, says the server: its " + KEPT.format(first="restore its backup", it="that database"),
    ),
)

_PHRASES = (
    # A connection that never came about has no SQLSTATE, only words.
    ("password", "28"),
    ("authentication failed", "28"),
    ("no pg_hba.conf entry", "28"),
    ("does not exist", "3D000"),
    ("too many clients", "53300"),
)


def shown(url: URL) -> str:
    """The place for a message: a file's path, or the URL without any password."""
    if url.get_backend_name() == "sqlite":
        return _on_one_line(url.database or "")
    secret = {key: _HIDDEN for key in url.query if "pass" in key.lower()}
    return _on_one_line(url.update_query_dict(secret).render_as_string(hide_password=True))


@contextmanager
def in_sentences(url: URL) -> Iterator[None]:
    """Whatever a database complains of in here becomes a UserError, what nobody foresaw a GraderFault."""
    try:
        yield
    except DBAPIError as error:
        raise _explained(error, url) from error
    except SQLAlchemyError as error:
        raise GraderFault(f"The gradebook {shown(url)} cannot be used: {_first_line(error, url)}") from error


def _explained(error: DBAPIError, url: URL) -> Exception:
    where = f"The gradebook {shown(url)}"
    cause = error.orig
    if isinstance(cause, sqlite3.Error):
        name = getattr(cause, "sqlite_errorname", None) or ""
        for begin, kind, says in _SQLITE:
            if name.startswith(begin):
                return kind(says.format(where=where))
        return GraderFault(f"{where} cannot be used: {_first_line(cause, url)}")
    state = getattr(cause, "sqlstate", None)
    # While connecting, the server's words are all there is; in the middle of the work they may be anybody's.
    words = str(cause).lower()
    if state is None and error.statement is None:
        state = next((code for phrase, code in _PHRASES if phrase in words), None)
    for begin, kind, says in _POSTGRESQL:
        if state and state.startswith(begin):
            return kind(says.format(where=where))
    if state is None and error.statement is None:
        return GradebookAway(
            f"{where} cannot be reached ({_first_line(cause, url)}). Is the server on, and the URL right?"
        )
    if error.connection_invalidated:
        return GradebookAway(_GONE.format(where=where))
    return GraderFault(f"{where} cannot be used: {_first_line(cause, url)}")


def _first_line(error: object, url: URL) -> str:
    text = (str(error).splitlines() or [""])[0]
    for secret in (url.password, *(value for key, value in url.query.items() if "pass" in key.lower())):
        if isinstance(secret, str) and secret:
            text = text.replace(secret, _HIDDEN)
    return _on_one_line(text).rstrip(".")


def _on_one_line(text: str) -> str:
    return text if text.isprintable() else repr(text)
