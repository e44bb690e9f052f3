"""Worksheets for Moodle, read back by Moodle's rules."""

import csv
import io
from dataclasses import replace
from decimal import Decimal

import pytest
from export.importers import Aborted, MoodleAssignment, import_moodle
from export.made import HOSTILE, by_hand, fault, late, report, standing

from grader.errors import UserError
from grader.export.comment import MARKER
from grader.export.moodle import HEADER, fill_moodle, moodle_csv

GERMAN = [
    "ID", "Vollständiger Name", "E-Mail-Adresse", "Status", "Bewertung", "Bestwertung",
    "Bewertung kann geändert werden",
    "Zuletzt geändert (Abgabe)", "Zuletzt geändert (Bewertung)", "Feedback als Kommentar",
]  # fmt: skip
FINNISH = ["Tunniste", "Koko nimi", "Sähköposti", "Tila", "Arviointi", "Enimmäisarviointi", "Muokattu", "Kommentit"]


def worksheet(numbers, header=HEADER, *, word="Participant", maximum="100.00", grade="-", changeable="Yes", comment="",
              delimiter=",", end="\r\n", bom=True) -> bytes:  # fmt: skip
    """What Moodle gives out."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=delimiter, lineterminator=end)
    writer.writerow(header)
    for place, number in enumerate(numbers):
        name = HOSTILE[place % 13]
        writer.writerow(
            [
                f"{word} {number}",
                name,
                "a@example.org",
                "Submitted",
                grade,
                maximum,
                changeable,
                "1 March",
                "-",
                comment,
            ]
        )
    return (b"\xef\xbb\xbf" if bom else b"") + buffer.getvalue().encode("utf-8")


def rows(content: bytes, delimiter: str = ",") -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""), delimiter=delimiter))


def test_every_grade_arrives_scaled_and_it_is_said_how():
    standings = [standing(str(500 + place), "same name", (10, place)) for place in range(10)]
    template = worksheet(range(500, 510))
    filled = fill_moodle(standings, template)
    done = import_moodle(filled.content, MoodleAssignment(set(range(500, 510))))
    assert done.grades == {500 + place: Decimal(10 + place) * 5 for place in range(10)}
    assert any("the maximum grade in Moodle is 100" in note and "x 100 / 20" in note for note in filled.notes)
    assert done.comments[504].startswith(f"{MARKER}14 of 20 points.<br />")


def test_mark_line_ends_and_all_other_cells_stay_as_they_were_found():
    for bom, end, delimiter in ((True, "\r\n", ","), (False, "\n", ";"), (True, "\n", "\t")):
        template = worksheet([1, 2, 3], bom=bom, end=end, delimiter=delimiter)
        content = fill_moodle([standing("2")], template).content
        assert content.startswith(b"\xef\xbb\xbf") is bom
        assert (b"\r\n" in content) is (end == "\r\n")
        before, after = rows(template, delimiter), rows(content, delimiter)
        changed = [
            (line, place)
            for line, row in enumerate(before)
            for place, cell in enumerate(row)
            if cell != after[line][place]
        ]
        assert changed == [(2, 4), (2, 9)]


def test_who_is_missing_on_either_side_is_named_and_left_alone():
    strangers = [standing(id_) for id_ in ("77", "no number", "team 2", "002")]
    filled = fill_moodle([standing("1"), *strangers], worksheet([1, 2], grade="55"))
    assert import_moodle(filled.content, MoodleAssignment({1, 2})).grades == {1: 70, 2: 55}
    assert "Graded, but not in the worksheet: 77, no number, team 2, 002." in filled.notes
    assert "In the worksheet, but not graded, so left as they were: 2 José Núñez, the 2nd." in filled.notes


def test_a_fault_is_no_grade_and_points_by_hand_are_one():
    filled = fill_moodle([fault("1"), by_hand(fault("2"), "15", by="<b>We</b>")], worksheet([1, 2]))
    done = import_moodle(filled.content, MoodleAssignment({1, 2}))
    assert done.grades == {2: 75}
    assert "the grader itself failed" in done.comments[1]
    assert "set by hand by &lt;b&gt;We&lt;/b&gt;: 15." in done.comments[2]


def test_a_locked_row_is_left_alone_and_named():
    filled = fill_moodle([standing("1")], worksheet([1], changeable="No"))
    assert rows(filled.content) == rows(worksheet([1], changeable="No"))
    assert "Locked in Moodle, so left as they were: 1 Ada Lovelace." in filled.notes


def test_points_beyond_the_maximum_would_abort_the_import_so_they_are_cut_off_and_named():
    filled = fill_moodle([by_hand(standing("1"), "25")], worksheet([1]))
    assert import_moodle(filled.content, MoodleAssignment({1})).grades == {1: 100}
    assert "Points below 0 or above what is possible, cut off there: 1." in filled.notes


def test_a_comment_that_a_person_wrote_stays_and_one_of_ours_is_replaced():
    once = fill_moodle([standing("1", earned=(0, 0))], worksheet([1], comment="See me, please."))
    twice = fill_moodle([standing("1")], once.content)
    comment = import_moodle(twice.content, MoodleAssignment({1})).comments[1]
    assert comment.startswith(f"See me, please.<br />{MARKER}14 of 20")
    assert comment.count(MARKER) == 1


def test_a_comment_is_one_line_of_html_in_which_nothing_is_alive():
    for name in HOSTILE:
        one = late(standing("1", name, report=report((0, 0), hostile=f"<img src=x onerror=alert(1)>{name}")), 60, "0.1")
        comment = import_moodle(fill_moodle([one], worksheet([1])).content, MoodleAssignment({1})).comments[1]
        assert "\n" not in comment
        assert "<" not in comment.replace("<br />", "")


def test_a_comment_names_what_is_wrong_and_not_more_than_a_person_reads():
    wrong = report((0, 0)).exercises[1]
    long = replace(report(), exercises=tuple(replace(wrong, id=f"lesson.function_{each}") for each in range(60)))
    filled = fill_moodle([standing("1", earned=(10, 0)), standing("2", report=long)], worksheet([1, 2]))
    comments = import_moodle(filled.content, MoodleAssignment({1, 2})).comments
    assert comments[1].split("<br />") == [
        f"{MARKER}10 of 20 points.",
        "1 of 2 exercises passed.",
        "normalization.rms_norm: 0 of 10, failed: The gain is missing.",
    ]
    assert comments[2].endswith("<br />And 48 more.")


def test_another_language_with_a_decimal_comma():
    german = MoodleAssignment(
        {1, 2},
        titles={"identifier": GERMAN[0], "grade": GERMAN[4], "modified": GERMAN[8], "feedback": GERMAN[9]},
        word="Teilnehmer/in ",
        decimal=",",
    )
    template = worksheet([1, 2], GERMAN, word="Teilnehmer/in", maximum="15,00", changeable="Ja", delimiter=";")
    filled = fill_moodle([standing("1", earned=(10, 3)), standing("Participant 2")], template)
    assert import_moodle(filled.content, german).grades == {1: Decimal("9.75"), 2: Decimal("10.5")}
    assert rows(filled.content, ";")[1][4] == "9,75"
    assert not any("language" in note for note in filled.notes)


def test_a_language_that_is_not_known_is_told_by_the_columns_contents_and_that_is_said():
    buffer = io.StringIO(newline="")
    csv.writer(buffer).writerows(
        [
            FINNISH,
            ["Osallistuja 1", "A 2", "a@b", "", "-", "50", "-", ""],
            ["Osallistuja 2", "B", "", "", "", "50", "-", ""],
        ]
    )
    filled = fill_moodle([standing("1"), standing("2")], buffer.getvalue().encode())
    assert [row[4] for row in rows(filled.content)[1:]] == ["35", "35"]
    assert any("grades went to 'Arviointi'" in note and "comments to 'Kommentit'" in note for note in filled.notes)


@pytest.mark.parametrize(
    ("template", "says"),
    [
        (worksheet([1], maximum="Excellent"), "gives 'Excellent' as the maximum grade in row 2"),
        (worksheet([1], maximum="0"), "no number above 0"),
        (worksheet([1, 1]), "has participant 1 twice"),
        (worksheet([1, 2, 3]) + b"Somebody,,,,,100,,,,\r\n", "has 'Somebody' in row 5"),
        (b"Name,Mark\nA,1\n", "no columns Identifier, Grade and Maximum grade"),
        (b"\xff\xfeI\0", "is UTF-16, not CSV"),
    ],
)
def test_a_worksheet_that_would_spoil_an_import_is_refused_in_one_sentence(template, says):
    with pytest.raises(UserError) as caught:
        fill_moodle([standing("1")], template)
    assert says in str(caught.value)


def test_two_students_of_one_number_are_refused():
    with pytest.raises(UserError, match="are participant 1 of Moodle: 1, Participant 1"):
        fill_moodle([standing("1"), standing("Participant 1")], worksheet([1]))


def test_a_worksheet_made_from_ids_imports():
    standings = [standing(str(place), name) for place, name in enumerate(HOSTILE, start=1)]
    for safe in (False, True):
        filled = moodle_csv([*standings, fault("88"), standing("stranger")], safe_cells=safe)
        done = import_moodle(filled.content, MoodleAssignment({*range(1, 19), 88}, Decimal(20)))
        assert done.grades == dict.fromkeys(range(1, 19), Decimal(14))
    assert any("hold no participant's number of Moodle's: stranger" in note for note in filled.notes)


def test_the_checker_itself_aborts_on_one_bad_user_or_number():
    good = worksheet([1], grade="50")
    assert import_moodle(good, MoodleAssignment({1})).grades == {1: 50}
    for bad in (
        good.replace(b",50,", b",fifty,"),
        good.replace(b",50,", b",101,"),
        good.replace(b"Participant 1", b"Participant 2"),
    ):
        with pytest.raises(Aborted):
            import_moodle(bad, MoodleAssignment({1}))
