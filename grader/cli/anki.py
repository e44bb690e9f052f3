"""`anatomy anki`: the questions as an Anki deck."""

import click

from grader.cli.destination import STANDARD_OUTPUT, output_option, write_output
from grader.cli.reviewing import known_lesson
from grader.course.load import load_course
from grader.errors import UserError
from grader.records import clock


@click.command("anki")
@click.argument("lessons", metavar="[LESSON]...", nargs=-1)
@output_option("FILE.apkg")
def anki_(lessons: tuple[str, ...], output: str) -> None:
    """Write the questions of all lessons, or of each LESSON, as an Anki package.

    One deck a lesson, with the answers. Import a later one over it: the same notes are updated, your own schedule in
    Anki stays. Answers that you give in Anki do not count here.
    """
    course = load_course()
    chosen = {known_lesson(course, typed) for typed in lessons}
    from grader.review.anki import package  # with the quizzes, what reads them, and PyTorch for the answers
    from grader.review.questions.load import load_quiz, quiz_path

    asked = [lesson for lesson in course.lessons if (lesson.slug in chosen if chosen else quiz_path(lesson).exists())]
    if not asked:
        raise UserError("This course has no quiz, so no deck was written.")
    quizzes = {lesson.slug: load_quiz(lesson) for lesson in asked}
    write_output(output, package(quizzes, course, clock.now()))
    if output != STANDARD_OUTPUT:
        count = sum(map(len, quizzes.values()))
        decks = "1 deck" if len(quizzes) == 1 else f"{len(quizzes)} decks"
        click.echo(f"Wrote {output}: {count} questions in {decks}. In Anki: File, Import.")
