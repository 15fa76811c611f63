"""What stands around a network to test it; every class of routers has a bench of its own."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

from amaranth.hdl import Module, Value
from knotwork.network import Network

Events = dict[str, list[Value]]
"""What sources and sinks tell, a bit a node; the names are the tally's, without `refused`."""


class WindowControl(NamedTuple):
    """What the self-test tells a bench.

    Members
    -------
    start : Value
        Pulse that begins a window.
    clear : Value
        High before that, for as long as `timer` takes to count through all its numbers.
    timer : Value
        Clocks in which no packet has come or gone, or those of `clear`.
    quiet : Value
        No packet has come or gone for a while.
    restart : Value
        Pulse at the end of a window that failed.
    fault : Value or None
        Fault to inject once a window; None where there are to be none.
    """

    start: Value
    clear: Value
    timer: Value
    quiet: Value
    restart: Value
    fault: Value | None


class Bench(ABC):
    """Sources and sinks at all nodes of a network, and what they share.

    Parameters
    ----------
    network : Network
        Network under test.

    Raises
    ------
    ConfigurationError
        The network cannot test itself.

    Members
    -------
    restarts : bool
        Whether the network is to be reset after a window that failed.
    """

    restarts: ClassVar[bool] = False

    def __init__(self, network: Network) -> None:
        self._network = network

    @property
    @abstractmethod
    def packets_a_round(self) -> int:
        """Packets that each node sends in a round, each copy counted as one."""

    @property
    @abstractmethod
    def clocks_a_packet(self) -> int:
        """Clocks that a packet of a node takes, about."""

    @property
    @abstractmethod
    def timer_width(self) -> int:
        """Bits of the timer, at the least: it must outlast any pause of a sound network."""

    @abstractmethod
    def place(self, m: Module, fabric: Any, control: WindowControl, *, rounds_log2: int) -> Events:
        """Add the bench to a module, and connect it with the network's ports.

        Parameters
        ----------
        m : Module
            Where to.
        fabric : Component
            Ports of the network (`knotwork.gateware.network_signature`).
        control : WindowControl
            What begins and ends windows.
        rounds_log2 : int
            Logarithm of the rounds in a window.
        """
