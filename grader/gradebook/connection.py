"""How the database is reached: where it is, its transactions, and its schema's version."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event, inspect, make_url, select, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError

from grader.errors import UserError
from grader.gradebook import schema
from grader.gradebook.trouble import GradebookAway, in_sentences, shown
from grader.places import expanded

PATIENCE = 30.0
"""Seconds to wait for another program that writes."""
_CONNECT_TIMEOUT = 10
_WRITES = "gradebook_writes"
_LOCK = 0x616E6174  # any number that nothing else on the server locks

_DRIVERS = {"postgres": "postgresql+psycopg", "postgresql": "postgresql+psycopg"}
_EXAMPLE = "postgresql://user@host/name"


def as_url(place: str | Path) -> URL:
    """The database that a person means: a URL, or the path of an SQLite file. Raises UserError."""
    if isinstance(place, Path) or "://" not in place:
        return URL.create("sqlite", database=str(expanded(str(place), "The gradebook's path").absolute()))
    try:
        url = make_url(place)
    except (ArgumentError, ValueError):
        raise UserError(f"{_hidden(place)!r} is no URL of a database. Write one like {_EXAMPLE}, or a path.") from None
    if url.get_backend_name() != "sqlite" and place.count("@") > 1:
        # SQLAlchemy takes the first for the end of the password, and the rest of it for the host.
        raise UserError(
            f"{_hidden(place)!r} has an @ too many. In a password write it %40 (and : / ? # % as %3A %2F %3F %23 %25)."
        )
    url = url.set(drivername=_DRIVERS.get(url.drivername, url.drivername))
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise UserError("A gradebook in memory keeps nothing. Name a file: its path is enough.")
    return url


def without_password(place: str) -> str:
    """A URL as it may be kept in a file: without any password, be it before the host or an option. A path stays."""
    if "://" not in place:
        return place
    url = as_url(place)
    secret = [key for key in url.query if "pass" in key.lower()]
    return (
        url._replace(password=None).difference_update_query(secret).render_as_string()
    )  # `set` takes None for "as it was"


def _hidden(place: str) -> str:
    """A URL that cannot be read, without whatever may be a password: all up to the last @, and all options."""
    scheme, _, rest = place.partition("://")
    before, at, after = rest.rpartition("@")
    if "?" in before:
        return f"{scheme}://***"
    return f"{scheme}://{'***@' if at else ''}{after.partition('?')[0]}"


class Connections:
    """Transactions on one database. patience: seconds to wait for another program that writes."""

    def __init__(self, url: URL, patience: float = PATIENCE) -> None:
        self.url = url
        self._patience = patience
        self._sqlite = url.get_backend_name() == "sqlite"
        self.engine = self._engine()
        self._file: tuple[int, int] | None = None

    def _engine(self) -> Engine:
        options: dict[str, Any] = {"pool_pre_ping": True}
        if self._sqlite:
            options["connect_args"] = {"timeout": self._patience}
        else:
            options["isolation_level"] = "READ COMMITTED"
        if self.url.get_backend_name() == "postgresql" and "connect_timeout" not in self.url.query:
            options["connect_args"] = {"connect_timeout": _CONNECT_TIMEOUT}
        try:
            engine = create_engine(self.url, **options)
        except NoSuchModuleError:
            name = self.url.drivername
            raise UserError(f"There is no kind of database {name!r}. Write a path, or a URL like {_EXAMPLE}.") from None
        except ImportError as error:
            if self.url.drivername == "postgresql+psycopg":
                advice = "Install it: pip install 'decoder-anatomy[postgresql]'"
            else:
                advice = "Install it."
            raise UserError(f"The driver for {self.url.drivername} is missing ({error}). {advice}") from None
        if self._sqlite:
            event.listen(engine, "connect", _prepare_sqlite)
            event.listen(engine, "begin", _begin_sqlite)
        return engine

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing. Raises UserError for whatever the database complains of."""
        with in_sentences(self.url), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is alone in writing: it is done whole or not at all. Raises UserError as `reading`."""
        with in_sentences(self.url), self.engine.connect() as connection:
            connection = connection.execution_options(**{_WRITES: True})
            with connection.begin():
                self._wait_for_turn(connection)
                yield connection

    def _wait_for_turn(self, connection: Connection) -> None:
        """SQLite has its turns by BEGIN IMMEDIATE; elsewhere one row of `meta` is the turnstile."""
        if self.url.get_backend_name() == "postgresql":
            connection.execute(text(f"SET LOCAL lock_timeout = {max(1, int(self._patience * 1000))}"))
            connection.execute(select(text(f"pg_advisory_xact_lock({_LOCK})")))
        elif self._sqlite:
            self._still_there()
        else:
            row = select(schema.meta.c.value).where(schema.meta.c.name == schema.SCHEMA).with_for_update()
            connection.execute(row)

    def _still_there(self) -> None:
        """SQLite itself goes on writing to a file that has been removed, and all of it is lost."""
        path = Path(self.url.database or "")
        if "uri" in self.url.query:
            return
        with contextlib.suppress(FileNotFoundError):
            status = path.stat()
            self._file = self._file or (status.st_dev, status.st_ino)
            if self._file == (status.st_dev, status.st_ino):
                return
        raise GradebookAway(
            f"The gradebook {shown(self.url)} was moved or removed while it was open. Put it back, or run this again."
        )

    def open(self, create: bool) -> None:
        """Make sure that a gradebook of this version is there; make one if asked. Raises UserError."""
        if self._sqlite and not create and not _is_there(self.url):
            raise UserError(f"There is no gradebook {shown(self.url)}. `anatomy batch` makes one.")
        with self.reading() as connection:
            version = self._version(connection)
        if version is None and not create:
            raise UserError(f"There is no gradebook in {shown(self.url)} yet. `anatomy batch` makes one.")
        if self._sqlite:
            self._still_there()
        if version == schema.VERSION:
            return
        with self.writing() as connection:
            version = self._version(connection)  # another process may have been faster
            if version is None:
                self._make(connection)
            for step in range(version if version is not None else schema.VERSION, schema.VERSION):
                schema.MIGRATIONS[step](connection)
                at = schema.meta.c.name == schema.SCHEMA
                connection.execute(schema.meta.update().where(at).values(value=str(step + 1)))

    def _version(self, connection: Connection) -> int | None:
        """None where there is nothing yet. Raises UserError for a newer version, and for somebody else's tables."""
        tables = inspect(connection).get_table_names()
        if schema.meta.name not in tables:
            # A server's database may be shared; a file that somebody else's program made is not ours to write to.
            ours = {table.name for table in schema.metadata.sorted_tables}
            if ours & set(tables) or (self._sqlite and tables):
                raise UserError(self._foreign())
            return None
        columns = {column["name"] for column in inspect(connection).get_columns(schema.meta.name)}
        if not {"name", "value"} <= columns:
            raise UserError(self._foreign())
        rows = {row.name: row.value for row in connection.execute(select(schema.meta))}
        number = rows.get(schema.SCHEMA, "")
        if rows.get(schema.WHAT) != schema.GRADEBOOK or not (number.isascii() and number.isdigit()):
            raise UserError(self._foreign())
        if int(number) > schema.VERSION:
            raise UserError(
                f"The gradebook {shown(self.url)} was written by a newer version of this program (schema {number}; "
                f"this one knows {schema.VERSION}). Nothing in it was touched: update this program, and run the same "
                "again. Do not remove it: its overrides, extensions, times and policies stand nowhere else."
            )
        return int(number)

    def _foreign(self) -> str:
        return (
            f"{shown(self.url)} is no gradebook: it holds another program's tables. Nothing in it was touched: check "
            "the path or the URL."
        )

    def _make(self, connection: Connection) -> None:
        if self.url.get_backend_name() == "postgresql":
            encoding = connection.execute(text("SHOW server_encoding")).scalar_one()
            if encoding != "UTF8":
                raise UserError(
                    f"The database {shown(self.url)} is encoded in {encoding} and cannot hold every name. Make one "
                    "with `createdb --encoding UTF8 --template template0 NAME`."
                )
        schema.metadata.create_all(connection, checkfirst=False)
        rows = ((schema.WHAT, schema.GRADEBOOK), (schema.SCHEMA, str(schema.VERSION)))
        connection.execute(schema.meta.insert(), [{"name": name, "value": value} for name, value in rows])

    def close(self) -> None:
        """Give all connections back."""
        self.engine.dispose()


def _is_there(url: URL) -> bool:
    """A URL may carry SQLite's own `file:...`, which is left to SQLite."""
    return "uri" in url.query or Path(url.database or "").exists()


def _prepare_sqlite(connection: Any, record: Any) -> None:  # noqa: ARG001  SQLAlchemy's signature
    # SQLAlchemy begins transactions (below), not Python's sqlite3, which would begin them late and unasked.
    connection.isolation_level = None
    connection.execute("PRAGMA foreign_keys = ON")


def _begin_sqlite(connection: Connection) -> None:
    if not connection.get_execution_options().get(_WRITES):
        connection.exec_driver_sql("BEGIN")
        return
    # Who reads need not wait for who writes. It stays in the file; where the file system cannot do it, nothing changes,
    # and where another program is in the way (SQLite does not wait for this one), the next transaction tries again.
    with contextlib.suppress(OperationalError):
        connection.exec_driver_sql("PRAGMA journal_mode = WAL")
    connection.exec_driver_sql("BEGIN IMMEDIATE")
