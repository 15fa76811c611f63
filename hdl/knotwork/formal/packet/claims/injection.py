"""Claims about what a node gives its packet router."""

from typing import Any

from amaranth.hdl import Cat, Const, Mux, Value

from ....gateware.layouts import has_broadcast
from ....gateware.parts.injector import flow_lane
from ....topology import LOCAL
from ...prover import Property
from ..branching.channel import AnyChannel, BranchingInput, longest_of
from ..branching.contents import Incoming
from ..harness import PacketBench
from ..observed.channel import Packets

COVERED_LENGTH = 16
"""Flits of the longest packet up to which one that is too long is shown."""


class _Beats:
    """Packet that the node gives, beat by beat.

    Members
    -------
    taken, last : Value
        A beat is taken; it is its packet's last.
    inside, drops, kept : Signal
        A packet is under way; it is dropped; its destination.
    copy : Value
        It is a broadcast.
    too_long : Value
        This is the first beat too many of a broadcast.
    drop, target : Signal
        The beat is dropped; its packet's destination.
    """

    def __init__(self, bench: PacketBench) -> None:
        m, network = bench.m, bench.network
        destination, valid = bench.port("s_axis_tdest"), bench.port("s_axis_tvalid")
        self.last = bench.port("s_axis_tlast")
        self.taken = valid & bench.port("s_axis_tready")
        self.inside, self.drops = bench.register(1, "inside"), bench.register(1, "drops")
        self.kept = bench.register(len(destination), "kept")
        addresses = [network.topology.address(node) for node in range(network.topology.nodes)]
        self.has_others = len(set(addresses)) < 1 << len(destination)
        self.copy: Value = Const(0)
        self.too_long: Value = Const(0)
        if has_broadcast(network):
            self._broadcasts(bench, longest_of(network))
        known = destination.matches(*addresses) | self.copy
        drop = Mux(self.inside, self.drops | self.too_long, ~known)
        self.drop = bench.named(drop, "drop")
        self.target = bench.named(Mux(self.inside, self.kept, destination), "target")
        with m.If(self.taken):
            m.d.sync += [
                self.inside.eq(~self.last),
                self.drops.eq(self.drop),
                self.kept.eq(self.target),
            ]

    def _broadcasts(self, bench: PacketBench, longest: int) -> None:
        self.marked = bench.register(1, "marked")
        self.beats = bench.register(range(longest + 1), "beats")
        self.copy = bench.named(
            Mux(self.inside, self.marked, bench.port("s_axis_tuser")[0]), "copy"
        )
        self.too_long = self.copy & ~self.drops & (self.beats == longest)
        with bench.m.If(self.taken):
            more = Mux(self.beats == longest, self.beats, self.beats + 1)
            bench.m.d.sync += [
                self.marked.eq(self.copy),
                self.beats.eq(Mux(self.last, 0, more)),
            ]


def _injection(bench: PacketBench) -> None:
    beats, routing = _Beats(bench), bench.network.routing
    address, valid = bench.constant("address"), bench.port("s_axis_tvalid")
    taken, drop, target = beats.taken, beats.drop, beats.target
    refused = bench.register(1, "refused")
    bench.m.d.sync += refused.eq(taken & beats.last & drop)
    bench.claim(bench.port("refused") == refused)
    bench.claim(~(valid & drop) | taken)
    lane = flow_lane(address, Mux(beats.copy, address, target), routing.lanes)
    fields: dict[str, Any] = {"destination": target, "source": address}
    fields |= {"data": bench.port("s_axis_tdata"), "last": beats.last}
    if has_broadcast(bench.network):
        fields["broadcast"] = beats.copy
    for (port, vc), channel in bench.channels.items():
        if port != LOCAL:
            continue
        chosen: Value = Const(vc % routing.classes == 0)
        chosen &= lane == vc // routing.classes
        bench.claim(channel.offered == (valid & ~drop & chosen))
        bench.claim(channel.arrives == (taken & ~drop & chosen))
        alike = Cat(channel.entry.flit[name] == value for name, value in fields.items())
        bench.claim(~channel.offered | alike.all())
        if isinstance(channel, BranchingInput):
            bench.claim(channel.cancel == (valid & beats.too_long & chosen))
        _continues(bench, beats, channel, chosen)
        if any(bench.can_happen(turn) for turn in channel.turns):
            bench.cover(channel.arrives & beats.inside)
    if beats.has_others:
        bench.cover(refused)
    if has_broadcast(bench.network) and longest_of(bench.network) <= COVERED_LENGTH:
        bench.cover(valid & beats.too_long)
    _inner_state(bench, beats)


def _continues(bench: PacketBench, beats: _Beats, channel: AnyChannel, chosen: Value) -> None:
    """Claim that the packet that enters a channel is the node's."""
    under_way = beats.inside & ~beats.drops & chosen
    if isinstance(channel, BranchingInput):
        packet: Packets | Incoming = channel.incoming
        count = channel.incoming.count
        header = Cat(beats.kept, bench.port("address"), beats.marked)
        bench.claim(~packet.open | (count == Mux(beats.marked, beats.beats, 0)))
        bench.claim(packet.open | (count == 0))
    else:
        packet = channel.incoming
        header = beats.kept
        bench.claim(~packet.open | (packet.turn == channel.entry.turn))
    bench.claim(packet.open == under_way)
    bench.claim(~packet.open | (packet.header == header))
    bench.claim(channel.continues())


def _entering(bench: PacketBench) -> None:
    """What others may take as given: flits enter as packets."""
    for (port, _), channel in bench.channels.items():
        if port == LOCAL:
            bench.claim(channel.continues())


def _inner_state(bench: PacketBench, beats: _Beats) -> None:
    """Claim that the injector's registers are those of the packet under way."""
    path, inside = "core.interface.injector", beats.inside
    bench.claim(bench.inside(f"{path}.$signal") == inside)  # Amaranth found no name for it
    bench.claim(~inside | (bench.inside(f"{path}.dropped") == beats.drops))
    bench.claim(~inside | (bench.inside(f"{path}.kept", len(beats.kept)) == beats.kept))
    if has_broadcast(bench.network):
        bench.claim(bench.inside(f"{path}.beats", len(beats.beats)) == beats.beats)
        bench.claim(beats.beats <= longest_of(bench.network))
        bench.claim(inside == (beats.beats != 0))
        bench.claim(~inside | (bench.inside(f"{path}.marked") == beats.marked))


INJECTION = Property(
    name="injection",
    text="beats enter as flits of one destination; a packet to no node, or a broadcast that is too "
    "long, is refused whole",
    claim=_injection,
    given=_entering,
)
