"""Claims about a node's side of its packet router: what it sends, and what it gets."""

from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import Any

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from ...gateware.layouts import flit_layout
from ...gateware.packet.classes import Regulator
from ...gateware.packet.multicast import ChainCheck, MulticastInterface
from ...gateware.packet.store import Store
from ...gateware.parts.arbiter import RoundRobinArbiter, is_one_hot_or_zero
from ...gateware.parts.buffer import SkidBuffer
from ...gateware.parts.injector import Injector, node_lane
from ...gateware.parts.parity import Marker
from ...network import RouterKind
from ...routing.draws import ADDRESS_BITS, SHIFTS, STATE_BITS, first_state
from ..harness import Harness
from ..property import Property
from .channels import NodePacket, is_guarded, is_wrong, skid_path, voted_last
from .router_harness import RouterHarness
from .rule_turns import pattern, routers_of


def claim_skid(
    harness: RouterHarness, port: int, given: Value, offered: Value, taken: Value
) -> tuple[Signal, Signal]:
    """Claim that the skid buffer keeps a beat that is offered while none of it is taken.

    Returns
    -------
    (Signal, Signal)
        Whether it keeps a beat, and the beat that it shows.
    """
    full = harness.register(1, harness.at_node("full", port))
    kept = harness.register(len(given), harness.at_node("kept", port))
    harness.m.d.sync += full.eq((full | offered) & ~taken)
    with harness.m.If(~full):
        harness.m.d.sync += kept.eq(given)
    path = skid_path(harness.network, port)
    skid = harness.component(path, SkidBuffer)
    harness.claim(harness.probe(skid.full) == full)
    harness.claim(~full | (harness.probe(skid.kept) == kept))
    return full, harness.named(Mux(full, kept, given), harness.at_node("shown", port))


def claim_shown_beat(
    harness: RouterHarness, port: int, flit: data.View, offered: Value, ready: Value
) -> tuple[Value, Value]:
    """Claim what the skid buffer keeps; with parity also what the marker does.

    Returns
    -------
    tuple of (Value, Value)
        Whether the skid buffer keeps a flit; beat of that flit, or of the one that is offered.
    """
    if not harness.network.has_parity:
        beat = Cat(flit.data, flit.last, flit.source, _lost_flag(flit))
        return claim_skid(harness, port, beat, offered, ready)
    address = harness.constant(harness.at_node("address", port))
    wrong = is_wrong(flit, address)
    given = Cat(wrong if name == "wrong" else flit[name] for name in flit.shape().members)
    full, kept = claim_skid(harness, port, given, offered, ready)
    shown = data.View(flit.shape(), kept)
    # A beat that waits while others go to the node is marked as it came.
    harness.claim(~full | (shown.wrong == is_wrong(shown, address)))
    taken = (full | offered) & ready
    return full, _marked_beat(harness, port, shown, taken)


def _marked_beat(harness: RouterHarness, port: int, flit: data.View, taken: Value) -> Value:
    """Beat of a flit; wrong from the first wrong flit of a packet to its last."""
    marked = harness.register(1, harness.at_node("marked", port))
    is_last, found = voted_last(flit), marked | flit.wrong
    with harness.m.If(taken):
        harness.m.d.sync += marked.eq(found & ~is_last)
    path = skid_path(harness.network, port).removesuffix(".skid")
    harness.claim(harness.probe(harness.component(path, Marker).marked) == marked)
    harness.cover(taken & marked & is_last)
    harness.cover(taken & found & ~marked)
    return Cat(flit.data, is_last, flit.source, found, _lost_flag(flit))


def _lost_flag(flit: data.View) -> Value:
    """Flag of a flit that ends a packet which a dead link cut; of no bits elsewhere."""
    return flit.lost if "lost" in flit.shape().members else Const(0, 0)


def claim_held_beats(harness: RouterHarness, port: int) -> None:
    """Claim that a beat to the node at a port stays until it is taken."""
    prefix = harness.at_node("m_axis", port)
    valid, ready = harness.port(f"{prefix}_tvalid"), harness.port(f"{prefix}_tready")
    harness.claim_held(valid, ready, harness.beat(port), prefix)
    harness.cover(valid & ~ready)


