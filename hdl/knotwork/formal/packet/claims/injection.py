"""Claims about the packets that a node sends into its packet router."""

from amaranth.hdl import Cat, Const, Mux, Value

from ....gateware.parts.injector import flow_lane
from ....topology import LOCAL
from ...property import Property
from ..branching.ports import longest_broadcast
from ..observed.channel import NodePacket
from ..router_harness import RouterHarness

COVERED_LENGTH = 16
"""Flits of the longest packet up to which one that is too long is shown."""


class _Beats:
    """Packet that the node sends, beat by beat.

    Members
    -------
    taken, last : Value
        A beat is taken; it is the last of its packet.
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

    def __init__(self, harness: RouterHarness) -> None:
        m, network = harness.m, harness.network
        destination, valid = harness.port("s_axis_tdest"), harness.port("s_axis_tvalid")
        self.last = harness.port("s_axis_tlast")
        self.taken = valid & harness.port("s_axis_tready")
        self.inside, self.drops = harness.register(1, "inside"), harness.register(1, "drops")
        self.kept = harness.register(len(destination), "kept")
        addresses = [network.topology.address(node) for node in range(network.topology.nodes)]
        self.has_others = len(set(addresses)) < 1 << len(destination)
        self.marked: Value = Const(0)
        self.beats: Value = Const(0)
        self.copy: Value = Const(0)
        self.too_long: Value = Const(0)
        if network.has_broadcast:
            self._broadcasts(harness, longest_broadcast(network))
        known = destination.matches(*addresses) | self.copy
        drop = Mux(self.inside, self.drops | self.too_long, ~known)
        self.drop = harness.named(drop, "drop")
        self.target = harness.named(Mux(self.inside, self.kept, destination), "target")
        with m.If(self.taken):
            m.d.sync += [
                self.inside.eq(~self.last),
                self.drops.eq(self.drop),
                self.kept.eq(self.target),
            ]

    def _broadcasts(self, harness: RouterHarness, longest: int) -> None:
        self.marked = marked = harness.register(1, "marked")
        self.beats = beats = harness.register(range(longest + 1), "beats")
        self.copy = harness.named(
            Mux(self.inside, self.marked, harness.port("s_axis_tuser")[0]), "copy"
        )
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
    beats, routing = _Beats(harness), harness.network.routing
    address, valid = harness.constant("address"), harness.port("s_axis_tvalid")
    taken, drop, target = beats.taken, beats.drop, beats.target
    refused = harness.register(1, "refused")
    harness.m.d.sync += refused.eq(taken & beats.last & drop)
    harness.claim(harness.port("refused") == refused)
    harness.claim(~(valid & drop) | taken)
    lane = flow_lane(address, Mux(beats.copy, address, target), routing.lanes)
    fields: dict[str, Value] = {"destination": target, "source": address}
    fields |= {"data": harness.port("s_axis_tdata"), "last": beats.last}
    if harness.network.has_broadcast:
        fields["broadcast"] = beats.copy
    for (port, vc), channel in harness.channels.items():
        if port != LOCAL:
            continue
        chosen: Value = Const(vc % routing.classes == 0)
        chosen &= lane == vc // routing.classes
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
    if harness.network.has_broadcast and longest_broadcast(harness.network) <= COVERED_LENGTH:
        harness.cover(valid & beats.too_long)
    _inner_state(harness, beats)


def _entering(harness: RouterHarness) -> None:
    """Claim what other properties may assume: flits enter as packets."""
    for channel in harness.channels.values():
        if channel.is_local:
            harness.claim(channel.continues())


def _inner_state(harness: RouterHarness, beats: _Beats) -> None:
    """Claim that the injector's registers are those of the packet under way."""
    path, inside = harness.injector, beats.inside
    harness.claim(harness.inside(f"{path}.in_packet") == inside)
    harness.claim(~inside | (harness.inside(f"{path}.dropped") == beats.drops))
    harness.claim(~inside | (harness.inside(f"{path}.kept", len(beats.kept)) == beats.kept))
    if harness.network.has_broadcast:
        harness.claim(harness.inside(f"{path}.beats", len(beats.beats)) == beats.beats)
        harness.claim(beats.beats <= longest_broadcast(harness.network))
        harness.claim(inside == (beats.beats != 0))
        harness.claim(~inside | (harness.inside(f"{path}.marked") == beats.marked))


INJECTION = Property(
    name="injection",
    text="beats enter as flits of one destination; a packet to no node, or a broadcast that is too "
    "long, is refused whole",
    claim=_injection,
    given=_entering,
)
