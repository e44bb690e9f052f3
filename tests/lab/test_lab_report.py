"""The report: its form, what it may claim, and what it is told when it claims more."""

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from warm import WarmPython

from grader.course.load import load_course
from grader.errors import UserError
from grader.lab.experiment import EXPERIMENTS
from grader.lab.report import FIELDS, LabReport, examine, write_template
from grader.places import reference_folder
from grader.report import Report

Keep = Callable[..., Path]

GOOD = {
    "Question": "Where should the norm stand? I had 77 guesses.",
    "Baseline": "Pre-norm: 1.76 nats at 8 blocks.",
    "Changed variable": "The place of the norm, at 2 and 8 blocks.",
    "Expected effect": "Post-norm is worse by 9.99 nats.",
    "Observed effect": "Post-norm ends at 2.431 nats, 38 % (2.43 against 1.76) above pre-norm.",
    "Failure case": "At 2 blocks post-norm was not measured at all.",
    "Next experiment": "The same with 123 seeds.",
}


@pytest.fixture
def filled(keep: Keep) -> Callable[..., LabReport]:
    """Examine a report about one record, with these fields changed (underscores for spaces)."""
    record = keep()

    def examined(named: str = f"- `{record.name}`", **fields: str) -> LabReport:
        texts = GOOD | {name.replace("_", " "): text for name, text in fields.items()}
        body = "\n\n".join(f"## {name}\n<!-- an instruction: 4711 -->\n{text}" for name, text in texts.items())
        (record.parent / "report.md").write_text(f"# Lab report\n\n## Records\n{named}\n\n{body}\n", encoding="utf-8")
        return examine(record.parent)

    return examined


def only(report: LabReport) -> str:
    """The one problem of a report, as a person reads it."""
    (problem,) = report.problems
    return str(problem)


def test_a_complete_report_whose_numbers_are_on_record_is_fine(filled: Callable[..., LabReport]) -> None:
    report = filled()
    assert report.problems == ()
    assert report.fine
    assert [v.claim.text for v in report.claims if v.claim.how] == ["38 % (2.43 against 1.76)"]


@pytest.mark.parametrize(
    "claim",
    [
        "1.8274", "1.827", "1.83", "12.5 seconds", "80 steps", "an 8-block model", "25 % of them", "0.25",
        "a learning rate of 3e-3", "1.4 times (2.43 against 1.76)", "1.38x (2.4312 against 1.7649)",
        "0.67 (2.43 minus 1.76)", "27 % (1.76 against 2.43) lower", "GPT-2 in float32 on v1.2.3", "from 1.83-2.43 nats",
        "(1.83)", "**1.83**", "see `20260301-120000-depth-seed1.png`",
    ],
)  # fmt: skip
def test_these_claims_stand(claim: str, filled: Callable[..., LabReport]) -> None:
    assert filled(Observed_effect=f"It was 2.43 nats, and then {claim}.").problems == ()


@pytest.mark.parametrize(
    ("claim", "number"),
    [
        ("1.84", "1.84"), ("1.8", "1.8"), ("1.8275", "1.8275"), ("2 nats more, 3 in all", "3"), ("26 %", "26 %"),
        ("-1.83", "-1.83"),
        ("\u22121.83", "-1.83"), ("1,83", "83"), ("80.1 steps", "80.1"), ("1e9", "1e9"),
        ("\u0661\u0662\u0663", "\u0661\u0662\u0663"), ("\u215e", "7"),
        ("0.5", "0.5"), ("<!-- no -->7.77", "7.77"), ("[1.83](9.25.png)", "9.25"),
    ],
)  # fmt: skip
def test_an_invented_number_is_named(claim: str, number: str, filled: Callable[..., LabReport]) -> None:
    problems = filled(Observed_effect=f"It was 2.43 nats, and then {claim}").problems
    assert [str(p).split(": ")[1].split(" stands")[0] for p in problems][-1] == number


