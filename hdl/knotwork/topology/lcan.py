"""Least-common-ancestor networks of equal switches, and what all such networks are."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..parameters import Choice, Integer, parameter
from .base import Numbers, PublishedFact
from .digits import DigitAddresses
from .level_layouts import bracket, pe_row, switch_rows
from .levels import Levels, crosspoints, cut_facts


class Links(NamedTuple):
    """What is behind each port, int32 of shape (routers, ports); -1 for nothing."""

    neighbours: np.ndarray
    peer_ports: np.ndarray
    attached: np.ndarray


@dataclass(frozen=True, kw_only=True)
class LeastCommonAncestor(DigitAddresses, Levels):
    """Network in which a packet goes up to a least common ancestor and down again.

    The nodes are the PEs, strings of one digit per level; the routers are the switches. A subclass
    gives `radices` and `uppers`.
    """

    is_direct: ClassVar[bool] = False
    upper_offsets = ()
    """Lowest bit of the upper to take on each level in an address; none if it names no uppers."""

    @cached_property
    def ports(self) -> tuple[str, ...]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """``local``, which no switch uses, ``down0``, ..., ``up0``, ... of the largest switches."""
        downs = [f"down{c}" for c in range(max(self.downers))]
        return ("local", *downs, *(f"up{k}" for k in range(max(self.uppers))))

    def down_port(self, c: Numbers) -> Numbers:
        """Port that is downer `c`, the same on all levels."""
        return 1 + c

    def up_port(self, k: Numbers) -> Numbers:
        """Port that is upper `k`, the same on all levels."""
        return 1 + max(self.downers) + k

    def router_of(self, node: int) -> int:
        """Switch of level 0 above a PE; that of the first copy."""
        return node // self.radices[0]

    @property
    def links_per_node(self) -> int:
        """One to each copy."""
        return self.copies

    def node_link(self, router: int) -> int:
        """Copy that a switch is in."""
        return router // self.switches

    def router_label(self, router: int) -> str:
        """Level of a switch, and its number there: ``2_15``."""
        level = self.level_of(router)
        return f"{level}_{router - self.first_switch[level]}"

    @cached_property
    def _links(self) -> Links:
        near = np.full((self.switches, len(self.ports)), -1, np.int32)
        peers, attached = near.copy(), near.copy()
        for level in range(len(self.radices) - 1):
            w = np.arange(self.level_sizes[level])
            for k in range(self.uppers[level]):
                above, downer = self.up(level, w, k)
                own, far = self.first_switch[level] + w, self.first_switch[level + 1] + above
                near[own, self.up_port(k)], peers[own, self.up_port(k)] = far, 1 + downer
                near[far, 1 + downer], peers[far, 1 + downer] = own, self.up_port(k)
        copies = range(self.copies)
        shifted = [np.where(near >= 0, near + copy * self.switches, -1) for copy in copies]
        return Links(
            np.concatenate(shifted).astype(np.int32),
            np.tile(peers, (self.copies, 1)),
            np.concatenate([self._attached(attached.copy(), copy) for copy in copies]),
        )

    def _attached(self, empty: np.ndarray, copy: int) -> np.ndarray:
        """PEs behind the ports of a copy's switches."""
        leaf = np.arange(self.level_sizes[0])
        for c in range(self.downers[0]):
            place = self.down(0, leaf, c)[0]
            empty[leaf, self.down_port(c)] = self.pe_at_position(copy, place)
        return empty

    @property
    def neighbours(self) -> np.ndarray:
        """Router behind each port; -1 behind open uppers and where a PE is."""
        return self._links.neighbours

    @property
    def peer_ports(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Port at the link's other end."""
        return self._links.peer_ports

    @property
    def attached(self) -> np.ndarray:
        """PE behind each port, int32 of shape (routers, ports); -1 where there is none."""
        return self._links.attached

    def connected_ports(self, router: int) -> tuple[int, ...]:
        """`LOCAL` first, and then the ports that have a link, to a switch or a PE."""
        linked = (self.neighbours[router] >= 0) | (self.attached[router] >= 0)
        return (0, *np.nonzero(linked)[0].tolist())

    @property
    def link_kinds(self) -> tuple[str, ...]:
        """Children of a switch, each by all its wires."""
        return ("to a node", *(f"child {c}" for c in range(max(self.radices))))

    def link_kind(self, router: int, port: int) -> int:
        """Which child of the upper switch the lower one is; from 1."""
        if port >= self.up_port(0):
            near = router, port
            router, port = int(self.neighbours[near]), int(self.peer_ports[near])
        return 1 + (port - self.down_port(0)) // self.wires[self.level_of(router)]

    def layout(self) -> np.ndarray:
        """Levels above each other, level 0 lowest; those of many PEs beside each other."""
        return bracket(self).switches if self.has_node_columns else switch_rows(self)

    def node_layout(self) -> np.ndarray:
        """PEs below level 0; many of them at the left and at the right."""
        return bracket(self).pes if self.has_node_columns else pe_row(self)

    @cached_property
    def lca_counts(self) -> np.ndarray:
        """Ordered pairs of PEs by the level of their LCA, int64, each PE with itself on level 0."""
        return self.pes * np.diff(self.spans, prepend=0)

    @cached_property
    def distance_counts(self) -> np.ndarray:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Ordered pairs of PEs by the hops between their switches: 2 for each level of the LCA."""
        counts = np.zeros(2 * len(self.radices) - 1, np.int64)
        counts[::2] = self.lca_counts
        return counts

    def node_distances(self) -> np.ndarray:
        """Hops of the paths of all pairs."""
        nodes = np.arange(self.nodes)
        return np.asarray(self.distance(nodes[:, np.newaxis], nodes))

    hop_counts = cached_property(lambda self: range(0, 2 * len(self.radices), 2))
    """Hops that a path can have, rising: two for each level of an LCA."""

    def distance(self, source: Numbers, destination: Numbers) -> Numbers:
        """Twice the level of the LCA."""
        return 2 * self.lca_level(source, destination)

    def published_facts(self, groups: Sequence[int] = ()) -> tuple[PublishedFact, ...]:
        """Equation (1), the corollaries and lemmas 2 and 3, where all switches are equal."""
        del groups
        d, u, levels = self.downers[0], self.uppers[0], len(self.radices)
        are_equal = {*zip(self.downers, self.uppers, strict=True)} == {(d, u)}
        if not are_equal or self.copies > 1 or not self.turns_round:
            return ()
        paper = "Scherson and Chien"
        if self.is_tree:
            sizes = PublishedFact(
                "nodes",
                "d^l / u^(l - 1)",
                d**levels // u ** (levels - 1),
                f"{paper}, corollary 2",
                "",
            )
            ancestors = "1", (1,) * levels, f"{paper}, lemma 3"
        else:
            sizes = PublishedFact("nodes", "d^l", d**levels, f"{paper}, corollary 1", "")
            ancestors = "u^i", [u**i for i in range(levels)], f"{paper}, lemma 2 and theorem 2"
        formula, of_pair, lemma = ancestors
        return (
            sizes,
            *(
                PublishedFact(
                    "switches of level",
                    "N / d (u / d)^i",
                    int(Fraction(self.pes, d) * Fraction(u, d) ** i),
                    f"{paper}, equation (1)",
                    "",
                    of=i,
                )
                for i in range(levels)
            ),
            *(
                PublishedFact("common ancestors of level", formula, of_pair[i], lemma, "", of=i)
                for i in range(levels)
            ),
        )

    def extra_facts(self) -> dict[str, Any]:
        """Sizes of switches and levels, crosspoints, pairs by LCA level, cuts."""
        pairs = self.lca_counts.tolist()
        pairs[0] -= self.pes
        uplinks = [size * u for size, u in zip(self.level_sizes, self.uppers, strict=True)]
        return {
            "level_sizes": list(self.level_sizes),
            "downers": list(self.downers),
            "uppers": list(self.uppers),
            "links_a_level": [self.pes, *uplinks[:-1]],
            "open_uppers": uplinks[-1],
            "crosspoints": crosspoints(self),
            "lca_levels": pairs,
            "paths": list(self.breadths),
            "cuts": cut_facts(self),
        }


@dataclass(frozen=True, kw_only=True)
class Lcan(LeastCommonAncestor):
    """Least-common-ancestor network of equal switches.

    With a complete interconnect d^levels PEs; in a tree d^levels / u^(levels - 1).

    Parameters
    ----------
    d : int
        Downers per switch, 1..16.
    u : int
        Uppers per switch, 1..16.
    levels : int
        Levels of switches, 1..16.
    interconnect : str
        ``"complete"``: the uppers of a switch lead to u switches (CB-LCAN). ``"tree"``: all to one
        (T-LCAN), so u must divide d.

    References
    ----------
    "Least Common Ancestor Networks", where they are CB-LCAN(d,u) and T-LCAN(d,u).
    """

    name: ClassVar[str] = "lcan"

    d: int = parameter(Integer(1, 16), help="downers per switch")
    u: int = parameter(Integer(1, 16), help="uppers per switch")
    levels: int = parameter(Integer(1, 16), help="levels of switches")  # pyright: ignore[reportAssignmentType]
    interconnect: str = parameter(
        Choice(("complete", "tree")), help="parents of a switch: u, or one", default="complete"
    )

    def refusal(self) -> str | None:
        """In a tree every downer has a wire, and every level joins what is below."""
        if not self.is_tree or self.levels == 1:
            return None
        if self.u > self.d:
            why = "at most d where interconnect=tree, or level 1 has a fraction of a switch"
        elif self.d % self.u:
            why = "a divisor of d where interconnect=tree, or downers stay unconnected"
        elif self.u == self.d:
            why = "less than d where interconnect=tree, or no level above 0 joins two subtrees"
        else:
            return None
        return f"u must be {why}, not {self.u} with d={self.d}"

    @property
    def is_tree(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Whether the interconnect is a tree."""
        return self.interconnect == "tree"

    @property
    def radices(self) -> tuple[int, ...]:
        """d; in a tree, above level 0, d / u."""
        return (self.d,) + (self.d // self.u if self.is_tree else self.d,) * (self.levels - 1)

    @property
    def uppers(self) -> tuple[int, ...]:
        """All u."""
        return (self.u,) * self.levels
