"""A session at the keyboard: ask, record, tell, and ask again what was missed."""

from __future__ import annotations

import textwrap
import unicodedata

from grader.cli.screen import Left, Screen
from grader.review.companion import Companion
from grader.review.holding import Held, turn_heading
from grader.review.questions.kinds.choice import lettered
from grader.review.questions.marking import how_to_answer
from grader.review.questions.model import AskBack
from grader.review.questions.plain import plain
from grader.review.session import UNKNOWN, Reply, Sitting, Turn

HINT = "?"
KEYS = f"{HINT} shows a hint, {UNKNOWN} means you do not know, Ctrl-D stops; what you answered is kept."
NO_TEXT = "That line holds keys or bytes that are no text, as an arrow key sends them. Type it once more."


def sit(screen: Screen, held: Held, companion: Companion, note: str = "") -> None:
    """Ask until every item has been right once. Raises Left, LogUnwritable; what was recorded before stays.

    `note` stands above the first question.
    """
    sitting = held.sitting
    first = True
    while (turn := sitting.turn()) is not None:
        screen.begin()
        if first and note:
            screen.tell(f"{note}\n")
        _show(screen, turn, held.heading, companion)
        if first:
            screen.tell(KEYS)
        first = False
        reply = _answered(screen, sitting, turn)
        held.accept(turn, reply)  # before the learner is told anything: what was answered stays answered
        _tell(screen, turn, reply, companion)
        if sitting.turn() is not None:
            screen.pause("Enter for the next ")


def _show(screen: Screen, turn: Turn, heading: str, companion: Companion) -> None:
    screen.title(turn_heading(heading, turn))
    screen.say(_plain(screen, turn.drawn.prompt))
    screen.say()
    for letter, option in lettered(turn.drawn):
        screen.say(_plain(screen, option.text, f"  {letter}  "))
    if turn.drawn.options:
        screen.say()
    if turn.drawn.question.kind == "explain":
        return
    screen.tell(how_to_answer(turn.drawn))
    if announced := companion.announce(turn.drawn):
        screen.say(_plain(screen, announced))


def _answered(screen: Screen, sitting: Sitting, turn: Turn) -> Reply:
    """Read until there is an answer that can be marked."""
    hints = list(turn.drawn.hints)
    said = ""
    if turn.drawn.question.kind == "explain":
        said = _explained(screen, sitting, turn)
    while True:
        given = screen.ask()
        if given.strip() == HINT:
            none = "There is no other hint." if turn.drawn.hints else "There is no hint."
            screen.say(_plain(screen, hints.pop(0)) if hints else none)
            continue
        if _holds_keys(given):
            screen.tell(NO_TEXT)
            continue
        outcome = sitting.submit(turn, given)
        if isinstance(outcome, AskBack):
            screen.tell(outcome.says)
            continue
        if said:
            return Reply(outcome.mark, outcome.key, {**outcome.record, "said": said})
        return outcome


def _explained(screen: Screen, sitting: Sitting, turn: Turn) -> str:
    """Have the learner explain, then show the ideas to be ticked. Returns what was typed."""
    screen.tell("Explain it in your own words, here or aloud, and press Enter.")
    said = screen.ask()
    while said.strip() == HINT:
        for hint in turn.drawn.hints:
            screen.say(_plain(screen, hint))
        said = screen.ask()
    screen.say()
    screen.tell("Which of these ideas were in your explanation?")
    for number, idea in enumerate(sitting.ideas(turn), start=1):
        screen.say(_plain(screen, idea, f"  {number}  "))
    screen.say()
    screen.tell(how_to_answer(turn.drawn))
    return said.strip()


def _tell(screen: Screen, turn: Turn, reply: Reply, companion: Companion) -> None:
    mark = reply.mark
    screen.say()
    if mark.right:
        screen.verdict("Right.", good=True)
    elif not mark.missed:
        screen.verdict(f"Good: {mark.score:.0%} of it.", good=True)
    elif mark.score > 0:
        screen.verdict(f"In part: {mark.score:.0%} of it.", good=False)
    else:
        screen.verdict("Not yet.", good=False)
    blocks = [mark.feedback] if mark.feedback else []
    if mark.missed and turn.drawn.question.kind != "explain":
        blocks.append(f"The answer: {reply.key.shown}")
    blocks += [remark.markdown for remark in companion.remarks(turn, reply)]
    blocks.append(turn.drawn.explanation)
    if mark.missed:
        blocks.append("It comes back at the end of this session.")
    screen.say("\n\n".join(_plain(screen, block) for block in blocks))


def _holds_keys(line: str) -> bool:
    """Whether there is something in a line that nobody means to answer: control characters, undecodable bytes."""
    return any((unicodedata.category(char) in ("Cc", "Cs") and char != "\t") or char == "\ufffd" for char in line)


def _plain(screen: Screen, text: str, label: str = "") -> str:
    """Markdown as text; with a label it stands behind it, each further line below the first."""
    lines = plain(text, width=screen.width - len(label), ascii_only=not screen.unicode)
    return label + textwrap.indent(lines, " " * len(label)).lstrip(" ") if label else lines


__all__ = ["Left", "sit"]
