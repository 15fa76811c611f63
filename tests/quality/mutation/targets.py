"""Modules that `make mutate` makes mutants of, and why some of their mutants survive."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from knotwork.network import Network

from .mutants import Mutant


class Target(NamedTuple):
    """Module, and the network in which its mutants run."""

    name: str  # name of the row
    net: str  # network, in one word
    # Kind of router, or what the network has beside them; all of that kind in the network are the
    # same mutant.
    role: str
    is_small: bool = True  # whether the network is small enough for proofs about all of it
    # Packets per node in the crowded runs, which must last for several phases of deflection.
    crowd: int = 100
    # Whether the proofs about the router take minutes at most, so that mutants can try them.
    proofs: bool = True
    # Whether it is the tree of the network's first group of collectives, which traffic of its own
    # and its own golden model judge.
    is_tree: bool = False

    @property
    def module(self) -> str:
        """Name of the module."""
        return Network.from_word(self.net).module_name(self.role)


_FOLDER = Path(__file__).parent
_ROWS = tomllib.loads((_FOLDER / "targets.toml").read_text(encoding="utf-8"))
TARGETS = tuple(
    Target(name, **one | {"net": one["net"].format(folder=_FOLDER)}) for name, one in _ROWS.items()
)
"""Modules of ``targets.toml``, in its order."""


_REASON_ROWS = tomllib.loads((_FOLDER / "reasons.toml").read_text(encoding="utf-8"))
REASONS: dict[str, dict[str, str]] = {
    target: {fault: one["why"] for one in entries for fault in one["faults"]}
    for target, entries in _REASON_ROWS.items()
}
"""By target, by fault."""


def stale_reasons(reasons: Mapping[str, str], mutants: Iterable[Mutant]) -> set[str]:
    """Faults with a reason that is empty, or of which none, or more than one, is made."""
    made = Counter(mutant.fault for mutant in mutants)
    return {fault for fault, reason in reasons.items() if made[fault] != 1 or not reason}
