"""Sources and sinks at the nodes of a network to test it; every router class has its own."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar, NamedTuple, Protocol, Self

from amaranth.hdl import Module, Value
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Member, Out
from knotwork.errors import ConfigurationError
from knotwork.network import Network

from .measure import Measurement, Measuring, TableHost

Events = dict[str, list[Value]]
"""Events that sources and checkers signal, one bit per node, by the tally's names for them.

`refused` is missing: the network itself signals it.
"""


class NetworkComponent(Protocol):
    """Network under test: a component with the ports of `knotwork.gateware.network_signature`.

    `config` and `status` are there only where packets go in batches.
    """

    @property
    def inject(self) -> Sequence[stream.Interface]:
        """Stream of beats from each node."""
        ...

    @property
    def eject(self) -> Sequence[stream.Interface]:
        """Stream of beats to each node."""
        ...

    @property
    def refused(self) -> Value:
        """One bit per node, high for one cycle per packet that it could not send."""
        ...

    @property
    def config(self) -> stream.Interface:
        """Stream of jump tables."""
        ...

    @property
    def status(self) -> Value:
        """Outcome of the last batch."""
        ...

    def elaborate(self, platform: object) -> Module:
        """Gates of the network."""
        ...


class TableCommands(NamedTuple):
    """Words of a table that a host loads, and what the node test answers.

    Members
    -------
    word : Value
        Next word, of 32 bits, if `word_valid`.
    word_valid, ends : Value
        A word comes; the table ends.
    refused : Value
        Driven by the node test: pulse for a table that it cannot take.
    number : Value
        Driven by the node test: number of the table in force, 0 for none.
    """

    word: Value
    word_valid: Value
    ends: Value
    refused: Value
    number: Value

    @classmethod
    def of(cls, host: TableHost) -> Self:
        """Tables of a host."""
        return cls(host.word, host.word_valid, host.ended, host.refused, host.number)


class WindowControl(NamedTuple):
    """Control signals from the self-test to a node test.

    Members
    -------
    start : Value
        Pulse that begins a window.
    clear : Value
        High before `start`, while `timer` counts through all its values.
    timer : Value
        Cycles since a packet last came or went; while `clear` is high, cycles of `clear`.
    quiet : Value
        No packet has come or gone for a while.
    restart : Value
        Pulse at the end of a window that failed.
    fault : Value or None
        Fault to inject once per window; None where the self-test has no faults.
    tables : TableCommands or None
        Tables that a host loads; None where the node test takes none.
    measurement : Measurement or None
        What nodes that measure share; None where the self-test does not measure.
    """

    start: Value
    clear: Value
    timer: Value
    quiet: Value
    restart: Value
    fault: Value | None
    tables: TableCommands | None = None
    measurement: Measurement | None = None


class NodeTest(ABC):
    """Sources, sinks and checkers at all nodes of a network, and what they share.

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
        Whether the self-test resets the network after a window that failed.
    registered : bool
        Whether there may be registers between the network's ports and the node test.
    takes_tables : bool
        Whether a host can load a table.
    """

    restarts: ClassVar[bool] = False
    registered: ClassVar[bool] = True
    takes_tables: ClassVar[bool] = False

    def __init__(self, network: Network) -> None:
        self._network = self.network = network

    @property
    def measuring(self) -> Measuring | None:
        """How it measures; None where it cannot."""
        return None

    @property
    def why_not(self) -> str:
        """Why it cannot measure."""
        return f"networks of {self._network.router_class} routers do not measure"

    @property
    @abstractmethod
    def packets_per_round(self) -> int:
        """Packets that each node sends in a round, at most; every copy counts as one."""

    @property
    def packets_of_all_nodes(self) -> int:
        """Packets that all nodes together send in a round."""
        return self._network.topology.nodes * self.packets_per_round

    @property
    @abstractmethod
    def cycles_per_packet(self) -> int:
        """Cycles from one packet of a node to its next, roughly."""

    @property
    def pause_log2(self) -> int:
        """Logarithm of the cycles without a packet after which a sound network has none left."""
        return 6

    @property
    @abstractmethod
    def timer_width(self) -> int:
        """Least width of the timer: it must outlast any pause of a sound network."""

    @abstractmethod
    def add_to(
        self, m: Module, fabric: NetworkComponent, control: WindowControl, *, rounds_log2: int
    ) -> Events:
        """Add the node test to a module and connect it to the network's ports.

        Parameters
        ----------
        m : Module
            Module to add to.
        fabric : NetworkComponent
            Network under test.
        control : WindowControl
            Begin and end of windows.
        rounds_log2 : int
            Logarithm of the rounds per window.
        """


def require_measuring(node_test: NodeTest) -> Measuring | None:
    """How a node test measures; None where a host can only load tables.

    Raises
    ------
    ConfigurationError
        It cannot, nor take tables.
    """
    how = node_test.measuring
    if how is None and not node_test.takes_tables:
        raise ConfigurationError(
            f"{node_test.network.name}: measure must be no: {node_test.why_not}"
        )
    return how


class NodeChecker(wiring.Component):
    """Ports of a sink that classifies each packet that reaches a node.

    Parameters
    ----------
    payload : StructLayout
        Payload of the node's eject stream.
    controls : mapping of str to Member
        Further inputs.

    Members
    -------
    i : In(stream)
        Packets.
    random : In(2)
        Both bits, if set, hold the packet back for a cycle.
    received : Out(1)
        High in the cycle in which a packet's last beat comes, as are all events below.
    corrupted, misrouted, duplicated : Out(1)
        Fault of that packet; at most one of them.
    skipped : Out(1)
        Packets are missing before that packet, and the checker no longer waits for them.
    """

    i: stream.Interface
    random: Value
    received: Value
    corrupted: Value
    misrouted: Value
    duplicated: Value
    skipped: Value

    def __init__(self, payload: data.StructLayout, controls: Mapping[str, Member]) -> None:
        events = ("received", "corrupted", "misrouted", "duplicated", "skipped")
        super().__init__(
            {
                "i": In(stream.Signature(payload)),
                "random": In(2),
                **controls,
                **{event: Out(1) for event in events},
            }
        )
