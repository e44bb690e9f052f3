"""Several processes that grade: the same scores as one, each submission for itself."""

import pytest

from grader.course.load import load_course
from grader.errors import GraderFault
from grader.options import Options
from grader.pool import Pool
from grader.workspace import read_submission

EXERCISES = [exercise.id for exercise in load_course().lesson("normalization").exercises]


@pytest.fixture
def submissions(tmp_path, answers, stubs):
    """Right, untouched, ending the process, and with a syntax error."""
    texts = {
        "right": answers["normalization"],
        "untouched": stubs["normalization"],
        "ends": answers["normalization"].replace("    wide = ", "    __import__('os')._exit(0)\n    wide = "),
        "broken": "def rms_norm(:\n",
    }
    course, found = load_course(), {}
    for name, text in texts.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "normalization.py").write_text(text, "utf-8")
        found[name] = read_submission(folder, course)
    return found


def test_two_processes_give_the_scores_that_grading_alone_gives(submissions, desk):
    with Pool(["normalization"], jobs=2) as pool:
        asked = {name: pool.submit(each, EXERCISES) for name, each in submissions.items() for _ in range(2)}
        reports = {name: future.result(timeout=120) for name, future in asked.items()}
    for name, submission in submissions.items():
        alone = desk.grade_folder(submission.folder, "normalization")
        statuses = [exercise.status for exercise in reports[name].exercises]
        assert (reports[name].earned, statuses) == (alone.earned, [exercise.status for exercise in alone.exercises])
    assert reports["right"].earned == reports["right"].possible
    assert reports["untouched"].earned == reports["broken"].earned == 0


def test_a_session_that_cannot_be_opened_is_the_exception_of_each_future(submissions):
    with Pool(["no-such-lesson"], jobs=1, options=Options(seed=2)) as pool:
        for submission in list(submissions.values())[:2]:
            with pytest.raises(GraderFault, match="missing"):
                pool.submit(submission, EXERCISES).result(timeout=60)
