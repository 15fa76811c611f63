"""Modules that `make mutate` makes mutants of, each in a small network of its class."""

import tomllib
from pathlib import Path
from typing import NamedTuple

from knotwork.network import Network


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
