"""What a router class provides for the self-test: node tests, checkers, faults, build hints."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Protocol, Self

from amaranth.hdl import Module, Mux, Signal, Value
from amaranth.lib import data, enum, stream, wiring
from amaranth.lib.wiring import In, Member, Out
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.router_kind import RouterKind

from .measure import Measurement, Measuring, TableHost

TAPS = 0xB400
"""Galois form of x^16 + x^14 + x^13 + x^11 + 1, whose period is 2^16 - 1."""


def node_seed(node: int) -> int:
    """Seed for the register of a node, far from the seeds of the nodes beside it."""
    return (node * 40503 + 0xACE1 - 1) % 0xFFFF + 1


class Lfsr(wiring.Component):
    """Linear-feedback shift register, one step per cycle.

    Parameters
    ----------
    seed : int
        First state, 1..65535.

    Members
    -------
    o : Out(16)
        State; never 0.
    """

    o: Value

    def __init__(self, *, seed: int) -> None:
        if not 1 <= seed <= 0xFFFF:
            raise ValueError(f"LFSR seed must be an integer in 1..65535, not {seed!r}")
        self._seed = seed
        super().__init__({"o": Out(16)})

    def elaborate(self, platform: object) -> Module:
        """Shift right; a one that is shifted out flips the taps."""
        del platform
        m = Module()
        state = Signal(16, init=self._seed)
        m.d.sync += state.eq((state >> 1) ^ Mux(state[0], TAPS, 0))
        m.d.comb += self.o.eq(state)
        return m


class Fault(enum.Enum, shape=3):
    """Fault that is injected once per window.

    Members
    -------
    NONE, LOST, DUPLICATED, CORRUPTED, MISROUTED, REFUSED
        Counter that the fault must raise. REFUSED needs a network with an address that belongs to
        no node, or one whose packets all have the same length.
    TABLE
        A wrong entry in a jump table, in networks of batches; it must raise MISROUTED.
    WORD
        A wrong word in a collective; it must raise `wrong_answers`.
    """

    NONE = 0
    LOST = 1
    DUPLICATED = 2
    CORRUPTED = 3
    MISROUTED = 4
    REFUSED = 5
    TABLE = 6
    WORD = 7


class FaultStage(wiring.Component):
    """Stage of a stream in which a fault can be injected: its ports, and the path without a fault.

    Parameters
    ----------
    signature : stream.Signature
        Signature of the stream.

    Members
    -------
    fault : In(Fault)
        Fault to inject.
    start : In(1)
        Pulse at the beginning of a window.
    i : In(signature)
        From the source.
    o : Out(signature)
        To the network.
    """

    fault: Value
    start: Value
    i: stream.Interface
    o: stream.Interface

    def __init__(self, signature: wiring.Signature) -> None:
        super().__init__(
            {"fault": In(Fault), "start": In(1), "i": In(signature), "o": Out(signature)}
        )

    def pass_on(self, m: Module) -> None:
        """Pass everything on; statements that follow may override this."""
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.eq(self.i.payload),
            self.i.ready.eq(self.o.ready),
        ]


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


class Store(NamedTuple):
    """Equal memories of a network.

    Members
    -------
    copies : int
        How many there are.
    width, depth : int
        Bits of an entry, and entries.
    """

    copies: int
    width: int
    depth: int


@dataclass(frozen=True, kw_only=True)
class BuildHints:
    """What the flow knows of a network before synthesis, and what it advises when a build fails.

    A *choice* is a place in a router that selects one of several sources of data: an output of a
    crossbar, say. Each costs at least one look-up table per bit of data.

    Parameters
    ----------
    choices : callable
        Choices in a router of a kind.
    stores : callable
        Memories of a network: buffers of its routers, or of its nodes' interfaces.
    counters : callable
        Counters of packets in a network: a checker may keep one for each source.
    storage_key : str
        Hardware key that sets how much a router or a node's interface stores.
    has_pipeline : bool
        Whether ``pipeline=2`` makes a network of one cycle per hop faster.
    """

    choices: Callable[[RouterKind], int]
    stores: Callable[[Network], Sequence[Store]]
    counters: Callable[[Network], int]
    storage_key: str
    has_pipeline: bool

    def chosen_bits(self, network: Network) -> int:
        """Bits of data that come from a choice: each needs a look-up table at least."""
        of_kind = [
            self.choices(kind) * network.hardware.data_width for kind in network.router_kinds
        ]
        return sum(of_kind[number] for number in network.router_number)


def flows(network: Network) -> int:
    """Ordered pairs of nodes that may send to each other, a node with itself included."""
    return sum(len(network.topology.receivers(node)) for node in range(network.topology.nodes))


class RouterSelfTest(Protocol):
    """Self-test of a router class: the class's entry in `SELF_TESTS`."""

    def node_test(self, network: Network) -> NodeTest:
        """Sources, sinks and checkers for the nodes of a network of the class.

        Raises
        ------
        ConfigurationError
            The network cannot test itself.
        """
        ...

    def build_hints(self, network: Network) -> BuildHints:
        """What the flow to a bitstream needs to know of a network of the class.

        Raises
        ------
        ConfigurationError
            No network of the class can test itself.
        """
        ...
