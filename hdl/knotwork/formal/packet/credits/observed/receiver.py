"""Virtual channel of a link behind an output, and the credits that come back."""

from functools import cached_property

from amaranth.hdl import Signal, Value

from .....gateware.packet.credit_links import count_bits
from .....network import Network, RouterKind
from ....harness import Harness


def is_guarded(network: Network, vc: int) -> bool:
    """Whether heads enter a virtual channel of a link only while it is empty."""
    classes, escape = network.routing.classes, network.routing.escape_class
    return escape is not None and vc % classes != escape


class Receiver:
    """What a router knows of one virtual channel behind a link.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    port, vc : int
        Output port and virtual channel.

    Members
    -------
    name : str
        ``R_vc0``.
    depth : int
        Flits that the buffer behind the link holds.
    sent, on_link, credit : Value
        A flit was granted in the cycle before; it is on the link; a credit comes back.
    room : Signal
        The router knows of a free place.
    all_free : Signal or None
        It knows that all are free, where it needs to know.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        self._harness = harness
        link = network.topology.ports[port]
        self.name, self.depth = f"{link}_vc{vc}", network.depth_behind(kind.router, port)
        self._path = f"credits_{self.name}"
        self.on_link: Value = harness.port(f"{link}_o_valid")[vc]
        self.sent = self.on_link
        if network.has_crossbar_stage:
            self.sent = harness.inside(f"{self._path}.taken_before")
        self.credit: Value = harness.port(f"{link}_o_credit")[vc]
        self.room = harness.inside(f"{self._path}.room")
        has_all_free = is_guarded(network, vc)
        self.all_free = harness.inside(f"{self._path}.all_free") if has_all_free else None

    @cached_property
    def owed(self) -> Signal:
        """Flits granted before the last cycle beyond the credits that came back."""
        owed = self._harness.register(range(self.depth + 2), f"owed_{self.name}")
        self._harness.m.d.sync += owed.eq(owed + self.sent - self.credit)
        return owed

    @property
    def is_empty(self) -> Value:
        """Whether no flit is there or on the way."""
        return self.owed + self.sent == 0

    def counts(self) -> Value:
        """Whether the router's count of free places is right."""
        inside = self._harness.inside
        right = inside(f"{self._path}.two") == (self.owed + 2 <= self.depth)
        bits = count_bits(self.depth)
        if bits:
            right &= inside(f"{self._path}.count", bits) == (self.depth - self.owed)[:bits]
            if self.all_free is not None:
                right &= inside(f"{self._path}.all_but_taken") == (self.owed == 0)
        return right
