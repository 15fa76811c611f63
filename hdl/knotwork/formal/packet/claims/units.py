"""Claims about the packets that a node with a multicast unit sends into its router."""

from collections.abc import Iterator
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ....gateware.layouts import flit_layout
from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....gateware.parts.injector import node_lane
from ..observed.arbiters import Arbiter
from ..observed.node_side import is_guarded
from ..router_harness import RouterHarness
from .skid import claim_shown_beat


class Unit:
    """What sends into the router at a node: the injector, and the stores of its multicast unit.

    Members
    -------
    sources : list of (str, list of int)
        Their paths, and the classes in which each sends.
    channels : int
        Virtual channels of the node: the classes of each of its lanes.
    offers : list of (int, int, Value)
        Number of the source, channel of the node, and whether a flit of it enters the router.
    first_vc : int
        Virtual channel that is the first of the node's.
    """

    def __init__(self, harness: RouterHarness, port: int) -> None:
        self._harness, self.path = harness, harness.at_node("node_interface", port)
        self._port = port
        self._layout, classes = flit_layout(harness.network), harness.network.routing.classes
        self.classes = classes
        stores = [("store_source", list(range(classes)))]
        stores += [(f"store_{number}", list(range(number))) for number in range(1, classes)]
        self.sources = [("injector", [0]), *stores]
        self.first_vc = min(harness.kind.input_vcs(port))
        self.channels = harness.network.virtual_channels // harness.network.traffic_classes
        goes = harness.inside(f"{self.path}.inject_switch.grant", self.channels)
        self.offers: list[tuple[int, int, Value]] = []
        for vc in range(self.channels):
            senders = [n for n, (_, own) in enumerate(self.sources) if vc % classes in own]
            grant = harness.inside(f"{self.path}.inject_{vc}.grant", len(senders))
            self.offers += [(n, vc, bit & goes[vc]) for n, bit in zip(senders, grant, strict=True)]

    def inside(self, path: str, bits: int = 1) -> Signal:
        return self._harness.inside(f"{self.path}.{path}", bits)

    def arbiters(self) -> Iterator[Arbiter]:
        """Arbiters of several requesters."""
        if self.channels > 1:
            yield Arbiter(self._harness, f"{self.path}.inject_switch", self.channels)
        if self.classes > 1:
            yield Arbiter(self._harness, f"{self.path}.eject", self.classes)
        for vc in range(self.channels):
            count = sum(one == vc for _, one, _ in self.offers)
            if count > 1:
                yield Arbiter(self._harness, f"{self.path}.inject_{vc}", count)

    def flit(self, number: int) -> data.View:
        """Flit that a source shows."""
        name = "o_payload" if number else "o_flit"
        path = f"{self.sources[number][0]}.{name}"
        return data.View(self._layout, self.inside(path, self._layout.size))

    def sends(self, number: int, vc: int) -> Value:
        """Whether a store is sending a copy in a channel of the node's."""
        path = self.sources[number][0]
        lane, vc_class = divmod(vc, self.classes)
        found = self.inside(f"{path}.o_valid")
        bits = (self.classes - 1).bit_length()
        if bits:
            found &= self.inside(f"{path}.vc_class", bits) == vc_class
        if self.channels > self.classes:
            found &= self._lane(self.flit(number).destination) == lane
        return found

    def starts(self, destination: Value) -> list[Value]:
        """Whether a packet of the node itself starts in each virtual channel of the network."""
        vcs = range(self._harness.network.virtual_channels)
        starts = [vc - self.first_vc for vc in vcs]
        lane = self._lane(destination)
        return [
            lane == start // self.classes
            if 0 <= start < self.channels and start % self.classes == 0
            else Const(0)
            for start in starts
        ]

    def _lane(self, destination: Value) -> Value:
        """Lane of a flow from the node, among its own."""
        address = self._harness.constant(self._harness.at_node("address", self._port))
        return node_lane(self._harness.network, self._port, address, destination)[0]


def claim_unit(harness: RouterHarness, port: int, given: dict[str, Value], alone: Value) -> None:
    """Claim that flits enter packet by packet, those of the node as it gives them.

    `given` has the fields of the node's flit, and `alone` tells whether it offers one that is not
    of a multicast.
    """
    unit = Unit(harness, port)
    flit = unit.flit(0)
    vcs = harness.network.virtual_channels
    shown = unit.inside("injector.o_valid", vcs)
    harness.claim(shown == Mux(alone, Cat(unit.starts(given["destination"])), 0))
    alike = Cat(flit[name] == value for name, value in given.items())
    harness.claim(~alone | (alike.all() & ~flit.chain))
    offers = [bit for *_, bit in unit.offers]
    harness.claim(is_one_hot_or_zero(Cat(offers)))
    if unit.channels > 1:
        harness.claim(Arbiter(harness, f"{unit.path}.inject_switch", unit.channels).is_consistent())
    for vc in range(unit.channels):
        channel: Any = harness.channels[
            port, unit.first_vc + vc
        ]  # of a router with credits: a `CreditChannel`
        here = [(number, bit) for number, one, bit in unit.offers if one == vc]
        harness.claim(channel.offered == Cat(bit for _, bit in here).any())
        harness.claim(channel.arrives == channel.offered)
        for number, bit in here:
            same = channel.entry.flit.as_value() == unit.flit(number).as_value()
            harness.claim(~bit | same)
        _packet_by_packet(harness, unit, channel, [number for number, _ in here])


