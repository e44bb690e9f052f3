"""Read the notation of `grader.capstone.rules`: one rule with its arguments becomes weighted lists of symbols."""

import re
from collections.abc import Iterator
from functools import cache

from grader.capstone.rules import CLASSES, HE, PLURALS, RULES

# A word is a str; a rule with its arguments is a tuple: ("Ending", "cat", "many", "mia").
Symbol = tuple[str, ...]
Bindings = dict[str, str]

_RULE = re.compile(r"(\w+)\(([\w ]*)\)")
_SYMBOL = re.compile(r"\w+\([\w ]*\)|\S+")


@cache
def _heads() -> dict[str, tuple[tuple[str, ...], str]]:
    """Parameters and text of each rule, by name."""
    heads: dict[str, tuple[tuple[str, ...], str]] = {}
    for head, text in RULES.items():
        name, parameters = _call(head)
        heads[name] = (parameters, text)
    return heads


def _call(text: str) -> tuple[str, tuple[str, ...]]:
    """`Ending(hero n)` as a name and its arguments."""
    match = _RULE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a rule's name with its arguments in brackets")
    return match[1], tuple(match[2].split())


def alternatives(symbol: Symbol) -> Iterator[tuple[float, tuple[Symbol | str, ...]]]:
    """The alternatives of a rule with its arguments filled in, each with its weight (they need not sum to 1)."""
    parameters, text = _heads()[symbol[0]]
    bound = dict(zip(parameters, symbol[1:], strict=True))
    for line in text.strip().splitlines():
        weight, choices, body = (part.strip() for part in line.split("|"))
        every = _bindings(bound, choices.split())
        for bindings in every:
            yield float(weight) / len(every), tuple(_filled(part, bindings) for part in _SYMBOL.findall(body))


def _bindings(bound: Bindings, choices: list[str]) -> list[Bindings]:
    """All ways to make the choices, in the order of their classes."""
    every = [bound]
    for choice in choices:
        variable, _, of = choice.partition("=")
        of, _, without = of.partition("!")
        extended = []
        for bindings in every:
            kind, _, variable_of_kind = of.partition("$")
            name = kind + bindings.get(variable_of_kind, "")
            extended += [{**bindings, variable: word} for word in CLASSES[name] if word != bindings.get(without)]
        every = extended
    return every


def _filled(part: str, bindings: Bindings) -> Symbol | str:
    """One symbol of a body with its variables replaced."""
    if part.endswith(")"):
        name, arguments = _call(part)
        return (name, *(bindings.get(argument, argument) for argument in arguments))
    if "@" in part:
        words, _, owner = part.partition("@")
        feminine, _, masculine = words.partition("/")
        return masculine if bindings[owner] in HE else feminine
    if ":" not in part:
        return bindings[part[1:]] if part.startswith("$") else part
    word, _, number = part.partition(":")
    single, _, many = word.partition("/")
    if single.startswith("$"):
        single = bindings[single[1:]]
    if bindings.get(number, number) != "many":
        return single
    return many or PLURALS[single]


@cache
def all_words() -> frozenset[str]:
    """Every word that the rules can write, read off their text: quicker than to follow every story to its end."""
    words: set[str] = set()
    for members in CLASSES.values():
        words.update(members)
    plural = {PLURALS[word] for word in words if word in PLURALS}
    for _, text in _heads().values():
        for line in text.strip().splitlines():
            for part in _SYMBOL.findall(line.split("|")[2]):
                if part.endswith(")") or part.startswith("$"):
                    continue
                word, _, number = re.split("([:@]|$)", part, maxsplit=1)
                words.update(word.split("/") if number else [word])
                if number and "/" not in word:
                    plural.add(PLURALS[word])
    return frozenset(words | plural) - set(CLASSES["number"])