def test_the_refusal_names_the_line_the_number_and_the_nearest_recorded_value(
    filled: Callable[..., LabReport],
) -> None:
    report = filled(Observed_effect="Post-norm ends\n\nat 2.44 nats.")
    lines = report.path.read_text(encoding="utf-8").splitlines()
    line = lines.index("at 2.44 nats.") + 1
    assert only(report) == (
        f"line {line}: 2.44 stands in no record that is named. "
        f"Nearest is 2.4312 (measured.summary[2].loss, {report.records[0]})."
    )


def test_a_number_of_two_digits_must_be_recorded_exactly_and_the_refusal_says_so(
    filled: Callable[..., LabReport],
) -> None:
    assert only(filled(Observed_effect="It was 1.8 nats, after 80 steps.")).endswith(
        "Nearest is 1.8274 (measured.summary[0].loss, 20260301-120000-depth-seed1.json). "
        "Write 3 digits or more: fewer would fit nearly anything."
    )


@pytest.mark.parametrize(
    ("claim", "says"),
    [
        ("39 % (2.43 against 1.76)", "39 % (2.43 against 1.76): that does not follow from 2.43 against 1.76."),
        ("1.5 times (2.43 against 1.76)", "that does not follow"),
        ("0.68 (2.43 minus 1.76)", "that does not follow"),
        ("2.25 times (2.43 against 1.08)", "1.08 stands in no record that is named. Nearest is 1.7649"),
    ],
)
def test_a_derived_number_must_follow_from_two_recorded_ones(
    claim: str, says: str, filled: Callable[..., LabReport]
) -> None:
    assert says in only(filled(Observed_effect=f"It was {claim}."))


@pytest.mark.parametrize("field", [field.name for field in FIELDS])
def test_every_field_must_be_filled_in(field: str, filled: Callable[..., LabReport]) -> None:
    report = filled(**{field.replace(" ", "_"): "<!-- only this -->"})
    assert f"{field} is not filled in." in only(report)


def test_a_missing_heading_is_named(filled: Callable[..., LabReport]) -> None:
    report = filled()
    text = report.path.read_text(encoding="utf-8").replace("## Failure case", "")
    report.path.write_text(text, encoding="utf-8")
    assert "The heading `## Failure case` is missing." in only(examine(report.path.parent))


def test_the_observed_effect_must_hold_a_number(filled: Callable[..., LabReport]) -> None:
    assert "claims no number" in only(filled(Observed_effect="Post-norm is clearly worse."))


def test_numbers_under_a_heading_of_ones_own_are_checked_too(filled: Callable[..., LabReport]) -> None:
    assert "6.66 stands in no record" in only(filled(Next_experiment="More of it, please.\n\n## Remarks\n6.66 nats"))


def test_only_records_that_are_named_count(filled: Callable[..., LabReport], keep: Keep) -> None:
    other = keep(EXPERIMENTS[1], measured={"summary": [{"loss": 5.4321}]})
    says = only(filled(Observed_effect="It was 5.432 nats."))
    assert f"5.432 stands in no record that is named. It stands in {other.name}: name that" in says
    assert filled(f"- {other.name}\n- {keep().name}", Observed_effect="It was 5.432 nats.").fine


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda text: text.replace("1.8274", "0.8274"), "was changed after it was written"),
        (lambda text: text[:100], "it is not JSON"),
        (lambda _: "{}", "is no record of the lab"),
        (lambda text: text.replace('"version": 1', '"version": 2', 1), "has version 2"),
        (lambda text: text.replace('"measured"', '"mesured"'), "measured is missing or wrong"),
    ],
)
def test_a_damaged_record_is_one_clear_sentence(
    damage: Callable[[str], str], says: str, keep: Keep, filled: Callable[..., LabReport]
) -> None:
    report = filled(Observed_effect="It was 2.43 nats.")
    record = report.path.parent / report.records[0]
    record.write_text(damage(record.read_text(encoding="utf-8")), encoding="utf-8")
    first = next(str(problem) for problem in examine(record.parent).problems if not problem.line)
    assert first.startswith(record.name)
    assert says in first


