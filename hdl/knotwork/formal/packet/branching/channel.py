"""Input channel where packets branch."""

from collections.abc import Callable, Sequence
from functools import cached_property

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network, RouterKind
from ....routing import Turn
from ...harness import Harness
from ..observed.channel import InputChannel, NodePacket, PassingPacket, header_of
from .contents import Contents, Front, Incoming
from .ports import BranchingPorts


class BranchingChannel(InputChannel):
    """Input channel whose buffer is read by each branch of a broadcast at its own pace.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind, port, vc
        As of `InputChannel`.
    takes : callable
        Whether the output of a turn takes a flit by it in this cycle.

    Members
    -------
    ports : BranchingPorts
        What it takes, shows and sends.
    memory : BranchingMemory
        Its buffer.
    longest : int
        Flits of the longest broadcast.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        port: int,
        vc: int,
        *,
        takes: Callable[[Turn], Value],
    ) -> None:
        super().__init__(network, kind, port, vc)
        self._harness = harness
        self.ports = ports = BranchingPorts(harness, network, kind, self, takes)
        self.memory, self.longest = ports.memory, ports.longest
        self.layout = data.StructLayout({"flit": self.memory.flit_layout, "turn": len(self.turns)})
        self.offered, self.arrives, self.valid = ports.offered, ports.arrives, ports.valid

    @property
    def branches(self) -> list[int]:
        """Numbers of the turns that a broadcast can take."""
        return [n for n, turn in enumerate(self.turns) if turn in self.ports.branches]

    @property
    def entry(self) -> data.View:
        """Flit that is offered, and its turns."""
        flit, choice = self.ports.incoming_flit, self.ports.choice
        return data.View(self.layout, Cat(flit.as_value(), choice.turns))

    @property
    def shown(self) -> data.View:
        return self.ports.shown

    @property
    def leaves(self) -> Value:
        return self.ports.crosses.any()

    @property
    def labels(self) -> Sequence[Value]:
        return self.ports.choice.labels

    def flit_by(self, turn: Turn) -> data.View:
        return self.ports.flit_by(turn)

    def goes(self, turn: Turn) -> Value:
        return self.ports.crosses[self.turns.index(turn)]

    def is_legal(self) -> Value:
        turn, flit = self.entry.turn, self.entry.flit
        return turn.any() & (flit.broadcast | is_one_hot_or_zero(turn))

    def continues(self) -> Value:
        """Whether what is offered continues its packet, or begins one, and is not too long.

        At the local input a broadcast may become too long before its tail.
        """
        came, flit, cancel = self.incoming, self.entry.flit, self.ports.cancel
        count = came.count
        alike = ~came.open | (came.header == header_of(flit))
        rest = (count < self.longest) if self.is_local else (count + 1 < self.longest) | flit.last
        cancels = came.open & came.header[-1] & ~self.offered
        return (~self.offered | (alike & (~flit.broadcast | rest))) & (~cancel | cancels)

    def asks(self, turn: Turn) -> Value:
        """Whether a branch asks for this turn's output, which it does until it is through."""
        front = self.front
        return Mux(front.started, front.left, self.ports.shown_turns)[self.turns.index(turn)]

    def going(self, turn: Turn) -> PassingPacket:
        """Packet on its way out by a turn, with the header that it has there."""
        return self._going[self.turns.index(turn)]

    @cached_property
    def _going(self) -> list[PassingPacket]:
        found = []
        for number, turn in enumerate(self.turns):
            header = header_of(self.flit_by(turn))
            opened = self.ports.register(1, f"opened{number}")
            passed = self.ports.register(len(header), f"header{number}")
            with self._harness.m.If(self.ports.crosses[number]):
                self._harness.m.d.sync += [opened.eq(~self.shown.last), passed.eq(header)]
            found.append(PassingPacket(opened, Const(1, 1), passed))
        return found

    def entering(self, node: NodePacket) -> Sequence[Value]:
        packet = self.incoming
        wide = Const(0, len(packet.header) - len(node.source) - 1 - len(node.destination))
        header = Cat(node.destination, wide, node.source, node.is_broadcast)
        return [
            self.ports.cancel == node.cancels,
            ~packet.open | (packet.count == Mux(node.is_broadcast, node.beats, 0)),
            packet.open | (packet.count == 0),
            packet.open == node.under_way,
            ~packet.open | (packet.header == header),
            self.continues(),
        ]

    def leaving(self) -> Sequence[Value]:
        front = self.front
        turns = front.choice.turns
        found = [~front.opened | (turns.any() & is_one_hot_or_zero(turns))]
        for number, turn in enumerate(self.turns):
            packet = self.going(turn)
            begun = front.left[number] & (front.gone[number] != 0)
            alone = front.opened & turns[number]
            found.append(packet.open == Mux(front.started, begun, alone))
            header = self.ports.header_by(turn, front.header, front.choice)
            found.append(~packet.open | (packet.header == header))
        return found

    @cached_property
    def front(self) -> Front:
        """Packet at the head of the buffer."""
        return Front(self._harness, self.ports)

    @cached_property
    def incoming(self) -> Incoming:
        """Packet that comes in."""
        return Incoming(self._harness, self.ports)

    @cached_property
    def contents(self) -> Contents:
        """What is in the buffer."""
        return Contents(self._harness, self.ports, self.front, self.incoming)

    @cached_property
    def holds(self) -> list[Value]:
        """Whether there is a flit in each word of the memory."""
        return [place < self.contents.level for place in self.memory.places]
