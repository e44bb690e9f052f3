"""A learner's modules as source text: the questions that the grader asks of them before anything runs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

from grader.judge.source import signature
from grader.judge.source.bindings import Resolver, TooTangled
from grader.judge.source.definition import Definition, State, definition_of, latest, plain_function
from grader.judge.source.forbidden import Finding, ForbiddenUse
from grader.judge.source.meanings import Exercise
from grader.judge.source.reach import Paths, Walk
from grader.judge.source.scanner import scan
from grader.judge.source.scopes import Module
from grader.judge.source.syntax import SyntaxProblem, TooDeep, parse, too_deep


def parse_submission(sources: Mapping[str, str]) -> StudentSource:
    """Read the modules of a submission: slug -> source text. No text makes this raise, and none of it is executed."""
    modules: dict[str, Module] = {}
    problems: dict[str, SyntaxProblem] = {}
    for slug, source in sources.items():
        tree = parse(slug, source)
        if isinstance(tree, SyntaxProblem):
            problems[slug] = tree
            continue
        try:
            modules[slug] = scan(slug, source, tree)
        except TooDeep as error:
            problems[slug] = too_deep(slug, source, error.line)
    return StudentSource(modules, problems)


class StudentSource:
    """The modules of a submission that could be read, and the problems of those that could not."""

    def __init__(self, modules: Mapping[str, Module], problems: Mapping[str, SyntaxProblem]) -> None:
        self.modules = frozenset(modules)
        self.problems = dict(problems)
        self._resolver = Resolver(modules)
        self._paths = Paths(self._resolver)
        self._forbidden = ForbiddenUse(self._paths)
        self._direct: dict[tuple[Exercise, frozenset[Exercise]], frozenset[Exercise]] = {}

    def definition(self, slug: str, name: str, others: Collection[str] = ()) -> Definition:
        """How far an exercise has come. `others`: names that are never offered as a misspelling of this one."""
        if slug in self.problems:
            return Definition(slug, name, State.UNREADABLE, self.problems[slug].line, syntax=self.problems[slug])
        if slug not in self.modules:
            return Definition(slug, name, State.MISSING_MODULE)
        self._resolver.new_question()
        return definition_of(self._resolver, slug, name, others)

    def signature_problem(self, slug: str, name: str, required: Sequence[str], optional: Sequence[str]) -> str | None:
        """Why the course could not call this function, in one sentence.

        None if it could, and where source text cannot tell (missing, decorated, assigned).
        """
        self._resolver.new_question()
        bindings = self._resolver.module_bindings(slug, name)
        node = plain_function(latest(bindings)) if bindings else None
        return signature.signature_problem(node, required, optional) if node else None

    def other_defaults(self, slug: str, name: str, defaults: Mapping[str, object]) -> list[str]:
        """A sentence for each parameter whose written default is another than the course's."""
        self._resolver.new_question()
        bindings = self._resolver.module_bindings(slug, name)
        node = plain_function(latest(bindings)) if bindings else None
        return signature.other_defaults(node, defaults) if node else []

    def dependencies(self, slug: str, name: str, exercises: Collection[Exercise]) -> frozenset[Exercise]:
        """The other exercises that a function reaches, by itself or through helpers that are no exercises."""
        known, start = frozenset(exercises), (slug, name)
        if (start, known) not in self._direct:
            self._resolver.new_question()
            walk = Walk(self._paths, known.__contains__)
            with suppress(TooTangled):  # what was reached so far; such a module is refused by `forbidden_use`
                walk.start(slug, name)
            self._direct[start, known] = frozenset(walk.stopped - {start})
        return self._direct[start, known]

    def all_dependencies(self, slug: str, name: str, exercises: Collection[Exercise]) -> frozenset[Exercise]:
        """The other exercises that a function reaches, also through exercises."""
        known = frozenset(exercises)
        found: set[Exercise] = set()
        waiting = [(slug, name)]
        while waiting:
            fresh = self.dependencies(*waiting.pop(), known) - found
            found |= fresh
            waiting += fresh
        return frozenset(found - {(slug, name)})

    def forbidden_use(
        self,
        slug: str,
        name: str,
        forbidden: Collection[str],
        not_followed: Collection[Exercise] | Callable[[Exercise], bool] = (),
    ) -> list[Finding]:
        """What an exercise uses that it may not, in the order of the lines; nothing if nothing is forbidden to it.

        forbidden: the last names of built-ins that do the whole exercise. not_followed: exercises whose insides are not
        looked at, because they are judged by themselves: those earlier in the course.
        """
        is_not_followed = not_followed if callable(not_followed) else frozenset(not_followed).__contains__
        self._resolver.new_question()
        try:
            return self._forbidden.findings((slug, name), forbidden, is_not_followed)
        except TooTangled:
            reason = f"student/{slug}.py is too tangled to be checked for built-ins that do the whole exercise."
            return [Finding(slug, 1, f"student/{slug}.py", f"{reason} Write it more simply.")]
