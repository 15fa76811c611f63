"""What the specification of a batch algorithm says of each step, at a router."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.lib import data

from ...gateware.batch.exchange import Exchange, Sequencer
from ...gateware.batch.router import JumpTable
from ...gateware.networks import gates_of
from ...network import Network, RouterKind


class Link(NamedTuple):
    """One direction of a link, in one cycle.

    Members
    -------
    message : View
        Packet that it shows.
    requests : Value
        Whether the sender wants to exchange packets.
    """

    message: data.View
    requests: Value


class PortOutput(NamedTuple):
    """What a port must send.

    Members
    -------
    message : View
        Packet.
    requests : Value or None
        Whether the router wants to exchange packets; None where that has no meaning.
    """

    message: data.View
    requests: Value | None


class Movement(NamedTuple):
    """What becomes of a router's packet in a step.

    Members
    -------
    outputs : dict of int to PortOutput
        By port, what it sends.
    packet_after : View
        Packet that the router has after the step.
    raised : list of Value or None
        Whether the step raises F1, F2, F3; None for a flag that a router of this kind never raises.
    neighbour_rules : list of Value
        Rules that the neighbours keep.
    """

    outputs: Mapping[int, PortOutput]
    packet_after: data.View
    raised: list[Value | None]
    neighbour_rules: list[Value]


class Entry(NamedTuple):
    """Entry of the jump table, for a packet.

    Members
    -------
    jump : Value
        Jump bit.
    buddy_bit : Value
        Bit of the packet's destination that the buddy names; 0 for buddy n.
    """

    jump: Value
    buddy_bit: Value


class RegisterPart(NamedTuple):
    """Part of a register of a router's jump table.

    Members
    -------
    register : Signal
        Register.
    place : int
        Lowest bit of the part.
    value : Value
        Value that it has.
    when : Value
        Condition under which it has it.
    """

    register: Signal
    place: int
    value: Value
    when: Value


class SequencerRegister(NamedTuple):
    """Register of the controller's sequencer.

    Members
    -------
    register : Signal
        Register.
    value : Value
        Value that it has.
    """

    register: Signal
    value: Value


class ControlSignals(NamedTuple):
    """Signals of the controller, which say what the routers do in this cycle.

    Members
    -------
    running : Value
        A step is under way.
    last, done : Value
        The step's last cycle; the batch's.
    entry : View
        Entry of the jump table.
    loads : Value
        Dimension, one-hot, that the entry is for.
    """

    running: Value
    last: Value
    done: Value
    entry: data.View
    loads: Value


class BatchState(Protocol):
    """Where in a batch a router is; `contract.Batches` gives it."""

    @property
    def control(self) -> ControlSignals:
        """Signals of the controller."""
        ...

    @property
    def step(self) -> Signal:
        """Step of the batch."""
        ...

    @property
    def table(self) -> list[Signal]:
        """By dimension, the entry of the jump table that was last loaded."""
        ...

    @property
    def loaded(self) -> Signal:
        """How many entries have come in their order."""
        ...

    def entry(self, k: int, destination: Value) -> Entry:
        """Entry of the jump table for a dimension, for a packet to this destination."""
        ...


class Expectation(ABC):
    """What an algorithm does, step by step.

    Parameters
    ----------
    network : Network
        Network with batches.
    """

    def __init__(self, network: Network) -> None:
        self._network = network

    @property
    @abstractmethod
    def steps(self) -> int:
        """Steps of a batch."""

    @abstractmethod
    def schedules(self) -> list[Const]:
        """What the controller sends to all routers, by step."""

    @abstractmethod
    def movement(
        self,
        batches: BatchState,
        kind: RouterKind,
        address: Value,
        own_packet: data.View,
        links: Mapping[int, Link],
    ) -> Movement:
        """Movement of a step, as a router of this kind sees it.

        Parameters
        ----------
        batches : BatchState
            Step, and jump table.
        kind, address : RouterKind, Value
            Router.
        own_packet : View
            Packet that it has.
        links : dict of int to Link
            By port, what comes in.
        """

    @abstractmethod
    def register_parts(self, batches: BatchState, exchange: Exchange) -> list[RegisterPart]:
        """Entries of the jump table that a router with this exchange keeps."""

    @abstractmethod
    def sequencing(self, batches: BatchState, sequencer: Sequencer) -> Sequence[SequencerRegister]:
        """Registers of the sequencer, but for those of the schedule that it shows."""

    def _entry(self, table: JumpTable, entry: Value, place: int, when: Value) -> list[RegisterPart]:
        """An entry of the jump table, at one of the places of the registers `jump` and `buddy`."""
        *buddy, jump = entry
        bits = len(buddy)
        return [
            RegisterPart(table.jump, place, jump, when),
            RegisterPart(table.buddy, place * bits, Cat(buddy), when),
        ]

    def _shifted(
        self, batches: BatchState, table: JumpTable, turned: Sequence[int]
    ) -> list[RegisterPart]:
        """The complete table in shift registers.

        Parameters
        ----------
        turned : sequence of int
            By step, how often they have advanced before it.
        """
        n, found = self._network.topology.address_width, []
        for i in range(n):
            for loaded in range(n - i, n):
                when = ~batches.control.running & (batches.loaded == loaded)
                found += self._entry(table, batches.table[2 * n - 1 - i - loaded], i, when)
            for turn in range(n):
                steps = [step for step, count in enumerate(turned) if count % n == turn]
                when = (batches.loaded == n) & among(batches.step, steps)
                found += self._entry(table, batches.table[n - 1 - (i + turn) % n], i, when)
        return found

    def _constant(self, members: dict[str, int]) -> Const:
        """Schedule with these members."""
        network = self._network
        layout = gates_of(network).SEQUENCERS[network.routing.name].layout(network)
        return Const(layout.const(members).as_value().value, layout.size)


def among(step: Value, steps: list[int]) -> Value:
    """Whether a step is one of these."""
    return step.matches(*steps) if steps else Const(0)
