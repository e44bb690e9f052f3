"""The learner's modules, made from source text when something imports them, and the names nobody may import."""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

PACKAGE = "student"
REFUSED = frozenset({"grader", "lessons", "reference", "tests"})


class RefusedNames(MetaPathFinder):
    """Refuses the course's own packages, which lie beside torch when installed from a wheel."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:  # noqa: ARG002
        """Raises ImportError for a refused name."""
        if name.partition(".")[0] in REFUSED:
            raise ImportError(f"{name} is not available to submitted code", name=name)


class LearnerModules(MetaPathFinder, Loader):
    """Finds `student` and `student.<slug>` among source texts.

    replace: attributes set after a module's own code has run; synthetic: modules whose own code does not run at all.
    """

    def __init__(
        self,
        sources: Mapping[str, str],
        replace: Mapping[str, Mapping[str, Callable[..., Any]]],
        synthetic: Sequence[str],
    ) -> None:
        self._sources = dict(sources)
        self._replace = replace
        self._synthetic = frozenset(synthetic)
        for slug, source in sources.items():
            name = file_name(slug)
            linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:  # noqa: ARG002
        """The spec of one of the learner's modules."""
        if name == PACKAGE:
            return ModuleSpec(name, self, is_package=True)
        package, _, slug = name.partition(".")
        if package != PACKAGE or not any(slug in known for known in (self._sources, self._replace, self._synthetic)):
            return None
        return ModuleSpec(name, self, origin=file_name(slug))

    def exec_module(self, module: ModuleType) -> None:
        """Run the learner's code in a module, then set its replacements."""
        slug = module.__name__.partition(".")[2]
        if not slug:
            return
        module.__file__ = file_name(slug)
        if slug in self._sources and slug not in self._synthetic:
            code = compile(self._sources[slug], module.__file__, "exec", dont_inherit=True)
            exec(code, module.__dict__)  # noqa: S102  # running the learner's code is what a worker is for
        for name, function in self._replace.get(slug, {}).items():
            setattr(module, name, function)


def file_name(slug: str) -> str:
    """The name under which a traceback shows a learner's module."""
    return f"{PACKAGE}/{slug}.py"


def slug_of(name: str) -> str | None:
    """The slug of a file name made by `file_name`, None for any other."""
    inner = name.removeprefix(f"{PACKAGE}/").removesuffix(".py")
    return inner if name == file_name(inner) else None


def install(finder: MetaPathFinder) -> None:
    """Ask this finder first."""
    sys.meta_path.insert(0, finder)
