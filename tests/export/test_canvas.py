"""Files for Canvas, read back by Canvas's rules."""

import csv
import io

import pytest
from export.importers import CanvasCourse, CanvasUser, import_canvas
from export.made import HOSTILE, by_hand, fault, standing

from grader.errors import UserError
from grader.export.canvas import canvas_csv, fill_canvas

HEADER = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
USERS = [CanvasUser(100 + place, name, f"sis{place}", f"login{place}") for place, name in enumerate(HOSTILE[:13])]


def course(points: str = "20", grades=()) -> CanvasCourse:
    return CanvasCourse(USERS, {7: ("Norms", points), 8: ("Attention (2)", "10")}, dict(grades))


def exported(made: CanvasCourse, bom: bool = False, delimiter: str = ",", users=USERS) -> bytes:
    """What Canvas gives out for it."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator="\r\n")
    ids = list(made.assignments)
    writer.writerow([*HEADER, *(f"{made.assignments[id_][0]} ({id_})" for id_ in ids), "Final Score"])
    writer.writerow(["", "", "", "", "", "Manual Posting", "", ""])
    writer.writerow(["    Points Possible", "", "", "", "", *(made.assignments[id_][1] for id_ in ids), "(read only)"])
    for user in users:
        cells = [made.grades.get((user.id, id_), "") for id_ in ids]
        writer.writerow([user.name, user.id, user.sis, user.login, "Section, A", *cells, "77"])
    writer.writerow(["Student, Test", "999", "", "hash", "Section, A", "", "", ""])
    return (b"\xef\xbb\xbf" if bom else b"") + buffer.getvalue().encode("utf-8")


def test_every_grade_arrives_at_its_student_and_nothing_else_changes():
    made = course()
    standings = [standing(str(user.id), user.name, (10, place % 11)) for place, user in enumerate(USERS)]
    filled = fill_canvas(standings, exported(made), "7")
    done = import_canvas(filled.content, made)
    assert done.changes == {(user.id, 7): str(10 + place % 11) for place, user in enumerate(USERS)}
    assert (done.points_possible, done.new_assignments, done.new_students) == ({}, [], ["Student, Test"])


def test_rows_and_identity_stay_as_they_were_found():
    template = exported(course(), bom=True, delimiter=";")
    content = fill_canvas([standing("100")], template, "Norms").content
    assert content.startswith(b"\xef\xbb\xbf")
    assert content.count(b"\r\n") == template.count(b"\r\n")

    def rows(of: bytes) -> list[list[str]]:
        return list(csv.reader(io.StringIO(of.decode("utf-8-sig"), newline=""), delimiter=";"))

    assert [row[:5] for row in rows(content)] == [row[:5] for row in rows(template)]
    assert rows(content)[0][5:] == ["Norms (7)"]


def test_who_is_missing_on_either_side_is_named_and_keeps_the_grade_that_was_there():
    made = course(grades={(101, 7): "3", (102, 7): "EX"})
    filled = fill_canvas([standing("102"), standing("555"), fault("103")], exported(made), "7")
    assert import_canvas(filled.content, made).changes == {}
    notes = "\n".join(filled.notes)
    assert "not in the Canvas file: 555" in notes
    assert "not graded, so left as they were: Ada Lovelace; José Núñez, the 2nd;" in notes
    assert 'Excused in Canvas, so left as they were: Robert "Bobby" Tables' in notes
    assert "No grade, since a fault of the grader's own or a damaged record is in the way: 103" in notes


def test_points_set_by_hand_count_in_place_of_a_fault():
    made = course()
    filled = fill_canvas([by_hand(fault("100"), "17.5")], exported(made), "7")
    assert import_canvas(filled.content, made).changes == {(100, 7): "17.5"}


def test_points_are_scaled_to_those_that_canvas_knows_and_it_is_said_how():
    made = course("100")
    filled = fill_canvas([standing("100", earned=(10, 3))], exported(made), "7")
    assert import_canvas(filled.content, made).changes == {(100, 7): "65"}
    assert any("x 100 / 20" in note for note in filled.notes)


def test_students_may_be_known_by_their_login():
    made = course()
    filled = fill_canvas([standing("login0"), standing("login1", earned=(0, 0))], exported(made), "7")
    assert import_canvas(filled.content, made).changes == {(100, 7): "14", (101, 7): "0"}
    assert "Students were found by SIS Login ID, since that column has their ids." in filled.notes


def test_the_assignment_is_found_by_id_by_title_and_by_both():
    for column in ("8", "Attention (2)", "Attention (2) (8)"):
        content = fill_canvas([standing("100")], exported(course()), column).content.decode()
        assert content.splitlines()[0] == ",".join([*HEADER, "Attention (2) (8)"])


def test_of_several_the_one_that_is_called_as_ours_is_taken_and_it_is_said():
    filled = fill_canvas([standing("100")], exported(course()), title="Attention (2)")
    assert filled.content.decode().splitlines()[0] == ",".join([*HEADER, "Attention (2) (8)"])
    assert "Filled in is 'Attention (2) (8)', called as the assignment is." in filled.notes
    with pytest.raises(UserError, match="more than one assignment"):
        fill_canvas([standing("100")], exported(course()), title="Rotary")


@pytest.mark.parametrize(
    ("template", "column", "says"),
    [
        (exported(course()), None, "more than one assignment"),
        (exported(course()), "Rotary", "has no assignment 'Rotary'. It has: Norms (7), Attention (2) (8)"),
        (exported(course("(read only)")), "7", "are read only in Canvas"),
        (exported(course("")), "7", "Give it points in Canvas first"),
        (b"a,b\n1,2\n", None, "no columns ID and Section"),
        (b"PK\x03\x04", None, "is a spreadsheet or an archive, not CSV"),
        ("Student,ID,Section\nZoë,1,A\n".encode("latin-1"), None, "is not UTF-8: line 2 has the byte 0xeb"),
        (b"", None, "has no table in it"),
        (b'Student,ID,Section\n"open,1,A\n', None, "cannot be read as CSV"),
        (b"Student,ID,Section\na,1,A,B\n", None, "a row of 4 cells under a header of 3"),
        (b"Student,ID,Section,Norms (7)\na,1,A,\n", None, "has no row 'Points Possible'"),
    ],
)
def test_a_template_that_cannot_be_filled_is_one_sentence(template, column, says):
    with pytest.raises(UserError) as caught:
        fill_canvas([standing("100")], template, column)
    assert says in str(caught.value)


def test_without_a_template_only_canvas_own_ids_stand_as_such():
    """Canvas reads `100a` as 100: that would be somebody else's grade."""
    made = course()
    standings = [standing("101", "Zoë"), standing("100a", "Ann"), standing("0100", "Ben"), fault("102")]
    filled = canvas_csv(standings, "Norms (7)")
    done = import_canvas(filled.content, made)
    assert done.changes == {(101, 7): "14"}
    assert done.new_students == ["Ann (100a)", "Ben (0100)"]
    assert any("100a, 0100" in note for note in filled.notes)


def test_without_a_template_nobody_is_taken_for_a_namesake():
    namesake = CanvasCourse([CanvasUser(1, "Ada")], {7: ("Norms", "20")})
    done = import_canvas(canvas_csv([standing("999", "Ada"), standing("ada", "Ada")], "Norms (7)").content, namesake)
    assert done.changes == {}


def test_without_a_template_a_title_that_canvas_does_not_know_is_a_new_assignment_and_that_is_said():
    filled = canvas_csv([standing("101")], "Rotary")
    assert import_canvas(filled.content, course()).new_assignments == ["Rotary"]
    assert "would become a new assignment" in filled.notes[0]


def test_hostile_names_stay_in_their_cells():
    made = CanvasCourse([CanvasUser(place, "somebody") for place in range(1, 19)], {7: ("Norms", "20")})
    standings = [standing(str(place), name) for place, name in enumerate(HOSTILE, start=1)]
    for safe in (False, True):
        done = import_canvas(canvas_csv(standings, "Norms (7)", safe_cells=safe).content, made)
        assert done.changes == {(place, 7): "14" for place in range(1, 19)}
