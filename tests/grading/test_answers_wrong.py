"""Wrong answers that were written from the course's description alone do not pass, and are told their cause.

`tests/answers/wrong` holds one function a file, which names its cause in its docstring; `tests/answers/verdicts.yaml`
says which names of the catalogue are that cause. tests/answers/README.md says where they come from.
"""

from pathlib import Path

import pytest
import yaml
from nightly import share

ANSWERS = Path(__file__).parent.parent / "answers"
EVERY = sorted((ANSWERS / "wrong").glob("*.py"))
WRONG = share(EVERY, of=3)


@pytest.fixture(scope="module")
def results(grade_one):
    """Each of them graded once."""
    return {path: grade_one(".".join(path.name.split(".")[:2]), path.read_text("utf-8")) for path in WRONG}


@pytest.mark.parametrize("path", WRONG, ids=lambda path: path.stem)
def test_a_wrong_answer_does_not_pass(results, path):
    assert not results[path].fine


def test_nine_in_ten_wrong_answers_get_the_right_cause(results):
    causes = yaml.safe_load((ANSWERS / "verdicts.yaml").read_text("utf-8"))
    assert set(causes) == {path.stem for path in EVERY}
    missed = [path.stem for path in WRONG if not names_the_cause(results[path], causes[path.stem])]
    assert len(missed) <= len(WRONG) / 10, missed


def names_the_cause(result, accepted) -> bool:
    """accepted: names in the catalogue, or statuses and words of the message where no name is needed."""
    said = " ".join([result.misconception or "", result.status, result.message, *result.notes])
    return any(word in said for word in accepted)
