"""Load of each channel between routers in a run of the golden model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from knotwork.network import Network

from ..columns import Table
from ..model.router_model import Tally


@dataclass(frozen=True, eq=False)
class LinkLoads:
    """Flits that crossed each channel between routers, and the cycles in which they did.

    Members
    -------
    router, port, to, virtual_channel : ndarray
        Router that sends, its output port, the router behind it, and the virtual channel, int64.
    ports : tuple of str
        Names of the ports.
    flits : ndarray
        Flits that crossed each channel, int64.
    cycles : int
        Cycles of the run, up to the last delivery.
    """

    router: np.ndarray
    port: np.ndarray
    to: np.ndarray
    virtual_channel: np.ndarray
    ports: tuple[str, ...]
    flits: np.ndarray
    cycles: int

    @classmethod
    def of(cls, network: Network, tally: Tally, cycles: int) -> "LinkLoads":
        """Loads that a run counted, in as many cycles."""
        topology = network.topology
        shape = (*topology.neighbours.shape, network.routing.virtual_channels)
        wired = np.broadcast_to((topology.neighbours >= 0)[:, :, None], shape)
        router, port, channel = np.nonzero(wired)
        return cls(
            router=router,
            port=port,
            to=topology.neighbours[router, port].astype(np.int64),
            virtual_channel=channel,
            ports=tuple(topology.ports),
            flits=tally.crossings.reshape(shape)[router, port, channel],
            cycles=cycles,
        )

    @classmethod
    def sum(cls, parts: "Sequence[LinkLoads]") -> "LinkLoads":
        """Loads of several runs of one network together."""
        first = parts[0]
        flits, cycles = sum(each.flits for each in parts), sum(each.cycles for each in parts)
        return cls(**{**first.__dict__, "flits": flits, "cycles": cycles})

    @property
    def utilization(self) -> np.ndarray:
        """Flits per cycle of each channel, float64."""
        return np.round(self.flits / max(self.cycles, 1), 6)

    @property
    def of_wires(self) -> np.ndarray:
        """Flits per cycle of each direction of a link, all its virtual channels, float64."""
        begins = np.nonzero(self.virtual_channel == 0)[0]
        flits = np.add.reduceat(self.flits, begins) if len(begins) else np.zeros(0)
        return np.round(flits / max(self.cycles, 1), 6)

    @property
    def mean(self) -> float | None:
        """Mean utilisation of a direction of a link, flits per cycle; None without links."""
        return round(float(self.of_wires.mean()), 6) if len(self.flits) else None

    @property
    def max(self) -> float | None:
        """Utilisation of the fullest direction of a link, flits per cycle."""
        return float(self.of_wires.max()) if len(self.flits) else None

    @property
    def table(self) -> Table:
        """Row a channel."""
        return Table(
            {
                "router": self.router,
                "port": np.array(self.ports)[self.port],
                "to": self.to,
                "virtual_channel": self.virtual_channel,
                "flits": self.flits,
                "utilization": self.utilization,
            }
        )

    def as_json(self) -> dict[str, object]:
        """Mean and largest utilisation, and a row for each channel."""
        return {"mean": self.mean, "max": self.max, "channels": self.table.rows()}

    def __repr__(self) -> str:
        return (
            f"<LinkLoads of {len(self.of_wires)} directions: mean {self.mean:g}, max {self.max:g} "
            f"flits/cycle>"
            if len(self.flits)
            else "<LinkLoads of no links>"
        )