def _packet_by_packet(harness: RouterHarness, unit: Unit, channel: Any, sources: list[int]) -> None:
    """Claim that the source of a packet under way keeps the virtual channel, and its header."""
    packet, vc = channel.incoming, channel.vc - unit.first_vc
    owners: Value = Const(1, 1)
    if len(sources) > 1:
        arbiter = Arbiter(harness, f"{unit.path}.inject_{vc}", len(sources))
        harness.claim(arbiter.is_consistent())
        harness.claim(~packet.open | arbiter.hold)
        owners = arbiter.last
    for owner, number in zip(owners, sources, strict=True):
        goes_on = packet.open & owner
        flit = unit.flit(number)
        is_open = unit.inside("injector.in_packet") & ~unit.inside("injector.dropped")
        is_open = unit.sends(number, vc) if number else is_open
        harness.claim(~goes_on | is_open)
        if is_guarded(flit):
            continue
        destination = flit.destination
        if not number:
            destination = unit.inside("injector.kept", len(destination))
            if unit.channels > unit.classes:
                harness.claim(~goes_on | unit.starts(destination)[channel.vc])
        harness.claim(~goes_on | (destination == packet.header))
    if not harness.network.has_parity:  # else the turns are those of the first flit anyway
        harness.claim(~packet.open | (packet.turn == channel.turns_by(packet.header)))
    harness.claim(channel.continues())


def claim_shared_ejection(
    harness: RouterHarness, port: int, flit: data.View, offered: Value
) -> Value:
    """Claim that the node gets whole packets, ejected ones and those of stores, each beat once.

    Returns
    -------
    Value
        Whether the skid buffer keeps a beat.
    """
    m, unit = harness.m, Unit(harness, port)
    beat, prefix = harness.beat(port), harness.at_node("m_axis", port)
    valid, ready = harness.port(f"{prefix}_tvalid"), harness.port(f"{prefix}_tready")
    arbiter = Arbiter(harness, f"{unit.path}.eject", unit.classes)
    grant = arbiter.grant
    full, shown = claim_shown_beat(harness, port, flit, offered, grant[0] & ready)
    harness.claim((valid == grant.any()) & is_one_hot_or_zero(grant) & arbiter.is_consistent())
    harness.claim(~grant[0] | ((full | offered) & (beat == shown)))
    harness.claim(~((full | offered) & ready) | valid)
    for number in range(1, unit.classes):
        path = f"store_{number}.deliver"
        payload = unit.inside(f"{path}_payload", len(beat))
        harness.claim(~grant[number] | (unit.inside(f"{path}_valid") & (beat == payload)))
    owner = harness.register(len(grant), harness.at_node("owner", port))
    goes_on = harness.register(1, harness.at_node("goes_on", port))
    with m.If(valid):
        m.d.sync += [owner.eq(grant), goes_on.eq(~(ready & harness.port(f"{prefix}_tlast")))]
    harness.claim(~goes_on | ((grant & ~owner) == 0))
    harness.claim((arbiter.hold == goes_on) & (~goes_on | (arbiter.last == owner)))
    for number in range(1, unit.classes):
        delivers = unit.inside(f"store_{number}.deliver_valid")
        harness.claim(~(goes_on & owner[number]) | delivers)
    harness.cover(valid & ready & full)
    return full


def assume_packets_fit(harness: RouterHarness) -> None:
    """Assume that what comes to a store fits, and is a chain and data behind it."""
    depth = harness.network.routing.options.longest_copied_packet
    for port in harness.kind.node_ports:
        unit = Unit(harness, port)
        for arbiter in unit.arbiters():
            harness.claim(arbiter.is_consistent())
        for number, (path, _) in enumerate(unit.sources[1:]):
            came = data.View(
                unit.flit(0).shape(), unit.inside(f"{path}.i_payload", unit.flit(0).shape().size)
            )
            taken = unit.inside(f"{path}.i_valid") & unit.inside(f"{path}.i_ready")
            flits, total = (
                unit.inside(f"{path}.{name}", depth.bit_length()) for name in ("flits", "total")
            )
            fits = (flits != depth) & (total != 0) & ~came.chain
            discard = unit.inside(f"{path}.discard") if number == 0 else Const(0)
            if number and harness.network.has_parity:
                fits |= unit.inside(f"{path}.broken") | came.wrong
            harness.assume(~(taken & came.last & ~discard) | fits)
