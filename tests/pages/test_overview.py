"""The page on a class."""

import re
from dataclasses import replace
from decimal import Decimal
from urllib.parse import unquote

import pytest
from made_pages import RMS, failed, overview_of, taken

from grader.analysis.cohort import Cohort
from grader.batch.handed_in import UNREADABLE, Refused, Student
from grader.render.overview import overview
from grader.render.page import percent, points
from grader.report import ExerciseResult, Report

NAMED = failed("eps stands outside.")
FINE = ExerciseResult(RMS, "passed", 4, 4)
OTHER = ExerciseResult("normalization.layer_norm", "passed", 6, 6)


def report(*results: ExerciseResult, **more) -> Report:
    return Report("s", 1, (), results, **more)


def cohort(*students: tuple[str, Report]) -> Cohort:
    made = Cohort()
    for file, each in students:
        made.add(file, each, Decimal(each.earned))
    return made


def read(made: Cohort, *refused: Refused) -> str:
    return " ".join(taken(overview(made.summary(), None, "Week 2", refused)).text.split())


CLASS = cohort(("ada", report(FINE, OTHER)), ("bob", report(NAMED, OTHER)), ("eve", report(NAMED, OTHER)))


def test_it_says_how_many_and_where_the_middle_lies():
    assert "Week 2 3 students: half of them have 8 of 10 points or more." in read(CLASS)


def test_the_distribution_is_a_table_with_a_bar_beside_each_number():
    page = overview(CLASS.summary(), None, "Week 2")
    rows = re.findall(r'<tr><th scope="row" class="number">(.*?)</th><td class="number">(\d+)</td>', page)
    assert rows[-3:] == [("7 to under 8", "0"), ("8 to under 9", "2"), ("9 to 10", "1")]
    assert page.count('<rect class="fill" width="50.0"') == 1


def test_an_exercise_has_its_success_its_mean_and_how_it_ended():
    crashed = failed(status="crashed", earned=0, misconception=None)
    text = read(cohort(("ada", report(FINE, OTHER)), ("bob", report(crashed, OTHER))))
    assert "rms_norm 1 crashed 1 of 2 50 % 50 %" in text
    assert "No discrimination is shown: it takes 30 students who tried" in text


def test_a_mistake_has_its_number_its_sentence_and_who_made_it():
    assert f"{RMS}.eps-outside-root eps stands outside. bob eve 2 of 3 who tried" in read(CLASS)


def test_whoever_crashed_is_named_and_so_are_the_slowest():
    text = read(cohort(("ada", report(failed(status="timeout")))))
    assert "1 submission in which something crashed, ran out of time or ran out of memory" in text
    assert f"ada {RMS} ran out of time" in text
    assert "ada 0.20" in text


def test_students_are_named_where_the_names_are_known():
    made = Cohort()
    made.add("ada-1", report(failed(status="timeout")), Decimal(0), Student("4703", "Ada Lovelace"))
    made.add("bob", report(NAMED), Decimal(0), Student("bob", "bob"))
    made.add("eve", report(NAMED), Decimal(0))
    text = read(made)
    assert "who tried" in text
    assert "eps stands outside the root. Ada Lovelace (4703) bob eve" in text
    assert f"Ada Lovelace (4703) {RMS} ran out of time" in text
    assert 'href="feedback/ada-1.html"' in overview(made.summary(), None, "x")


def test_what_was_refused_unreadable_or_at_fault_is_told_at_the_head_and_named():
    broken = report(failed(status="error"), problems=(f"The {UNREADABLE}: it is no zip.",))
    fault = report(failed("The grader failed.", status="grader_fault"))
    text = read(cohort(("ada", broken), ("bob", fault)), Refused("photo.jpg", "it is a picture"))
    for part in (
        "1 file was refused", "1 submission could not be read", "1 submission met a fault of the grader",
        "photo.jpg : it is a picture", "ada: it is no zip.", "bob: The grader failed.",
    ):  # fmt: skip
        assert part in text.replace("photo.jpg:", "photo.jpg :")


def test_without_anybody_it_is_still_a_page():
    text = read(Cohort(), Refused("holiday", "nothing but pictures"))
    assert "0 students." in text
    assert "holiday" in text


@pytest.mark.parametrize(
    "name", ["Zoë Ångström", "a\"b'c", "a/b", "#x?y=%20", "<b>", "javascript:alert(1)", "..", "\udce9", "=1+2"]
)
def test_a_link_leads_to_the_file_of_that_name(name):
    page = taken(overview(cohort((name, report(NAMED))).summary(), None, "x"))
    links = [address for address in page.of("href") if not address.startswith("#")]
    assert links
    for link in links:
        assert link.count("/") == 1
        folder, file = link.split("/")
        assert (folder, unquote(file, errors="surrogatepass")) == ("feedback", f"{name}.html")


def test_quizzes_are_shown_when_logs_came():
    text = " ".join(taken(overview_of("words")).text.split())
    for part in (
        "2 learners, each counted once",
        "words (choice) nobody picked words 10 of 40 25 %",
        "0.50",
        "1 log was damaged",
    ):
        assert part in text
    assert "Quiz logs" not in read(CLASS)


def test_shares_that_are_not_all_are_never_called_all():
    assert [percent(share) for share in (0, 0.001, 0.5, 0.999, 1, None)] == [
        "0 %", "under 1 %", "50 %", "over 99 %", "100 %", "none",
    ]  # fmt: skip


def test_points_are_written_as_people_write_them():
    assert [points(Decimal(text)) for text in ("12.00", "0.5", "-3.333", "1E+2", "0", "-0.001")] == [
        "12", "0.5", "\N{MINUS SIGN}3.33", "100", "0", "0",
    ]  # fmt: skip


def test_a_long_list_of_mistakes_is_cut_and_says_so():
    many = Cohort()
    for number in range(60):
        many.add(f"s{number}", report(replace(NAMED, misconception=f"{RMS}.m{number}")), Decimal(1))
    assert "The first 40 of 60." in read(many)
