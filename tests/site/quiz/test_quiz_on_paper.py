"""The quiz of a static page: every question with its answer closed, without a server and without a script."""

from __future__ import annotations

from quiz_page import Fragment

from grader.course.load import load_course
from grader.review.questions.draw import draw
from grader.review.questions.load import load_quizzes
from grader.site.quiz.onpaper import static_quiz
from grader.site.quiz.steps import split_steps

MOST = 60_000
COURSE = load_course()


def test_each_lesson_is_small_and_has_every_question():
    for lesson, questions in load_quizzes(COURSE).items():
        html = static_quiz(COURSE, COURSE.lesson(lesson))
        shown = Fragment(html)
        assert len(shown.find("article")) == len(questions)
        assert len(html.encode()) < MOST, lesson
        assert not shown.find("form")
        assert not shown.find("script")


def test_an_answer_is_closed_until_it_is_asked_for(course):
    shown = Fragment(static_quiz(course, course.lesson("first")))
    assert not [attrs for attrs in shown.find("details") if "open" in attrs]
    for item in ("Show the answer", "Is it a?", "Hint 2 of 2", "Show the ideas"):
        assert item in shown.text


def test_answers_explanations_and_what_is_said_of_wrong_ones_are_there(course):
    text = Fragment(static_quiz(course, course.lesson("first"))).text
    for said in ("That is the square.", "(2, 3)", "(4, 6)? The numbers double", "5? You added one.", "A third idea."):
        assert said in text
    assert "No. That is the square." in text
    assert "Yes. That is it." in text


def test_a_few_are_of_as_many_kinds_as_can_be():
    shown = Fragment(static_quiz(COURSE, COURSE.lesson("attention"), instances=8))
    assert len(shown.find("article")) == 8
    for of_a_kind in ("Show the ideas", "Show the answer", "Is it a?", "into order.", "What does this print?"):
        assert of_a_kind in shown.text
    assert "Type the numbers" not in shown.text


def test_the_steps_of_every_order_question_of_the_course_can_be_given_places():
    ordered = [q for quiz in load_quizzes(COURSE).values() for q in quiz if q.kind == "order"]
    for question in ordered:
        text, steps = split_steps(draw(question, "site"))
        assert len(steps) == len(question.answer), question.id
        assert all(steps), question.id
        assert "Type the" not in text, question.id
    assert ordered