def claim_ejected(harness: RouterHarness, port: int, flit: data.View, offered: Value) -> Value:
    """Claim that the node gets the beat that leaves the router, or the one that the skid kept.

    Returns
    -------
    Value
        Whether the skid buffer keeps a beat.
    """
    beat, prefix = harness.beat(port), harness.at_node("m_axis", port)
    valid, ready = harness.port(f"{prefix}_tvalid"), harness.port(f"{prefix}_tready")
    full, shown = claim_shown_beat(harness, port, flit, offered, ready)
    harness.claim(valid == (full | offered))
    harness.claim(~valid | (beat == shown))
    harness.cover(valid & ready & full)
    return full


class Arbiter:
    """Round-robin arbiter (`gateware.parts.arbiter`).

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    path : str
        Its place in the router.
    requesters : int
        How many can request.

    Members
    -------
    grant : Signal
        One-hot: the requester that is served.
    last : Signal
        One-hot: the requester that was served last.
    hold : Signal
        The last requester is still served.
    """

    def __init__(self, harness: Harness, path: str, requesters: int) -> None:
        self.requesters = requesters
        arbiter = harness.component(path, RoundRobinArbiter)
        self.grant: Signal = harness.probe(arbiter.grant)
        self.hold: Signal = harness.probe(arbiter.hold)
        self.last: Signal = harness.probe(arbiter.last)

    def is_consistent(self) -> Value:
        """Whether its registers have values that it can give them."""
        return self.last.any() & is_one_hot_or_zero(self.last)


class Unit:
    """What sends into the router at a node: the injector, and the stores of its multicast unit.

    Members
    -------
    stores : list of Store
        Stores in the router's gateware, that of the node's own packets first.
    sources : list of range
        Classes in which the injector and each store send.
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
        self.injector = harness.component(f"{self.path}.injector", Injector)
        self._layout, classes = flit_layout(harness.network), harness.network.routing.classes
        self.classes = classes
        names = ("source", *range(1, classes))
        self.stores = [harness.component(f"{self.path}.store_{name}", Store) for name in names]
        self.sources = [range(1), range(classes), *map(range, range(1, classes))]
        self.first_vc = min(harness.kind.input_vcs(port))
        self.channels = harness.network.virtual_channels // harness.network.traffic_classes
        goes = self._grant("inject_switch")
        self.offers: list[tuple[int, int, Value]] = []
        for vc in range(self.channels):
            senders = [n for n, own in enumerate(self.sources) if vc % classes in own]
            bits = zip(senders, self._grant(f"inject_{vc}"), strict=True)
            self.offers += [(n, vc, bit & goes[vc]) for n, bit in bits]

    def _grant(self, name: str) -> Signal:
        arbiter = self._harness.component(f"{self.path}.{name}", RoundRobinArbiter)
        return self._harness.probe(arbiter.grant)

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
        shown = self.stores[number - 1].o.p if number else self.injector.o.flit
        return self._harness.probe_view(shown)

    def sends(self, number: int, vc: int) -> Value:
        """Whether a store is sending a copy in a channel of the node's."""
        store, probe = self.stores[number - 1], self._harness.probe
        lane, vc_class = divmod(vc, self.classes)
        found: Value = probe(store.o.valid)
        if self.classes > 1:
            found &= probe(store.vc_class) == vc_class
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


def claim_unit(
    harness: RouterHarness, port: int, given: dict[str, Value], is_unicast: Value
) -> None:
    """Claim that flits enter packet by packet, those of the node as it gives them.

    `given` has the fields of the node's flit. `is_unicast` is 1 while the node offers one that is
    not of a multicast.
    """
    unit = Unit(harness, port)
    flit = unit.flit(0)
    shown = harness.probe(unit.injector.o.valid)
    harness.claim(shown == Mux(is_unicast, Cat(unit.starts(given["destination"])), 0))
    alike = Cat(flit[name] == value for name, value in given.items())
    harness.claim(~is_unicast | (alike.all() & ~flit.chain))
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
        is_open = harness.probe(unit.injector.in_packet) & ~harness.probe(unit.injector.dropped)
        is_open = unit.sends(number, vc) if number else is_open
        harness.claim(~goes_on | is_open)
        if is_guarded(flit):
            continue
        destination = flit.destination
        if not number:
            destination = harness.probe(unit.injector.kept)
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
    delivered = [one.deliver for one in unit.stores[1:]]
    for number, stream in enumerate(delivered, 1):
        alike = beat == harness.probe(stream.payload)
        harness.claim(~grant[number] | (harness.probe(stream.valid) & alike))
    owner = harness.register(len(grant), harness.at_node("owner", port))
    goes_on = harness.register(1, harness.at_node("goes_on", port))
    with m.If(valid):
        m.d.sync += [owner.eq(grant), goes_on.eq(~(ready & harness.port(f"{prefix}_tlast")))]
    harness.claim(~goes_on | ((grant & ~owner) == 0))
    harness.claim((arbiter.hold == goes_on) & (~goes_on | (arbiter.last == owner)))
    for number, stream in enumerate(delivered, 1):
        harness.claim(~(goes_on & owner[number]) | harness.probe(stream.valid))
    harness.cover(valid & ready & full)
    return full


