"""Input channel whose packets take one turn each."""

from abc import abstractmethod
from collections.abc import Sequence
from functools import cached_property

from amaranth.hdl import Const, Value
from amaranth.lib import data

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network, RouterKind
from ....routing import Turn
from ...harness import Harness
from .channel import InputChannel, NodePacket, PassingPacket, header_of


class OneTurnChannel(InputChannel):
    """Input channel where no packet branches: what comes in and leaves is one packet at a time.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind, port, vc
        As of `InputChannel`.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        super().__init__(network, kind, port, vc)
        self._harness = harness

    @property
    @abstractmethod
    def shown_turn(self) -> Value:
        """Turn of the flit that is shown, a bit each."""

    @property
    def labels(self) -> Sequence[Value]:
        """None: no copy leaves by a link."""
        return ()

    def continues(self) -> Value:
        packet, entry = self.incoming, self.entry
        alike = (packet.turn == entry.turn) & (packet.header == header_of(entry.flit))
        return ~self.offered | ~packet.open | alike

    def asks(self, turn: Turn) -> Value:
        return self.valid & self.shown_turn[self.turns.index(turn)]

    def goes(self, turn: Turn) -> Value:
        return self.leaves & self.shown_turn[self.turns.index(turn)]

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
            *self._entering_header(node),
        ]

    def _entering_header(self, node: NodePacket) -> Sequence[Value]:
        """What must hold of the header of the packet that enters."""
        packet = self.incoming
        return [~packet.open | (packet.header == node.destination), self.continues()]

    def leaving(self) -> Sequence[Value]:
        packet = self.outgoing
        return [~packet.open | (packet.turn.any() & is_one_hot_or_zero(packet.turn))]

    @cached_property
    def incoming(self) -> PassingPacket:
        """Packet that comes in."""
        return self._passing("in", self.arrives, *self._comes)

    @property
    def _comes(self) -> tuple[data.View, Value]:
        """Flit that comes, and its turns."""
        return self.entry.flit, self.entry.turn

    @cached_property
    def outgoing(self) -> PassingPacket:
        """Packet that leaves."""
        return self._passing("out", self.leaves, self.shown, self.shown_turn)

    def _passing(
        self, name: str, passes: Value, flit: data.View, flit_turn: Value
    ) -> PassingPacket:
        harness, header = self._harness, header_of(flit)
        found = PassingPacket(
            open_ := harness.register(1, f"{name}_open_{self.name}"),
            turn := harness.register(len(self.turns), f"{name}_turn_{self.name}"),
            header,
        )
        with harness.m.If(passes):
            harness.m.d.sync += [open_.eq(~flit.last), turn.eq(flit_turn)]
        if isinstance(header, Const):  # flits share none: a register could have any value
            return found
        kept = harness.register(len(header), f"{name}_header_{self.name}")
        with harness.m.If(passes):
            harness.m.d.sync += kept.eq(header)
        return found._replace(header=kept)
