"""The tables of the gradebook. Nothing in them is ever changed or removed: a correction is a line of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Connection,
    DateTime,
    Dialect,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

from grader.gradebook.assignment import LONGEST_ID
from grader.gradebook.texts import LONGEST_KEY

VERSION = 1
MIGRATIONS: Mapping[int, Callable[[Connection], None]] = {}
"""By version: what makes the next one of it."""

WHAT, SCHEMA = "what", "schema"
"""The rows of `meta`: whose tables these are, and of which version."""
GRADEBOOK = "decoder-anatomy gradebook"


class Moment(TypeDecorator[datetime]):
    """An aware time, kept in UTC also where the database knows no offsets."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Into the database. Raises ValueError for a time without an offset."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"{value} has no offset")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002  SQLAlchemy's signature
        """Out of the database."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


def _key(length: int) -> Any:
    """A text that is compared byte by byte: in the order of code points, on SQLite and on PostgreSQL."""
    return String(length).with_variant(String(length, collation="C"), "postgresql")


metadata = MetaData()

meta = Table("meta", metadata, Column("name", String(40), primary_key=True), Column("value", Text, nullable=False))

gradings = Table(
    "gradings",
    metadata,
    # Numbers are given out over both tables, so that they tell what came before what.
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("digest", String(64), nullable=False, unique=True),  # of the assignment and the key: one verdict, one row
    Column("assignment", _key(LONGEST_ID), nullable=False),
    Column("student", _key(LONGEST_KEY), nullable=False),
    Column("submission", Text, nullable=False),
    Column("suite", Text, nullable=False),
    Column("seed", Text, nullable=False),  # its hash
    Column("asked", Text, nullable=False),
    Column("parts", Text, nullable=False),  # JSON: what the suite's hash is made of
    Column("fault", Boolean, nullable=False),
    Column("earned", Integer, nullable=False),
    Column("possible", Integer, nullable=False),
    Column("graded", Moment, nullable=False),
    Column("recorded", Moment, nullable=False),
    Column("report", LargeBinary, nullable=False),  # the whole Report: JSON, compressed
    Index("gradings_of", "assignment", "student", "number"),
)

ledger = Table(
    "ledger",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(20), nullable=False),
    Column("assignment", _key(LONGEST_ID), nullable=False),
    Column("student", _key(LONGEST_KEY)),  # none: the assignment itself
    Column("at", Moment, nullable=False),
    Column("who", Text, nullable=False),
    Column("reason", Text, nullable=False),
    # assignment
    Column("definition", Text),  # JSON
    # standing: which grading counts from here on, the step-th of this student's
    Column("step", Integer),
    Column("grading", Integer, ForeignKey("gradings.number")),
    Column("handed_in", Text),  # JSON: by whom and when
    # extension
    Column("until", Moment),
    # override: of one exercise, or of all
    Column("exercise", Text),
    Column("hundredths", Integer),
    # withdrawal
    Column("withdraws", Integer, ForeignKey("ledger.number"), unique=True),
    UniqueConstraint("assignment", "student", "step", name="one_standing_a_step"),
    Index("ledger_of", "assignment", "student", "number"),
)