def assume_packets_fit(harness: RouterHarness) -> None:
    """Assume that what comes to a store fits, and is a chain and data behind it."""
    depth = harness.network.routing.options.longest_copied_packet
    for port in harness.kind.node_ports:
        unit = Unit(harness, port)
        for arbiter in unit.arbiters():
            harness.claim(arbiter.is_consistent())
        for number, store in enumerate(unit.stores):
            came = harness.probe_view(store.i.payload)
            taken = harness.probe(store.i.valid) & harness.probe(store.i.ready)
            flits, chain_length = harness.probe(store.flits), harness.probe(store.chain_length)
            fits = (flits != depth) & (chain_length != 0) & ~came.chain
            discard = harness.probe(store.discard) if number == 0 else Const(0)
            if number and harness.network.has_parity:
                fits |= harness.probe(store.broken) | came.wrong
            harness.assume(~(taken & came.last & ~discard) | fits)


COVERED_LENGTH = 16
"""Flits of the longest packet up to which one that is too long is shown."""


class _Beats:
    """Packet that the node at a port sends, beat by beat.

    Members
    -------
    valid, taken, last, data : Value
        A beat is offered; it is taken; it is the last of its packet; its data.
    inside, drops, kept : Signal
        A packet is under way; it is dropped; its destination.
    generator : Signal
        By which the node draws; without bits where it does not.
    drawn : Value
        What the header has of the number drawn.
    marked, beats : Value
        It is a broadcast; how many of its beats were taken.
    copy : Value
        The beat is one of a broadcast.
    too_long : Value
        The beat is the first one too many of a broadcast.
    drop, target : Signal
        The beat is dropped; its packet's destination.
    """

    def __init__(self, harness: RouterHarness, port: int) -> None:
        m, network, prefix = harness.m, harness.network, harness.at_node("s_axis", port)
        destination, self.valid = (harness.port(f"{prefix}_{name}") for name in ("tdest", "tvalid"))
        self.last, self.data = (harness.port(f"{prefix}_{name}") for name in ("tlast", "tdata"))
        self.taken = self.valid & harness.port(f"{prefix}_tready")
        limits = network.injection_limits
        if limits[network.topology.port_class(port)] is not None:  # it holds back beats
            path = f"{harness.at_node('node_interface', port)}.regulator"
            self.valid = harness.probe(harness.component(path, Regulator).o.valid)
        self.inside, self.drops = (
            harness.register(1, harness.at_node(name, port)) for name in ("inside", "drops")
        )
        self.kept = harness.register(len(destination), harness.at_node("kept", port))
        self.generator, self.drawn = Signal(0), Signal(0)
        if network.routing.draws > 1:
            self._draw(harness, port)
        node = int(network.topology.local_nodes[harness.kind.router, port])
        addresses = [network.topology.address(to) for to in network.topology.receivers(node)]
        self.has_others = len(set(addresses)) < 1 << len(destination)
        self.marked: Value = Const(0)
        self.beats: Value = Const(0)
        self.copy: Value = Const(0)
        self.too_long: Value = Const(0)
        if network.has_broadcast:
            self._broadcasts(harness, port, network.longest_copied_packet)
        if network.has_multicast:
            self.marked = harness.register(1, "marked")
            self.copy = harness.named(
                Mux(self.inside, self.marked, self._mark(harness, port)), "copy"
            )
            with m.If(self.taken):
                m.d.sync += self.marked.eq(self.copy)
        known = destination.matches(*addresses) | self.copy
        drop = Mux(self.inside, self.drops | self.too_long, ~known)
        self.drop = harness.named(drop, harness.at_node("drop", port))
        target = Mux(self.inside, self.kept, destination)
        self.target = harness.named(target, harness.at_node("target", port))
        if network.routing.written is not None:
            self._write(harness, port)
        with m.If(self.taken):
            m.d.sync += [
                self.inside.eq(~self.last),
                self.drops.eq(self.drop),
                self.kept.eq(self.target),
            ]

    def _draw(self, harness: RouterHarness, port: int) -> None:
        """Follow the generator; its register has the state XORed with the first one."""
        routing = harness.network.routing
        self.generator = harness.register(STATE_BITS, harness.at_node("generator", port))
        address = harness.constant(harness.at_node("address", port))[:ADDRESS_BITS]
        bits = [address[place % len(address)] for place in range(STATE_BITS)]
        first = Cat(bits) ^ first_state(0, len(address))
        state = harness.named(self.generator ^ first, harness.at_node("state", port))
        one = state ^ Cat(Const(0, SHIFTS[0]), state)[:STATE_BITS]
        two = one ^ one[SHIFTS[1] :]
        after = two ^ Cat(Const(0, SHIFTS[2]), two)[:STATE_BITS]
        with harness.m.If(self.taken & self.last):
            harness.m.d.sync += self.generator.eq(after ^ first)
        number = (state * routing.draws)[STATE_BITS:]
        self._number = harness.named(number, harness.at_node("number", port))
        if routing.written is None:
            codes = enumerate(routing.draw_codes.tolist())
            ones = [(number == place).replicate(routing.draw_width) & code for place, code in codes]
            self.drawn = harness.named(reduce(or_, ones), harness.at_node("drawn", port))

    def _write(self, harness: RouterHarness, port: int) -> None:
        """Find what the header has by the router's address, the destination and the number."""
        network, width = harness.network, len(self._number)
        topology, routing = network.topology, network.routing
        bits, patterns = topology.address_width, dict[int, list[str]]()
        for router in routers_of(network, harness.kind):
            for node in range(topology.nodes):
                numbers = routing.written_numbers[router, topology.router_of(node)].tolist()
                ends = (topology.router_address(router), bits), (topology.address(node), bits)
                for drawn, number in enumerate(numbers):
                    code = int(routing.draw_codes[number])
                    patterns.setdefault(code, []).append(pattern([*ends, (drawn, width)]))
        known = Cat(self._number, self.target, harness.constant("address"))
        ones = [
            known.matches(*places).replicate(routing.draw_width) & code
            for code, places in patterns.items()
        ]
        self.drawn = harness.named(reduce(or_, ones), harness.at_node("drawn", port))

    @staticmethod
    def _mark(harness: RouterHarness, port: int) -> Value:
        """Mark of a packet that goes to several nodes."""
        return harness.port(f"{harness.at_node('s_axis', port)}_tuser")[0]

    def _broadcasts(self, harness: RouterHarness, port: int, longest: int) -> None:
        self.marked = marked = harness.register(1, "marked")
        self.beats = beats = harness.register(range(longest + 1), "beats")
        self.copy = harness.named(Mux(self.inside, self.marked, self._mark(harness, port)), "copy")
        self.too_long = self.copy & ~self.drops & (self.beats == longest)
        with harness.m.If(self.taken):
            more = Mux(self.beats == longest, self.beats, self.beats + 1)
            harness.m.d.sync += [
                marked.eq(self.copy),
                beats.eq(Mux(self.last, 0, more)),
            ]

    def packet(self, address: Value, chosen: Value, valid: Value) -> NodePacket:
        """Packet as the channel sees it that is `chosen`, while the node offers a `valid` beat."""
        return NodePacket(
            under_way=self.inside & ~self.drops & chosen,
            destination=Cat(self.kept, self.drawn),
            source=address,
            is_broadcast=self.marked,
            beats=self.beats,
            cancels=valid & self.too_long & chosen,
        )


