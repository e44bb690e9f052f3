"""What is told in a page: the verdict on an answer, what a session came to, and what may be begun."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.review.companion import Remark
from grader.review.holding import Held, turn_heading
from grader.review.ladder import PASS, Place
from grader.review.listing import rung_name, standing
from grader.review.questions.kinds.choice import lettered
from grader.review.session import UNKNOWN, Reply, Turn
from grader.review.summary import Coming, Line, Summary
from grader.review.today import Today
from grader.site.pages import fragment
from grader.site.quiz.steps import split_steps, unasked
from grader.site.quiz.words import sentence
from grader.site.text import inline, prose

_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an answer was: in words that need no colour, and its tone: good, half or bad."""

    says: str
    tone: str


def verdict(reply: Reply) -> Verdict:
    """The terminal's words for a mark."""
    mark = reply.mark
    if mark.right:
        return Verdict("Right.", "good")
    if not mark.missed:
        return Verdict(f"Good: {mark.score:.0%} of it.", "good")
    if mark.score > 0:
        return Verdict(f"In part: {mark.score:.0%} of it.", "half")
    return Verdict("Not yet.", "bad")


def told(held: Held, turn: Turn, reply: Reply, remarks: Sequence[Remark], summary: Summary | None, root: str) -> Markup:
    """The verdict on an answer that has been recorded. summary: what the session came to, once nothing is left."""
    kind = turn.drawn.question.kind
    missed = reply.mark.missed
    return fragment(
        "quiz/verdict.html",
        slug=held.slug,
        practice=held.practice,
        root=root,
        heading=turn_heading(held.occasion.capitalize(), turn),
        prompt=prose(unasked(turn.drawn.prompt) if kind == "order" else turn.drawn.prompt),
        unknown=reply.mark.given == UNKNOWN,
        given=_given(turn, reply),
        said=str(reply.record.get("said", "")),
        verdict=verdict(reply),
        feedback=prose(reply.mark.feedback) if reply.mark.feedback else "",
        answer=prose(_answer(turn, reply)),
        remarks=[(sentence(remark.says), remark.printed) for remark in remarks],
        explanation=prose(turn.drawn.explanation),
        comes_back=missed,
        summary=summed_up(summary, root) if summary else None,
    )


def _answer(turn: Turn, reply: Reply) -> str:
    """The right answer where it was missed. The ideas of an explanation were seen, unless none was tried."""
    if turn.drawn.question.kind == "explain":
        return f"These ideas belong in it:\n\n{reply.key.shown}" if reply.mark.given == UNKNOWN else ""
    return f"The answer: {reply.key.shown}" if reply.mark.missed else ""


def _given(turn: Turn, reply: Reply) -> list[Markup]:
    """What was answered, as it was shown: options and steps by their texts, everything else as typed."""
    given = reply.mark.given
    if given == UNKNOWN:
        return []
    match turn.drawn.question.kind:
        case "choice" | "multi":
            ids = given.split()
            chosen = [Markup("{}) {}").format(mark, inline(o.text)) for mark, o in lettered(turn.drawn) if o.id in ids]
            return chosen or [Markup("None of these.")]
        case "order" if steps := split_steps(turn.drawn)[1]:
            return [Markup("{}. {}").format(number, inline(steps[int(number) - 1])) for number in given.split()]
        case "explain":
            return []
    return [Markup("{}").format(given)]


@dataclass(frozen=True, slots=True)
class Linked:
    """A thing that is named in a summary: what is said of it, the place in a lesson's page, and what comes after."""

    says: str
    address: str
    section: str
    after: Markup


@dataclass(frozen=True, slots=True)
class SummedUp:
    """A summary for a page: as the terminal's, with links for the names of files and a button for a command."""

    title: str
    score: str
    lists: Sequence[tuple[str, Sequence[Linked], Markup]]
    coming: Markup
    deed: str | None


def summed_up(summary: Summary, root: str) -> SummedUp:
    """The parts of a summary. root: what stands before the addresses of its links."""
    lists = [*summary.lists, *([summary.offer] if summary.offer else [])]
    return SummedUp(
        title=summary.title,
        score=summary.score,
        lists=[(each.says, [_linked(line, root) for line in each.lines], sentence(each.after)) for each in lists],
        coming=_coming(summary.next),
        deed="review" if summary.next.deed == "review" else "practise",
    )


def _linked(line: Line, root: str) -> Linked:
    after = sentence(f", then `{line.command}`") if line.command else Markup()
    if line.exercise is None:
        return Linked(line.says, "", "", after)
    return Linked(
        line.says,
        f"{root}{line.exercise.lesson}.html#{line.exercise.section}",
        line.exercise.section.replace("-", " "),
        after,
    )


def _coming(coming: Coming) -> Markup:
    """What comes next; what the page has a button for is named by no command."""
    return sentence(f"{coming.says}." if coming.deed in ("practise", "review") else str(coming))


def done(held: Held, root: str, notice: str = "") -> Markup:
    """What a session of today came to."""
    return fragment(
        "quiz/done.html",
        slug=held.slug,
        practice=held.practice,
        root=root,
        summary=summed_up(held.summary, root),
        notice=sentence(notice),
    )


def invitation(
    slug: str, size: int, where: Place | None, today: Today, *, practice: bool, root: str, notice: str = ""
) -> Markup:
    """What may be begun: a review that takes a rung, or practice and why it is that."""
    count = _NUMBERS[size] if size < len(_NUMBERS) else str(size)
    return fragment(
        "quiz/invitation.html",
        slug=slug,
        practice=practice,
        root=root,
        title="Practice" if practice or where is None else f"Review: {rung_name(where)}",
        size=f"{count.capitalize()} {'question' if size == 1 else 'questions'}",
        pass_mark=f"{PASS:.0%}",
        why=sentence(_why(where, today, practice)),
        notice=sentence(notice),
    )


def _why(where: Place | None, today: Today, practice: bool) -> str:
    if today.warning:
        return today.warning
    if where is None:
        return "The reviews of this lesson begin the day after it is completed."
    says = standing(where, today.day)
    says = f"{says[0].upper()}{says[1:]}."
    return f"{says} This is practice and takes no rung." if practice else says


def problem(slug: str, says: str) -> Markup:
    """What could not be done, and what to do about it."""
    return fragment("quiz/problem.html", slug=slug, says=sentence(says))
