"""Right answers in unusual styles, written from the course's description alone, pass.

`tests/answers/right` holds one function a file; tests/answers/README.md says where they come from.
"""

from pathlib import Path

import pytest
from nightly import share

RIGHT_ANSWERS = Path(__file__).parent.parent / "answers" / "right"
RIGHT = sorted(RIGHT_ANSWERS.glob("*.py"))

COMPANIONS = {
    # The reference's layer_norm calls standardize; beside this answer stands one that does not.
    "normalization.standardize.layer-norm-without-parameters": [
        RIGHT_ANSWERS / "normalization.layer_norm.var-mean-double.py"
    ]
}


def exercise_of(path: Path) -> str:
    return ".".join(path.name.split(".")[:2])


@pytest.mark.parametrize("path", share(RIGHT, of=2), ids=lambda path: path.stem)
def test_a_right_answer_passes(grade_one, path):
    companions = {exercise_of(other): other.read_text("utf-8") for other in COMPANIONS.get(path.stem, ())}
    result = grade_one(exercise_of(path), path.read_text("utf-8"), companions=companions)
    assert result.status == "passed", f"{result.message}\n{result.evidence}"
