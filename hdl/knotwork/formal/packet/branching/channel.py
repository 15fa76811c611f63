"""Input channel of a packet router where packets branch: its ports, its state, and its packets."""

from functools import cached_property
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import label_width
from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network, RouterKind
from ....routing import Turn
from ....topology import LOCAL
from ..observed.channel import Channel, Packets, header_of
from ..observed.gates import Choice, Gates
from .contents import Contents, Front, Incoming
from .places import Places


def longest_of(network: Network) -> int:
    """Flits of the longest broadcast."""
    options: Any = network.routing.options
    return options.max_packet


class BranchingInput(Places):
    """One virtual channel of an input port, of whose buffer branches read at their own pace.

    Parameters
    ----------
    bench : Bench
        Bench of the router; its outputs say which turns a flit takes in a clock.
    network, kind : Network, RouterKind
        Router.
    port, vc : int
        Channel.

    Members
    -------
    name, turns, depth, layout, entry, offered, arrives, head
        As of a `Channel`; a broadcast has several turns.
    branches : tuple of Turn
        Turns that a broadcast can take.
    longest : int
        Flits of the longest broadcast.
    seen : Signal
        A flit is shown: `head`.
    """

    def __init__(self, bench: Any, network: Network, kind: RouterKind, port: int, vc: int) -> None:
        name = f"{network.topology.ports[port]}_vc{vc}"
        super().__init__(bench, network, name)
        self.port, self.vc = port, vc
        self.is_local = port == LOCAL
        self.longest = longest_of(network)
        self.turns = tuple(t for t in kind.turns if (t.input_port, t.input_vc) == (port, vc))
        self.branches = kind.branches(port, vc)
        self._label_bits = label_width(network)
        self.layout = data.StructLayout({"flit": self.flit_layout, "turn": len(self.turns)})
        self._gates = Gates(bench, network, kind, port, vc)
        source = "core.interface.injector.o__flit"
        given = (
            bench.inside(source, self.flit_layout.size)
            if self.is_local
            else bench.port(f"{network.topology.ports[port]}_i_flit")
        )
        self.offered = self._inside("i__valid")
        self.incoming_flit: Any = data.View(self.flit_layout, given)
        self.arrives = bench.named(self.offered & self._inside("i__ready"), f"arrives_{self.name}")
        self.cancel: Value = self._inside("cancel") if self.is_local else Const(0)
        self.seen: Signal = self._inside("o__valid")

    @property
    def copies(self) -> list[int]:
        """Numbers of the turns that a broadcast can take."""
        return [number for number, turn in enumerate(self.turns) if turn in self.branches]

    @cached_property
    def choice(self) -> Choice:
        """Turns and labels of the flit that is offered."""
        return self._gates.of(self.incoming_flit, "offered")

    @cached_property
    def entry(self) -> Any:
        """Flit that is offered, and its turns."""
        return data.View(self.layout, Cat(self.incoming_flit.as_value(), self.choice.turns))

    @cached_property
    def head(self) -> Any:
        """Flit that is shown."""
        return data.View(self.flit_layout, self._inside("o__payload", self.flit_layout.size))

    @cached_property
    def chosen(self) -> Choice:
        """Turns and labels of the flit that is shown."""
        return self._gates.of(self.head, "shown")

    def choice_of(self, header: Value, name: str) -> Choice:
        """Turns and labels of a flit with this header."""
        bits = self.flit_layout.size - len(header)
        return self._gates.of(data.View(self.flit_layout, Cat(Const(0, bits), header)), name)

    def flit_by(self, turn: Turn) -> Any:
        """Flit as it leaves by a turn: the one that is shown, with its label there."""
        header = self.copy(header_of(self.head), self.chosen, turn)
        rest = self.head.as_value()[: self.flit_layout.size - len(header)]
        return data.View(self.flit_layout, Cat(rest, header))

    def copy(self, header: Value, choice: Choice, turn: Turn) -> Value:
        """Header that a copy has which leaves by a turn."""
        return Cat(choice.labels[self.turns.index(turn)], header[self._label_bits :])

    @cached_property
    def crosses(self) -> Signal:
        """Turns by which the flit shown leaves in this clock: as their outputs say."""
        taken = []
        for turn in self.turns:
            output = self._bench.output(turn.output_port)
            place = [one for _, one in output.turns(turn.output_vc)].index(turn)
            grant = output.arbiter(turn.output_vc).grant[place]
            taken.append(output.crosses(turn.output_vc) & grant)
        return self._bench.named(Cat(taken), f"crosses_{self.name}")

    @property
    def leaves(self) -> Value:
        """Whether the flit shown leaves by some turn."""
        return self.crosses.any()

    def goes(self, turn: Turn) -> Value:
        """Whether the flit shown leaves by this turn."""
        return self.crosses[self.turns.index(turn)]

    def is_legal(self) -> Value:
        """Whether the routing can bring here what is offered."""
        turn, flit = self.entry.turn, self.entry.flit
        return turn.any() & (flit.broadcast | is_one_hot_or_zero(turn))

    def continues(self) -> Value:
        """Whether what is offered goes on with its packet, or begins one, and is not too long.

        At the local input a broadcast may have been too long before its last flit.
        """
        came, flit = self.incoming, self.entry.flit
        count = came.count
        alike = ~came.open | (came.header == header_of(flit))
        rest = (count < self.longest) if self.is_local else (count + 1 < self.longest) | flit.last
        cancels = came.open & came.header[-1] & ~self.offered
        return (~self.offered | (alike & (~flit.broadcast | rest))) & (~self.cancel | cancels)

    def asks(self, turn: Turn) -> Value:
        """Whether this turn's output is asked for: by a branch, until it is through."""
        front = self.front
        return Mux(front.started, front.left, self.shown_turns)[self.turns.index(turn)]

    def going(self, turn: Turn) -> Packets:
        """Packet on its way out by a turn, with the header that it has there."""
        return self._going[self.turns.index(turn)]

    @cached_property
    def _going(self) -> list[Packets]:
        found = []
        for number, turn in enumerate(self.turns):
            header = header_of(self.flit_by(turn))
            opened = self.register(1, f"opened{number}")
            passed = self.register(len(header), f"header{number}")
            with self._bench.m.If(self.crosses[number]):
                self._bench.m.d.sync += [opened.eq(~self.head.last), passed.eq(header)]
            found.append(Packets(opened, Const(1, 1), passed))
        return found

    def claim_packets(self, bench: Any) -> None:
        """Claim by which turns the packet that is shown is on its way out, and as what."""
        front = self.front
        turns = front.choice.turns
        bench.claim(~front.opened | (turns.any() & is_one_hot_or_zero(turns)))
        for number, turn in enumerate(self.turns):
            packet = self.going(turn)
            begun = front.left[number] & (front.gone[number] != 0)
            alone = front.opened & turns[number]
            bench.claim(packet.open == Mux(front.started, begun, alone))
            header = self.copy(front.header, front.choice, turn)
            bench.claim(~packet.open | (packet.header == header))

    @cached_property
    def shown_turns(self) -> Signal:
        """Turns of the flit that is shown; none while there is none."""
        shown = Mux(self.seen, self.chosen.turns, 0)
        return self._bench.named(shown, f"shown_turns_{self.name}")

    @cached_property
    def front(self) -> Front:
        """Packet at the head of the buffer."""
        return Front(self._bench, self)

    @cached_property
    def incoming(self) -> Incoming:
        """Packet that comes."""
        return Incoming(self._bench, self)

    @cached_property
    def contents(self) -> Contents:
        """What is in the buffer."""
        return Contents(self._bench, self)

    def register(self, shape: Any, name: str) -> Signal:
        """Register of a monitor of this channel."""
        return self._bench.register(shape, f"{name}_{self.name}")

    @cached_property
    def holds(self) -> list[Value]:
        """Whether there is a flit in each word of the memory."""
        return [place < self.contents.level for place in self.places]


AnyChannel = Channel | BranchingInput
"""Input channel, whether its packets branch or not."""
