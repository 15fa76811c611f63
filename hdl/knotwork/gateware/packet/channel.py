"""What a packet router asks of an input channel, whether or not packets branch in it."""

from typing import ClassVar

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import stream, wiring

from ...routing import Turn
from ...untyped import Statement
from ..layouts import Link
from ..parts.route import RouteComputation


class Channel(wiring.Component):
    """Input channel of one virtual channel; the defaults are those of one that does not branch.

    Members
    -------
    address : In(address_width)
        The router's own address.
    i, o : stream.Interface
        Flits from the link, and to the crossbar.
    select : Out(len(turns))
        Turns that are asked for.
    """

    branches: ClassVar[bool] = False
    """Whether a packet can leave by several turns."""
    escapes: bool = False
    """Whether a blocked packet can ask for another turn."""

    address: Signal
    i: stream.Interface
    o: stream.Interface
    select: Signal

    def elaborate(self, platform: object) -> Module:
        raise NotImplementedError

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turns in the order of `select`."""
        raise NotImplementedError

    @property
    def routes(self) -> tuple[RouteComputation | None, RouteComputation | None]:
        """Gates of its packets' routes, and of their ways to escape; None where there are none."""
        raise NotImplementedError

    def answer_sender(self, sender: Link, vc: int) -> list[Statement]:
        """Assignments beside the handshake between the channel and the link's sender."""
        del sender, vc
        return []

    def shows(self, number: int) -> Value:
        """Whether the flit at `o` is the next one for a turn."""
        del number
        return self.o.valid

    def hear_room(self, number: int, could: Value) -> list[Statement]:
        """Assignments that tell the channel whether a turn has its output and room behind it."""
        del number, could
        return []

    def hear_crossing(self, number: int, crosses: Value) -> list[Statement]:
        """Assignments that tell the channel that the flit at `o` crosses by a turn."""
        del number, crosses
        return []

    def label(self, number: int, bits: int) -> Value:
        """Lowest bits of the destination that the flit has when it leaves by a turn."""
        del number
        return Value.cast(self.o.p.destination)[:bits]

    def hear_escape(self, number: int, *, is_open: Value, granted: Value) -> list[Statement]:
        """Assignments that tell the channel whether a turn is open, and granted to its packet."""
        raise NotImplementedError
