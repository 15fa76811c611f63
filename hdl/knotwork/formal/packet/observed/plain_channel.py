"""Input channel where no packet branches."""

from collections.abc import Sequence
from functools import cached_property

from amaranth.hdl import Const, Value
from amaranth.lib import data

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network, RouterKind
from ....routing import Turn
from ...harness import Harness
from .channel import InputChannel, NodePacket, PassingPacket, header_of
from .entries import Entries
from .gates import Gates
from .plain_buffer import PlainBuffer


class PlainChannel(InputChannel):
    """Input channel whose packets take one turn each, and whose buffer keeps that turn.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind, port, vc
        As of `InputChannel`.

    Members
    -------
    buffer : PlainBuffer
        Its buffer.
    entries : Entries
        The buffer's entries.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        super().__init__(network, kind, port, vc)
        self._harness = harness
        self._gates = Gates(harness, network, kind, self)
        places = {(turn.input_port, turn.input_vc) for turn in kind.broadcast_turns}
        self._ejects_copies = (port, vc) in places
        self.entries = Entries(harness, network, kind, self)
        self.buffer = buffer = PlainBuffer(harness, self, self.entries)
        self.offered, self.arrives, self.valid = buffer.offered, buffer.arrives, buffer.valid

    @property
    def entry(self) -> data.View:
        return self.buffer.entry

    @property
    def head(self) -> data.View:
        """Flit at the head of the buffer, and its turn."""
        return self.buffer.head

    @property
    def shown(self) -> data.View:
        return self.head.flit

    @property
    def leaves(self) -> Value:
        return self.buffer.leaves

    @property
    def labels(self) -> Sequence[Value]:
        """None: no copy leaves by a link."""
        return ()

    def is_legal(self) -> Value:
        turn, flit = self.entry.turn, self.entry.flit
        right = turn.any() & is_one_hot_or_zero(turn) & self.entries.is_as_known(self.entry)
        if not self.entries.has_turn and self._gates.unicast_turns:
            right &= self._gates.of(flit, "offered").turns.any() | self._is_copy
        return right if self._ejects_copies else right & ~self._is_copy

    @property
    def _is_copy(self) -> Value:
        flit = self.entry.flit
        return flit.broadcast if "broadcast" in flit.shape().members else Const(0)

    def continues(self) -> Value:
        packet, entry = self.incoming, self.entry
        alike = (packet.turn == entry.turn) & (packet.header == header_of(entry.flit))
        return ~self.offered | ~packet.open | alike

    def asks(self, turn: Turn) -> Value:
        return self.valid & self.head.turn[self.turns.index(turn)]

    def goes(self, turn: Turn) -> Value:
        return self.leaves & self.head.turn[self.turns.index(turn)]

    def flit_by(self, turn: Turn) -> data.View:
        del turn
        return self.shown

    def going(self, turn: Turn) -> PassingPacket:
        packet = self.outgoing
        takes = packet.turn[self.turns.index(turn)]
        return PassingPacket(packet.open & takes, takes, packet.header)

    def entering(self, node: NodePacket) -> Sequence[Value]:
        packet = self.incoming
        return [
            ~packet.open | (packet.turn == self.entry.turn),
            packet.open == node.under_way,
            ~packet.open | (packet.header == node.destination),
            self.continues(),
        ]

    def leaving(self) -> Sequence[Value]:
        packet = self.outgoing
        return [~packet.open | (packet.turn.any() & is_one_hot_or_zero(packet.turn))]

    @cached_property
    def incoming(self) -> PassingPacket:
        """Packet that comes in."""
        return self._passing("in", self.arrives, self.entry)

    @cached_property
    def outgoing(self) -> PassingPacket:
        """Packet that leaves."""
        return self._passing("out", self.leaves, self.head)

    def _passing(self, name: str, passes: Value, entry: data.View) -> PassingPacket:
        harness = self._harness
        found = PassingPacket(
            open_ := harness.register(1, f"{name}_open_{self.name}"),
            turn := harness.register(len(self.turns), f"{name}_turn_{self.name}"),
            header := harness.register(len(header_of(entry.flit)), f"{name}_header_{self.name}"),
        )
        with harness.m.If(passes):
            harness.m.d.sync += [
                open_.eq(~entry.flit.last),
                turn.eq(entry.turn),
                header.eq(header_of(entry.flit)),
            ]
        return found
