"""A quiz with a question of each kind, none of which needs torch, and a learner who is about to be asked."""

from __future__ import annotations

from pathlib import Path

from grader.records import clock
from grader.records.kinds import COMPLETE
from grader.records.log import Log

QUIZ = r"""
questions:
  - id: first-who
    version: 1
    kind: choice
    concepts: [scale]
    prompt: "What is twice $x$?"
    answer: this-and-that
    options:
      - {id: this-and-that, text: "$x + x$", right: true, feedback: "That is it."}
      - {id: square, text: "$x^2$", feedback: "That is the square."}
    hints: ["Try 3.", "Try 4."]
    explanation: "Twice is the sum with itself."
  - id: first-which
    version: 1
    kind: multi
    concepts: [scale]
    prompt: "Which are even?"
    answer: [two, four]
    options:
      - {id: two, text: "2", right: true, feedback: "Two is."}
      - {id: three, text: "3", feedback: "Three is not."}
      - {id: four, text: "4", right: true, feedback: "Four is."}
    explanation: "Even numbers are twice something."
  - id: first-number
    version: 1
    kind: numeric
    concepts: [scale]
    prompt: "What is twice {n}? (exact)"
    params: {n: {choice: [4]}}
    answer: 8
    exact: true
    also: [{value: 5, feedback: "You added one."}]
    explanation: "It is a sum."
  - id: first-sizes
    version: 1
    kind: shape
    concepts: [scale]
    prompt: "`x` has shape `(2, 3)`. Which shape has `double(x)`?"
    answer: "2, 3"
    also: [{value: "4, 6", feedback: "The numbers double, not the sizes."}]
    explanation: "Every number is doubled where it stands."
  - id: first-word
    version: 1
    kind: short
    concepts: [scale]
    prompt: "How many times is doubling?"
    answer: [twice, two times]
    explanation: "Two times."
  - id: first-prints
    version: 1
    kind: code
    concepts: [scale]
    prompt: |
      What does this print?

      ```python
      print([1 + 1, 2 < 3])
      ```
    answer: "[2, True]"
    also: [{value: "[2]", feedback: "There are two."}]
    explanation: "A list of two."
  - id: first-steps
    version: 1
    kind: order
    concepts: [scale]
    prompt: |
      Bring the steps into order. Type the
      numbers.

      1. write the `sum`
      2. read
      3. add

      Nothing is left out.
    answer: [2, 3, 1]
    explanation: "Read, add, write."
  - id: first-why
    version: 1
    kind: explain
    concepts: [scale]
    prompt: "Explain doubling."
    answer: ["One idea.", "Another idea.", "A third idea."]
    explanation: "It is simple."
"""


def complete(home: Path, device: str = "desk") -> None:
    """A home in which the first lesson has just been completed; numbers are drawn for this machine."""
    home.mkdir()
    (home / "device").write_text(f"{device}\n", encoding="ascii")
    Log(home).append(COMPLETE, {"lesson": "first"}, clock.now())
