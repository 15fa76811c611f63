"""Claims about the packets that a node sends into its packet router."""

from amaranth.hdl import Cat, Const, Mux, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....gateware.parts.injector import node_lane
from ....network import RouterKind
from ...property import Property
from ..observed.channel import NodePacket
from ..router_harness import RouterHarness
from .units import claim_unit

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
            self.valid = harness.inside(f"{path}.o_valid")
        self.inside, self.drops = (
            harness.register(1, harness.at_node(name, port)) for name in ("inside", "drops")
        )
        self.kept = harness.register(len(destination), harness.at_node("kept", port))
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
        with m.If(self.taken):
            m.d.sync += [
                self.inside.eq(~self.last),
                self.drops.eq(self.drop),
                self.kept.eq(self.target),
            ]

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
            destination=self.kept,
            source=address,
            is_broadcast=self.marked,
            beats=self.beats,
            cancels=valid & self.too_long & chosen,
        )


def _injection(harness: RouterHarness) -> None:
    for port in harness.kind.node_ports:
        _enters(harness, port)


def _enters(harness: RouterHarness, local: int) -> None:
    """Claim what becomes of the beats of the node at a port."""
    beats, routing = _Beats(harness, local), harness.network.routing
    address, valid = harness.constant(harness.at_node("address", local)), beats.valid
    taken, drop, target = beats.taken, beats.drop, beats.target
    name = harness.at_node("refused", local)
    refused = harness.register(1, name)
    wrong: Value = Const(0)
    if harness.network.has_multicast:
        path = f"{harness.at_node('node_interface', local)}.chain_check"
        wrong = beats.copy & harness.inside(f"{path}.discard")
    harness.m.d.sync += refused.eq(taken & beats.last & (drop | wrong))
    harness.claim(harness.port(name) == refused)
    harness.claim(~(valid & drop) | taken)
    follows = Mux(beats.copy, address, target)
    lane, own = node_lane(harness.network, local, address, follows)
    fields: dict[str, Value] = {"destination": target, "source": address}
    fields |= {"data": beats.data, "last": beats.last}
    if harness.network.has_broadcast:
        fields["broadcast"] = beats.copy
    if harness.network.has_parity:
        is_copied = beats.copy if harness.network.has_broadcast else 0
        fields["header_parity"] = Cat(target, address).xor() ^ is_copied
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
    _inner_state(harness, beats, local)


def _entering(harness: RouterHarness) -> None:
    """Claim what other properties may assume: flits enter as packets."""
    for channel in harness.channels.values():
        if channel.is_local:
            harness.claim(channel.continues())
    if harness.network.has_multicast:
        for port in harness.kind.node_ports:
            vcs = harness.kind.input_vcs(port)
            offered = Cat(harness.channels[port, vc].offered for vc in vcs)
            harness.claim(is_one_hot_or_zero(offered))


def _inner_state(harness: RouterHarness, beats: _Beats, port: int) -> None:
    """Claim that the injector's registers are those of the packet under way."""
    path, inside = f"{harness.at_node('node_interface', port)}.injector", beats.inside
    if harness.network.has_multicast:
        interface = harness.at_node("node_interface", port)
        harness.claim(harness.inside(f"{interface}.in_packet") == inside)
        harness.claim(~inside | (harness.inside(f"{interface}.kept") == beats.marked))
        harness.claim(~(inside & beats.marked & beats.drops))
        inside = inside & ~beats.marked
    harness.claim(harness.inside(f"{path}.in_packet") == inside)
    harness.claim(~inside | (harness.inside(f"{path}.dropped") == beats.drops))
    harness.claim(~inside | (harness.inside(f"{path}.kept", len(beats.kept)) == beats.kept))
    if harness.network.has_broadcast:
        harness.claim(harness.inside(f"{path}.beats", len(beats.beats)) == beats.beats)
        harness.claim(beats.beats <= harness.network.longest_copied_packet)
        harness.claim(inside == (beats.beats != 0))
        harness.claim(~inside | (harness.inside(f"{path}.marked") == beats.marked))


INJECTION = Property(
    name="injection",
    text="beats enter as flits of one destination; a packet to no node, or a broadcast that is too "
    "long, is refused whole",
    claim=_injection,
    given=_entering,
)


def from_nodes(kind: RouterKind) -> tuple[Property, ...]:
    """Property of what nodes send, if a router has any."""
    return (INJECTION,) if kind.node_ports else ()