def test_a_record_that_is_named_and_not_there_is_said(filled: Callable[..., LabReport]) -> None:
    says = [str(p) for p in filled("20200101-000000-depth-seed1.json").problems]
    assert says[0] == "20200101-000000-depth-seed1.json cannot be read (No such file or directory)."


def test_a_report_must_name_a_record(filled: Callable[..., LabReport]) -> None:
    assert "No record is named under `## Records`." in str(filled("none").problems[0])


def test_the_form_names_the_newest_record_of_each_experiment_and_is_not_complete(keep: Keep) -> None:
    keep()
    newest, other = keep(), keep(EXPERIMENTS[2])
    path = write_template(newest.parent)
    report = examine(newest.parent)
    assert set(report.records) == {newest.name, other.name}
    assert [p.message.split(" is not")[0] for p in report.problems] == [field.name for field in FIELDS]
    assert path.read_text(encoding="utf-8").count("<!--") == len(FIELDS) + 2


def test_without_a_record_there_is_nothing_to_report(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"There is no record in .*Run an experiment first"):
        write_template(tmp_path / "lab")


def test_without_a_report_nothing_is_said(tmp_path: Path) -> None:
    assert examine(tmp_path) == LabReport(tmp_path / "report.md", present=False)


def test_a_report_in_another_encoding_is_said(tmp_path: Path) -> None:
    (tmp_path / "report.md").write_bytes(b"\xff\xfe# Lab")
    assert only(examine(tmp_path)) == "report.md is not UTF-8. Save it as UTF-8."


@pytest.fixture
def graded(tmp_path: Path, warm_python: WarmPython) -> Callable[..., tuple[int, str]]:
    """`anatomy grade lab` in a workspace whose lab functions are right and which holds this report."""

    def graded(report: LabReport, style: str = "text") -> tuple[int, str]:
        workspace = tmp_path / "ws"
        (workspace / "student").mkdir(parents=True)
        for lesson in load_course().lessons:
            text = (reference_folder() / f"{lesson.slug}.py").read_text("utf-8")
            (workspace / "student" / f"{lesson.slug}.py").write_text(text, "utf-8")
        shutil.copytree(report.path.parent, workspace / "lab")
        words = ["grade", "lab.kv_cache_bytes", "--student", str(workspace), "--format", style]
        done = warm_python.run("-m", "grader.cli", *words, lend=True)
        return done.returncode, done.stdout

    return graded


def test_grading_the_lab_says_that_a_report_is_complete_and_gives_no_points_for_it(filled, graded):
    code, printed = graded(filled())
    assert code == 0
    assert re.search(r"report\.md: complete; all \d+ numbers stand in its records\.", printed)
    assert "not ready" not in printed


def test_grading_the_lab_names_a_number_that_stands_in_no_record(filled, graded):
    report = filled(Observed_effect="Post-norm ends at 1.234 nats.")
    code, printed = graded(report, "json")
    assert code == 1
    document = json.loads(printed)
    assert document["earned"] == document["possible"]
    assert "1.234" in document["lab_report"]["problems"][0]
    assert Report.from_dict(document).lab_report.problems == tuple(document["lab_report"]["problems"])


def test_the_two_numbers_may_stand_behind_the_unit(filled):
    assert filled(Observed_effect="Post-norm is 0.67 nats worse (2.43 minus 1.76), 38 % more (2.43 against 1.76).").fine
    assert not filled(Observed_effect="Post-norm is 0.77 nats worse (2.43 minus 1.76).").fine


def test_a_percentage_is_no_hundredfold_of_a_loss(filled):
    assert not filled(Observed_effect="Post-norm is 243.1 % of something.").fine