def _claim_injection(harness: RouterHarness) -> None:
    for port in harness.kind.node_ports:
        _claim_entering_beats(harness, port)


def _claim_entering_beats(harness: RouterHarness, local: int) -> None:
    """Claim what becomes of the beats of the node at a port."""
    beats, routing = _Beats(harness, local), harness.network.routing
    address, valid = harness.constant(harness.at_node("address", local)), beats.valid
    taken, drop, target = beats.taken, beats.drop, beats.target
    name = harness.at_node("refused", local)
    refused = harness.register(1, name)
    wrong: Value = Const(0)
    if harness.network.has_multicast:
        path = f"{harness.at_node('node_interface', local)}.chain_check"
        wrong = beats.copy & harness.probe(harness.component(path, ChainCheck).discard)
    harness.m.d.sync += refused.eq(taken & beats.last & (drop | wrong))
    harness.claim(harness.port(name) == refused)
    harness.claim(~(valid & drop) | taken)
    follows = Mux(beats.copy, address, target)
    lane, own = node_lane(harness.network, local, address, follows)
    header = Cat(target, beats.drawn)
    fields: dict[str, Value] = {"destination": header, "source": address}
    fields |= {"data": beats.data, "last": beats.last}
    if harness.network.has_broadcast:
        fields["broadcast"] = beats.copy
    if harness.network.has_parity:
        is_copied = beats.copy if harness.network.has_broadcast else 0
        fields["header_parity"] = Cat(header, address).xor() ^ is_copied
        fields["data_parity"] = beats.data.xor()
        fields["last_copies"] = beats.last.replicate(2)
    if harness.network.has_multicast:
        claim_unit(harness, local, fields, valid & ~drop & ~beats.copy)
    for (port, vc), channel in harness.channels.items():
        if port != local or harness.network.has_multicast:
            continue
        chosen: Value = Const(vc % routing.classes == 0)
        chosen &= lane == vc // routing.classes - own[0]
        harness.claim(channel.offered == (valid & ~drop & chosen))
        harness.claim(channel.arrives == (taken & ~drop & chosen))
        alike = Cat(channel.entry.flit[name] == value for name, value in fields.items())
        harness.claim(~channel.offered | alike.all())
        for fact in channel.entering(beats.packet(address, chosen, valid)):
            harness.claim(fact)
        if any(harness.can_happen(turn) for turn in channel.turns):
            harness.cover(channel.arrives & beats.inside)
    if beats.has_others:
        harness.cover(refused)
    if harness.network.has_broadcast and harness.network.longest_copied_packet <= COVERED_LENGTH:
        harness.cover(valid & beats.too_long)
    _claim_injector(harness, beats, local)


