"""How to grade, apart from what."""

from dataclasses import dataclass

DEFAULT_SEED = 1


@dataclass(frozen=True)
class Options:
    """seed: which random inputs; hide_expected: feedback shows no expected values; held_out: the seed is a secret that
    no output for students may show."""

    seed: int = DEFAULT_SEED
    hide_expected: bool = False
    held_out: bool = False
