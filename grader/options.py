"""How to grade, apart from what."""

from dataclasses import dataclass

DEFAULT_SEED = 1


@dataclass(frozen=True)
class Options:
    """seed: which random inputs; hide_expected: feedback shows no expected values."""

    seed: int = DEFAULT_SEED
    hide_expected: bool = False
