"""Output port of a router that counts credits, and what it knows of buffers behind links."""

from functools import cached_property
from itertools import combinations

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.lib import data

from ...gateware.layouts import flit_layout
from ...gateware.packet.classes import place_name
from ...gateware.packet.credit_links import CreditCount, count_bits
from ...gateware.packet.output_port import OutputPort as OutputGateware
from ...gateware.parts.skid import SkidBuffer
from ...network import Network, RouterKind
from ..harness import Harness
from .channels import skid_path
from .front import Front


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
    has_credit : Signal
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
        self._gateware = gateware = harness.component(f"credits_{self.name}", CreditCount)
        self.on_link: Value = harness.port(f"{link}_o_valid")[vc]
        self.sent = self.on_link
        if network.has_crossbar_stage:
            self.sent = harness.probe(gateware.taken_before)
        self.credit: Value = harness.port(f"{link}_o_credit")[vc]
        self.has_credit = harness.probe(gateware.room)
        has_all_free = is_guarded(network, vc)
        self.all_free = harness.probe(gateware.all_free) if has_all_free else None

    @cached_property
    def outstanding(self) -> Signal:
        """Flits granted before the last cycle beyond the credits that came back."""
        owed = self._harness.register(range(self.depth + 2), f"owed_{self.name}")
        self._harness.m.d.sync += owed.eq(owed + self.sent - self.credit)
        return owed

    @property
    def is_empty(self) -> Value:
        """Whether no flit is there or on the way."""
        return self.outstanding + self.sent == 0

    def counts(self) -> Value:
        """Whether the router's count of free places is right."""
        probe, gateware = self._harness.probe, self._gateware
        right = probe(gateware.two) == (self.outstanding + 2 <= self.depth)
        bits = count_bits(self.depth)
        if bits:
            right &= probe(gateware.count) == (self.depth - self.outstanding)[:bits]
            if self.all_free is not None:
                right &= probe(gateware.all_but_taken) == (self.outstanding == 0)
        return right


