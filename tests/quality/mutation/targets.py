"""Modules that `make mutate` makes mutants of, and why some of their mutants survive."""

import tomllib
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


def _named(fault: str) -> str:
    """Name of a fault; that at a cell's pin which is on no named wire ends in the cell."""
    return fault if fault.endswith(")") else f"{fault} ({fault.rpartition(' ')[2]})"


_REASON_ROWS = tomllib.loads((_FOLDER / "reasons.toml").read_text(encoding="utf-8"))
REASONS: dict[str, dict[str, str]] = {
    target: {_named(fault): one["why"] for one in entries for fault in one["faults"]}
    for target, entries in _REASON_ROWS.items()
}
"""By target, by fault."""


def stale_reasons(reasons: Mapping[str, str], mutants: Iterable[Mutant]) -> set[str]:
    """Faults with a reason that are not made any more, or whose reason is empty."""
    made = {str(mutant) for mutant in mutants}
    return {fault for fault, reason in reasons.items() if fault not in made or not reason}
