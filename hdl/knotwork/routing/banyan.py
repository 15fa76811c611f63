"""Routing of banyans: the destination's digits name the way up, and the way down."""

from typing import Any, ClassVar

from ..errors import ConfigurationError
from ..topology.banyan import Banyan
from .lcan import UpDown
from .rules import Hop, Rule


class OneWay(UpDown):
    """Up all levels to a terminal, or down all levels to a PE, by the destination's digits.

    On level i a packet to terminal T takes the upper that is digit levels - 1 - i of T in radix u,
    and one to a PE the downer that is digit i of the PE. Packets travel in network cycles, as they
    do by `UpDown`; there is one path for each pair of a PE and a terminal, and none for others.

    References
    ----------
    "Least Common Ancestor Networks", section 3.1.
    """

    name: ClassVar[str] = "oneway"
    unwalked: ClassVar[str] = "every path crosses each level once"
    topology: Banyan  # pyright: ignore[reportIncompatibleVariableOverride]

    @property
    def rule(self) -> Rule:
        """There is none: raises `ConfigurationError`."""
        raise ConfigurationError(
            f"{self.topology.name}: routing={self.name} must be given two nodes (knotwork "
            f"route NET... SRC DST): its routers are no nodes"
        )

    @property
    def level_tree(self) -> None:
        """None: a packet has one path."""
        return

    def hops(self, source: int, destination: int, number: int = 0) -> list[Hop]:
        """Switches of the path; the last one's way out is to the destination."""
        del number
        topology = self.topology
        if not topology.may_send(source, destination):
            kind = "PE" if source < topology.pes else "terminal"
            raise ConfigurationError(
                f"{topology.name}: a packet must go from a PE to a terminal, or from a terminal to "
                f"a PE, not from {kind} {topology.label(source)} to {kind} "
                f"{topology.label(destination)}"
            )
        up = destination >= topology.pes
        return self._up(source, destination) if up else self._down(source, destination)

    def _up(self, source: int, destination: int) -> list[Hop]:
        topology, hops = self.topology, []
        switch = source // topology.radices[0]
        for level in range(topology.levels):
            k = topology.upper_to(destination - topology.pes, level)
            hops.append(Hop(topology.first_switch[level] + switch, topology.up_port(k), 0))
            if level < topology.levels - 1:
                switch = topology.up(level, switch, k)[0]
        return hops

    def _down(self, source: int, destination: int) -> list[Hop]:
        topology, hops = self.topology, []
        switch = (source - topology.pes) // topology.u
        for level in reversed(range(topology.levels)):
            c = topology.digit(destination, level)
            hops.append(Hop(topology.first_switch[level] + switch, topology.down_port(c), 0))
            switch = topology.down(level, switch, c)[0]
        return hops

    def hops_by(self, source: int, destination: int, word: tuple[int, ...]) -> list[Hop]:
        """Switches of the only path, whatever the uppers named."""
        del word
        return self.hops(source, destination)

    def pair_facts(self, source: int, destination: int) -> dict[str, Any]:
        """Direction, and the uppers on the way up or the downers on the way down."""
        topology = self.topology
        ports = [hop.port for hop in self.hops(source, destination)]
        if destination < topology.pes:
            return {
                "direction": "down",
                "downers": [port - topology.down_port(0) for port in ports],
            }
        return {"direction": "up", "uppers": [port - topology.up_port(0) for port in ports]}


ROUTINGS = (OneWay,)
