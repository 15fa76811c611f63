"""What an input channel where packets branch takes, shows and sends."""

from collections.abc import Callable
from functools import cached_property

from amaranth.hdl import Cat, Const, Mux, ShapeLike, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import label_width
from ....network import Network, RouterKind
from ....routing import Turn
from ....routing.broadcast import BroadcastOptions
from ...harness import Harness
from ..observed.channel import InputChannel, header_of
from ..observed.gates import Choice, Gates
from .memory import BranchingMemory


def longest_broadcast(network: Network) -> int:
    """Flits of the longest broadcast, in a network that has broadcasts."""
    options = network.routing.options
    assert isinstance(options, BroadcastOptions)
    assert options.max_packet is not None  # resolved
    return options.max_packet


class BranchingPorts:
    """Flits at the two ends of a channel, and the turns that they take.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    channel : InputChannel
        The channel.
    takes : callable
        Whether the output of a turn takes a flit by it in this cycle.

    Members
    -------
    name, turns, is_local
        As of the channel.
    memory : BranchingMemory
        Its buffer.
    branches : tuple of Turn
        Turns that a broadcast can take.
    longest : int
        Flits of the longest broadcast.
    offered, arrives : Signal
        A flit is offered to the buffer; the buffer takes it.
    incoming_flit : View
        That flit.
    cancel : Value
        The broadcast that comes in is too long, and is forgotten.
    valid : Signal
        A flit is shown.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        channel: InputChannel,
        takes: Callable[[Turn], Value],
    ) -> None:
        self._harness, self._takes = harness, takes
        self.name, self.turns, self.is_local = channel.name, channel.turns, channel.is_local
        self.memory = memory = BranchingMemory(harness, network, channel)
        self.longest = longest_broadcast(network)
        self.branches = kind.branches(channel.port, channel.vc)
        self._label_bits = label_width(network)
        self._gates = Gates(harness, network, kind, channel)
        given = (
            harness.inside("node_interface.injector.o_flit", memory.flit_layout.size)
            if self.is_local
            else harness.port(f"{network.topology.ports[channel.port]}_i_flit")
        )
        self.offered = memory.inside("i_valid")
        self.incoming_flit = data.View(memory.flit_layout, given)
        self.arrives = harness.named(
            self.offered & memory.inside("i_ready"), f"arrives_{self.name}"
        )
        self.cancel: Value = memory.inside("cancel") if self.is_local else Const(0)
        self.valid = memory.inside("seen")

    @cached_property
    def choice(self) -> Choice:
        """Turns and labels of the flit that is offered."""
        return self._gates.of(self.incoming_flit, "offered")

    @cached_property
    def shown(self) -> data.View:
        """Flit that is shown."""
        layout = self.memory.flit_layout
        return data.View(layout, self.memory.inside("o_payload", layout.size))

    @cached_property
    def shown_choice(self) -> Choice:
        """Turns and labels of the flit that is shown."""
        return self._gates.of(self.shown, "shown")

    @cached_property
    def shown_turns(self) -> Signal:
        """Turns of the flit that is shown; none while there is none."""
        shown = Mux(self.valid, self.shown_choice.turns, 0)
        return self._harness.named(shown, f"shown_turns_{self.name}")

    def choice_of(self, header: Value, name: str) -> Choice:
        """Turns and labels of a flit with this header."""
        layout = self.memory.flit_layout
        flit = data.View(layout, Cat(Const(0, layout.size - len(header)), header))
        return self._gates.of(flit, name)

    def flit_by(self, turn: Turn) -> data.View:
        """Flit that is shown, with the label that its copy by this turn has."""
        layout = self.memory.flit_layout
        header = self.header_by(turn, header_of(self.shown), self.shown_choice)
        rest = self.shown.as_value()[: layout.size - len(header)]
        return data.View(layout, Cat(rest, header))

    def header_by(self, turn: Turn, header: Value, choice: Choice) -> Value:
        """Header of the copy that leaves by a turn."""
        return Cat(choice.labels[self.turns.index(turn)], header[self._label_bits :])

    @cached_property
    def crosses(self) -> Signal:
        """Turns by which the flit that is shown leaves in this cycle."""
        taken = [self._takes(turn) for turn in self.turns]
        return self._harness.named(Cat(taken), f"crosses_{self.name}")

    def register(self, shape: ShapeLike, name: str) -> Signal:
        """Register of a monitor of this channel."""
        return self._harness.register(shape, f"{name}_{self.name}")
