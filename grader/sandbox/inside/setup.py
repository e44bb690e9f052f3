"""What the grader tells a zygote when it starts it. Nothing in here is secret: it stands on a command line."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Setup:
    """control: descriptor of the control socket; parent: whose death ends the zygote, 0 for nobody's; home: a folder of
    its own; packages: folders of installed packages; preload: modules to import; secret: folders that no worker may
    reach; group: a control group made for it; without: layers that are left off; landlock_most: the newest version of
    Landlock to use.
    """

    control: int
    parent: int
    home: str
    packages: tuple[str, ...]
    preload: tuple[str, ...] = ()
    secret: tuple[str, ...] = ()
    group: str | None = None
    without: tuple[str, ...] = ()
    landlock_most: int | None = None

    def to_json(self) -> str:
        """As one argument of a command."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Setup:
        """Read it back."""
        fields: dict[str, Any] = json.loads(text)
        for name, value in fields.items():
            if isinstance(value, list):
                fields[name] = tuple(value)
        return cls(**fields)


@dataclass(frozen=True)
class Announcement:
    """What a zygote says when it is ready. layers: those of every worker that it will make; off: why others are not."""

    layers: tuple[str, ...]
    off: dict[str, str]
    landlock: int

    def to_json(self) -> str:
        """As one line."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Announcement:
        """Read it back."""
        fields: dict[str, Any] = json.loads(text)
        return cls(tuple(fields["layers"]), fields["off"], fields["landlock"])
