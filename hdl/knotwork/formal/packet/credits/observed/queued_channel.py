"""Flits in the queue of an input channel of a router that counts credits."""

from collections.abc import Sequence
from functools import cached_property

from amaranth.hdl import Const, Signal, Value

from .....gateware.parts.arbiter import is_one_hot_or_zero
from .....network import Network, RouterKind
from .....routing import Turn
from ....harness import Harness
from ...observed.channel import PassingPacket
from ...observed.one_turn_channel import OneTurnChannel


class QueuedChannel(OneTurnChannel):
    """Input channel whose flits are counted, and each leaves once unless a subclass says otherwise.

    Parameters
    ----------
    harness, network, kind, port, vc
        As of `OneTurnChannel`.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        super().__init__(harness, network, kind, port, vc)
        self._link = network.topology.ports[port]

    def keeps(self) -> Sequence[Value]:
        """What must hold of the registers between a flit that arrives and its queue."""
        return ()

    def may_take(self, turns: Value) -> Value:
        """Whether a flit may have these turns, a bit each."""
        return turns.any() & is_one_hot_or_zero(turns)

    def chosen(self, turns: Value) -> Value:
        """Of the turns of the first flit, that by which it is to leave."""
        return turns

    @cached_property
    def taken(self) -> PassingPacket:
        """Packet that leaves, with the turn that it takes."""
        return self.outgoing

    def going(self, turn: Turn) -> PassingPacket:
        packet = self.taken
        takes = packet.turn[self.turns.index(turn)]
        return PassingPacket(packet.open & takes, takes, packet.header)

    @property
    def frees(self) -> Value:
        """Whether the flit that leaves is freed."""
        return self.leaves

    @cached_property
    def seen(self) -> Value:
        """Whether a flit can be read that could not before."""
        return self.arrives

    @cached_property
    def readable(self) -> Value:
        """Flits from the one that is read next to the last one that can be read."""
        return self.level

    @cached_property
    def gone(self) -> Value:
        """Flits that stay in the queue though a copy of them has left."""
        return Const(0)

    @cached_property
    def again(self) -> Value:
        """Whether the packet that is shown leaves again behind this copy."""
        return Const(0)

    @cached_property
    def level(self) -> Signal:
        """Flits in the queue, by what came and left."""
        level = self._harness.register(range(self.depth + 2), f"level_{self.name}")
        self._harness.m.d.sync += level.eq(level + self.arrives - self.leaves)
        return level

    @cached_property
    def owed(self) -> Signal:
        """Flits that the sender has sent beyond the credits that it was given."""
        owed = self._harness.register(range(self.depth + 2), f"owed_{self.name}")
        self._harness.m.d.sync += owed.eq(owed + self.arrives - self.credit)
        return owed

    @property
    def credit(self) -> Value:
        """A credit is on its way to the sender."""
        return self._harness.port(f"{self._link}_i_credit")[self.vc]
