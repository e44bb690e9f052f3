"""Which assignment a run is for, as the gradebook has it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

from grader.batch.order import Order
from grader.course.model import Course
from grader.errors import UserError
from grader.gradebook.assignment import Assignment, load_assignment, unnamed
from grader.gradebook.book import Gradebook

_READ = 1_000_000


def lessons_of(order: Order, course: Course) -> tuple[str, ...]:
    """The lessons that an order is about, as far as that can be told without the gradebook. Raises UserError."""
    if order.assignment and not order.stored:
        return load_assignment(Path(order.assignment), course).lessons
    return order.lessons


def settled(order: Order, book: Gradebook, course: Course) -> tuple[Assignment, Order]:
    """The assignment, and the order that names it. Raises UserError.

    The gradebook's word counts: a due time that was changed there stays as it is. Only a file that it has not taken in
    yet, or that has been edited since, changes what it knows.
    """
    known = {assignment.id: assignment for assignment in book.assignments()}
    if not order.assignment:
        made = unnamed(order.lessons, course)
        if made.id not in known:
            book.put(made)
        return book.assignment(made.id), replace(order, assignment_id=made.id)
    path = Path(order.assignment)
    try:
        with path.open("rb") as file:
            digest = hashlib.sha256(file.read(_READ)).hexdigest()
    except OSError as error:
        if order.assignment_id in known:  # the file was moved; what it said is known
            return known[order.assignment_id], order
        raise UserError(f"The assignment {path} cannot be read: {error.strerror or error}.") from None
    if digest != order.stored or order.assignment_id not in known:
        made = load_assignment(path, course)
        book.put(made)
        order = replace(order, assignment_id=made.id, stored=digest, lessons=made.lessons)
    return book.assignment(order.assignment_id), order