def _guarantee_packets(harness: RouterHarness) -> None:
    """Claim what other properties may assume: flits enter as packets."""
    for channel in harness.channels.values():
        if channel.is_local:
            harness.claim(channel.continues())
    if harness.network.has_multicast:
        for port in harness.kind.node_ports:
            vcs = harness.kind.input_vcs(port)
            offered = Cat(harness.channels[port, vc].offered for vc in vcs)
            harness.claim(is_one_hot_or_zero(offered))


def _claim_injector(harness: RouterHarness, beats: _Beats, port: int) -> None:
    """Claim that the injector's registers are those of the packet under way."""
    path, inside = harness.at_node("node_interface", port), beats.inside
    injector = harness.component(f"{path}.injector", Injector)
    if harness.network.has_multicast:
        interface = harness.component(path, MulticastInterface)
        harness.claim(harness.probe(interface.in_packet) == inside)
        harness.claim(~inside | (harness.probe(interface.kept) == beats.marked))
        harness.claim(~(inside & beats.marked & beats.drops))
        inside = inside & ~beats.marked
    harness.claim(harness.probe(injector.in_packet) == inside)
    harness.claim(~inside | (harness.probe(injector.dropped) == beats.drops))
    harness.claim(~inside | (harness.probe(injector.kept) == beats.kept))
    if harness.network.routing.draws > 1:
        harness.claim(harness.probe(injector.generator) == beats.generator)
    if harness.network.has_broadcast:
        harness.claim(harness.probe(injector.beats) == beats.beats)
        harness.claim(beats.beats <= harness.network.longest_copied_packet)
        harness.claim(inside == (beats.beats != 0))
        harness.claim(~inside | (harness.probe(injector.marked) == beats.marked))


INJECTION = Property(
    name="injection",
    text="beats enter as flits of one destination; a packet to no node, or a broadcast that is too "
    "long, is refused whole",
    claim=_claim_injection,
    guarantee=_guarantee_packets,
)


def injection_properties(kind: RouterKind) -> tuple[Property, ...]:
    """Property of what nodes send, if a router has any."""
    return (INJECTION,) if kind.node_ports else ()
