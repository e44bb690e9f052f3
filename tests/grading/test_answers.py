"""Answers that were written from the course's description alone, by people who had not seen the suites.

`tests/answers/wrong` and `tests/answers/right` hold one function a file. A wrong one names its cause in its docstring;
`tests/answers/verdicts.yaml` says which names of the catalogue are that cause.
"""

from pathlib import Path

import pytest
import yaml

ANSWERS = Path(__file__).parent.parent / "answers"
WRONG = sorted((ANSWERS / "wrong").glob("*.py"))
RIGHT = sorted((ANSWERS / "right").glob("*.py"))

COMPANIONS = {
    # The reference's layer_norm calls standardize; beside this answer stands one that does not.
    "normalization.standardize.layer-norm-without-parameters": [
        ANSWERS / "right" / "normalization.layer_norm.var-mean-double.py"
    ]
}


def exercise_of(path: Path) -> str:
    return ".".join(path.name.split(".")[:2])


@pytest.fixture(scope="module")
def results(desk, with_functions):
    """Every answer graded once."""
    found = {}
    for path in [*WRONG, *RIGHT]:
        exercise = exercise_of(path)
        companions = {exercise_of(other): other.read_text("utf-8") for other in COMPANIONS.get(path.stem, ())}
        modules = with_functions({**companions, exercise: path.read_text("utf-8")})
        found[path] = desk.grade(modules, exercise).exercises[0]
    return found


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_a_right_answer_passes(results, path):
    result = results[path]
    assert result.status == "passed", f"{result.message}\n{result.evidence}"


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_wrong_answer_does_not_pass(results, path):
    assert not results[path].fine


def test_nine_in_ten_wrong_answers_get_the_right_cause(results):
    causes = yaml.safe_load((ANSWERS / "verdicts.yaml").read_text("utf-8"))
    assert set(causes) == {path.stem for path in WRONG}
    missed = [path.stem for path in WRONG if not names_the_cause(results[path], causes[path.stem])]
    assert len(missed) <= len(WRONG) / 10, missed


def names_the_cause(result, accepted) -> bool:
    """accepted: names in the catalogue, or statuses and words of the message where no name is needed."""
    said = " ".join([result.misconception or "", result.status, result.message, *result.notes])
    return any(word in said for word in accepted)
