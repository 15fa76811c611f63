"""Fat-trees."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

from ..parameters import Integers, parameter
from .base import PublishedFact
from .lcan import LeastCommonAncestor


@dataclass(frozen=True, kw_only=True)
class FatTree(LeastCommonAncestor):
    """Fat-tree whose numbers of children and upper links differ by level.

    Parameters
    ----------
    r : tuple of int
        Children of a switch, by level from below, 2..16 each.
    u : tuple of int
        Uppers of a switch, all to its one parent, by level, 1..64 each.

    References
    ----------
    C. E. Leiserson, "Fat-trees: universal networks for hardware-efficient supercomputing", IEEE
    Trans. Computers C-34(10), 1985: r = (2, ..., 2).
    """

    name: ClassVar[str] = "fattree"
    is_tree = True
    elsewhere: ClassVar[str | None] = (
        "a k-ary fat tree of data centres has switches of k ports and k^3 / 4 hosts; here r and u "
        "give the children and the uppers per switch, level by level"
    )

    r: tuple[int, ...] = parameter(Integers(2, 16), help="children per switch, one entry per level")
    u: tuple[int, ...] = parameter(Integers(1, 64), help="uppers per switch, one entry per level")

    def refusal(self) -> str | None:
        """As many entries in both lists."""
        if len(self.r) == len(self.u):
            return None
        return f"r and u must have one entry per level each, not {len(self.r)} and {len(self.u)}"

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Definition 9, of k-ary fat-trees."""
        del groups
        k = self.r[0]
        if set(self.r) != {k}:
            return ()
        return tuple(
            PublishedFact(
                "switches of level",
                "S_i = k S_(i - 1)",
                k * self.level_sizes[i - 1],
                "Scherson and Chien, definition 9",
                "by its example S_(i - 1) = k S_i, as levels are counted from the PEs",
                of=i,
            )
            for i in range(1, len(self.r))
        )

    @classmethod
    def equivalent(cls, network: LeastCommonAncestor) -> Self:
        """Fat-tree in which all switches of one prefix are one, with the wires of all of them.

        References
        ----------
        "Least Common Ancestor Networks", definition 10: the equivalent d-ary fat-tree.
        """
        return cls(r=network.radices, u=network.capacities)

    @property
    def radices(self) -> tuple[int, ...]:
        """The parameter r."""
        return self.r

    @property
    def uppers(self) -> tuple[int, ...]:
        """The parameter u."""
        return self.u
