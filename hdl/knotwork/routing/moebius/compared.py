"""Routings of the thesis that find the whole path at the source: to compare with, not to build."""

from typing import Any, ClassVar

from ...topology import Moebius
from .expansions import approx_spr, highest_first, minimal_expansion, spr, with_other_top
from .source_routed import SourceRouted


class _Expanded(SourceRouted):
    """Routing by a set of terms, of which every hop uses one up."""

    unbuildable: ClassVar[str | None] = (
        "its path is found at the source, where the set of terms left would have to travel with "
        "the packet; use routing=spr"
    )
    topology: Moebius

    def pair_facts(self, source: int, destination: int) -> dict[str, Any]:
        """Minimal expansion with which the source begins, and that with the other top term."""
        terms = minimal_expansion(source ^ destination)
        other = with_other_top(terms) if terms else None
        return {
            "expansion": list(map(str, terms)),
            "other_expansion": other and list(map(str, other)),
        }


class ApproxSpr(_Expanded):
    """approx_spr: nearly always shortest, from one minimal expansion kept at the source.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, section 2.2, corrected as in
    `expansions`.
    """

    name: ClassVar[str] = "approx_spr"

    def routers(self, source: int, destination: int) -> list[int]:
        """See `expansions.approx_spr`."""
        return approx_spr(self.topology, source, destination)


class SetSpr(_Expanded):
    """set_spr: shortest paths, from a set of terms kept at the source.

    Its next routers in the cubes of four dimensions are those of figures 2.11 and 2.12.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, section 2.3, corrected as in
    `expansions`.
    """

    name: ClassVar[str] = "set_spr"

    def routers(self, source: int, destination: int) -> list[int]:
        """See `expansions.spr`."""
        return spr(self.topology, source, destination)


class HighestFirst(SourceRouted):
    """rsa: shortest paths that cross the highest dimension they can at each hop.

    Its next routers in the cubes of four dimensions are those of figures 2.13 and 2.14.

    References
    ----------
    D. Kocík, "Routing in Möbius Cubes", CTU in Prague, 2016, sections 2.5 and 5.3, which print the
    tables of rsa and no algorithm.
    """

    name: ClassVar[str] = "rsa"
    unbuildable: ClassVar[str | None] = (
        "it compares the distances from all neighbours, which no gates compute; use routing=spr"
    )
    topology: Moebius

    def routers(self, source: int, destination: int) -> list[int]:
        """See `expansions.highest_first`."""
        return highest_first(self.topology, source, destination)