class OutputPort:
    """Output of a router, and the fronts that can turn to it.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    port : int
        Output port.
    fronts : dict of int to Front
        Fronts by input port.

    Members
    -------
    name : str
        Name of the port, and of the class of traffic where there are several.
    link : str
        Name of the port.
    shares : bool
        Outputs of other classes of traffic send by the same link.
    is_local : bool
        It leads to a node.
    is_staged : bool
        Its flits cross the crossbar in the cycle after their grant.
    vcs : list of int
        Virtual channels that are used.
    fronts : list of Front
        Those that can turn to it, in the order of the arbiter's requesters.
    granted : Signal
        The front that crosses, a bit each.
    tail : Signal
        The flit that crosses is its packet's last.
    flit : View
        Flit behind the crossbar: the one granted in the cycle before, or in the one before that if
        it `is_staged`.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        port: int,
        fronts: dict[int, Front],
    ) -> None:
        self._harness, self.port = harness, port
        self.link = network.topology.ports[port]
        self.name = place_name(self.link, kind)
        self._gateware = gateware = harness.component(f"output_{self.name}", OutputGateware)
        self.is_local = port in kind.node_ports
        self.shares = kind.traffic_class is not None and not self.is_local
        self.is_staged = network.has_crossbar_stage and not self.is_local
        self._skid = skid_path(network, port)
        self.vcs = kind.output_vcs(port)
        self._guarded = {vc for vc in self.vcs if not self.is_local and is_guarded(network, vc)}
        self.fronts = [front for front in fronts.values() if port in front.outputs]
        self._layout = flit_layout(network)
        self.granted = harness.probe(gateware.granted)
        self.flit = data.View(self._layout, harness.probe(gateware.flit))
        lasts = Cat(front.last for front in self.fronts)
        self.tail = harness.named((self.granted & lasts).any(), f"tail_{self.name}")

    def busy(self, vc: int) -> Value:
        """Whether a packet holds a virtual channel."""
        return self._harness.probe(self._gateware.busy)[self.vcs.index(vc)]

    def has_space(self, vc: int) -> Value:
        """Whether a flit may take a virtual channel."""
        if self.is_local:
            if vc:
                return self._harness.probe(self._gateware.room)[self.vcs.index(vc)]
            skid = self._harness.component(self._skid, SkidBuffer)
            return ~self._harness.probe(skid.full)
        return self._harness.probe(self._credits(vc).room)

    def _credits(self, vc: int) -> CreditCount:
        """Count of the free places behind a virtual channel of the link."""
        return self._harness.component(f"credits_{self.link}_vc{vc}", CreditCount)

    def opens(self, vc: int) -> Value:
        """Whether a head may take a virtual channel that no packet holds."""
        if vc in self._guarded:
            return self._harness.probe(self._credits(vc).all_free)
        return self.has_space(vc)

    @cached_property
    def eligible(self) -> Signal:
        """Fronts whose flit could cross, a bit each."""
        found = []
        for front in self.fronts:
            ways = [
                front.requests_vc(self.port, vc)
                & ((front.held & self.has_space(vc)) | (~self.busy(vc) & self.opens(vc)))
                for vc in self.vcs
            ]
            found.append(Cat(ways).any())
        return self._harness.named(Cat(found), f"eligible_{self.name}")

    @property
    def is_open(self) -> Value:
        """Whether a flit may be granted, if one could cross: no other class has the link."""
        return self._harness.probe(self._gateware.open) if self.shares else Const(1)

    def grants(self, front: Front) -> Value:
        """Whether a front is granted."""
        return self.granted[self.fronts.index(front)] if front in self.fronts else Const(0)

    def taken(self, vc: int) -> Value:
        """Whether a flit is granted a virtual channel."""
        return Cat(
            self.grants(front) & front.requests_vc(self.port, vc) for front in self.fronts
        ).any()

    @cached_property
    def first(self) -> dict[tuple[int, int], Value]:
        """For each two fronts, whether the first of them comes before the other."""
        found: dict[tuple[int, int], Value] = {}
        for one, other in combinations(range(len(self.fronts)), 2):
            bit = self._harness.probe(self._gateware.arbiter.first[one, other])
            found[one, other], found[other, one] = bit, ~bit
        return found

    @property
    def link_flit(self) -> data.View:
        """Flit on the link."""
        return data.View(self._layout, self._harness.port(f"{self.link}_o_flit"))

    @cached_property
    def passing(self) -> Signal:
        """Flit that is granted."""
        flits = [front.flit_to(self.port) for front in self.fronts]
        return self._merged("passing", flits, self.granted)

    @cached_property
    def crosses(self) -> Signal:
        """Fronts whose flit was granted in the cycle before, a bit each, if it `is_staged`."""
        return self._harness.probe(self._gateware.crosses)

    @cached_property
    def crossing(self) -> Signal:
        """Flit that was granted in the cycle before, if it `is_staged`."""
        flits = [front.crossing_to(self.port) for front in self.fronts]
        return self._merged("crossing", flits, self.crosses)

    def _merged(self, name: str, flits: list[Value], chosen: Value) -> Signal:
        """The flit of those chosen; 0 without one."""
        merged: Value = Const(0, self._layout.size)
        for flit, bit in zip(flits, chosen, strict=True):
            merged = merged | (flit & bit.replicate(self._layout.size))
        return self._harness.named(merged, f"{name}_{self.name}")

    def in_flight(self, receiver: Receiver) -> list[tuple[Value, data.View]]:
        """Whether a flit to a virtual channel is under way, and that flit: the oldest first."""
        link = (receiver.on_link, self.link_flit)
        if not self.is_staged:
            return [link]
        return [link, (receiver.sent, data.View(self._layout, self.crossing))]
