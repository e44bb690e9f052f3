"""Reports and standings in which one text stands wherever somebody outside has a hand in, and a page taken apart."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from decimal import Decimal
from html.parser import HTMLParser

from grader.analysis.cohort import Cohort
from grader.analysis.discrimination import Discrimination
from grader.analysis.quizzes import DamagedLog, ItemSummary, Picked, QuizSummary, Returning
from grader.batch.handed_in import UNREADABLE, Refused, Student
from grader.gradebook.standing import Lateness, Override, Standing
from grader.render.overview import overview
from grader.report import ExerciseResult, Report, TestResult, WrittenReport

NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
RMS = "normalization.rms_norm"
SECTION = "lessons/normalization/lesson.md#rms-norm"


def a_test(status: str, text: str = "", seconds: float = 0.1) -> TestResult:
    """A test of two points."""
    return TestResult("small_rows", status, 2 * (status == "passed"), 2, text, seconds)


def failed(text: str = "eps stands outside the root.", **more) -> ExerciseResult:
    """An exercise of which one test of two fails."""
    fields = {
        "id": RMS, "status": "partial", "earned": 2, "possible": 4, "message": text, "section": SECTION,
        "tests": (a_test("passed"), a_test("failed", text)), "misconception": f"{RMS}.eps-outside-root",
    }  # fmt: skip
    return ExerciseResult(**{**fields, **more})


def report_of(text: str) -> Report:
    """A report in which every text of the submission's is this one."""
    sided = f"with\n  x = {text}\nyours: {text}\nexpected: [1.0]\nfirst difference at {text}"
    results = (
        failed(text, evidence=text, notes=(text,), output=text),
        failed(text, id="normalization.layer_norm", evidence=sided, output=text),
        failed(f"{text}: a file", id="normalization.standardize", status="error", tests=()),
        failed(text, id="attention.attention_scores", status="crashed"),
        failed(text, id="attention.attention", status="inherited", inherits=RMS),
        failed(text, id="attention.causal_mask", status="grader_fault"),
        failed("", id="heads.split_heads", status="passed", tests=()),
        failed("", id="heads.merge_heads", status="not_started", tests=()),
        failed(text, id=f"heads.{text}", status=text),
    )
    lab = WrittenReport(f"lab/{text}", 3, (), (text,))
    return Report(text, 987654, ("process-split",), results, (f"{text}: a file",), "strong", lab, held_out=True)


def standing_of(text: str) -> Standing:
    """A standing in which every text is this one."""
    overrides = (
        Override(RMS, Decimal(3), text, text, NOON),
        Override(f"heads.{text}", Decimal(3), text, text, NOON),
    )
    late = Lateness(90000, Decimal("0.1"), f"Late: {text}")
    return Standing(Student(f"id {text}", text, text), report_of(text), Decimal("13.5"), NOON, late, overrides)


def overview_of(text: str) -> str:
    """An overview in which every text is this one."""
    cohort = Cohort()
    for number in range(2):
        cohort.add(f"{text}{number}", replace(report_of(text), problems=()), Decimal(number))
    refused = (f"The {UNREADABLE}: {text}",)
    cohort.add(text, replace(report_of(text), problems=refused), Decimal(0))
    item = ItemSummary(
        text, text, "choice", 40, 10, 0.25, Discrimination(0.5, "", 40), (Picked(text, text, False, 0),), 0
    )
    quizzes = QuizSummary(
        2, (item,), (Returning(RMS, text, 3),), 0, (DamagedLog(text, text, whole=False),), ((text, text),)
    )  # fmt: skip
    return overview(cohort.summary(), quizzes, text, [Refused(text, text)])


_INLINE = ("a", "bdi", "code", "strong", "time", "wbr")


@dataclass
class Taken(HTMLParser):
    """A page taken apart: its tags with the names of their attributes, its addresses, and the text that is read."""

    tags: set[tuple[str, tuple[str, ...]]] = field(default_factory=set)
    attributes: list[tuple[str, str, str]] = field(default_factory=list)
    text: str = ""

    def __post_init__(self) -> None:
        super().__init__()
        self._inside = ""

    def handle_starttag(self, tag, attrs):
        self.tags.add((tag, tuple(sorted(name for name, _ in attrs))))
        self.attributes += [(tag, name, value or "") for name, value in attrs]

        self._inside = tag
        self.text += "" if tag in _INLINE else " "

    def handle_endtag(self, tag):
        self._inside = ""
        self.text += "" if tag in _INLINE else " "

    def handle_data(self, data):
        self.text += "" if self._inside == "style" else data

    def of(self, attribute: str) -> list[str]:
        """The values of an attribute, whatever has it."""
        return [value for _, name, value in self.attributes if name == attribute]


def taken(page: str) -> Taken:
    """The page taken apart."""
    parser = Taken()
    parser.feed(page)
    parser.close()
    return parser
