"""What tests ask of a collection of submissions."""

from grader.batch.handed_in import Collection

SOURCE = b"def double(x):\n    return x + x\n"


def by_id(collection: Collection) -> dict[str, bytes]:
    """What each student's first lesson is."""
    return {each.students[0].id: each.read().modules["first"] for each in collection.submissions}


def problems(collection: Collection) -> dict[str, str]:
    """What is wrong with each submission, by its first student."""
    return {each.students[0].id: each.read().problem for each in collection.submissions}


def refusals(collection: Collection) -> list[str]:
    """What nobody's grade comes from."""
    return [str(each) for each in collection.refused]
