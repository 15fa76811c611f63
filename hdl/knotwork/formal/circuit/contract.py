"""Rules that switches, interfaces and controller of circuits keep towards each other, by the cycle.

Each rule is an environment for the part at one end of a link and a claim about the part at the
other end. Every output of a part is a register, so a rule holds for all time if each part keeps it
as long as the others kept it until then. The table counts cycles since a network cycle began; in
cycle 0 headers are on the PEs' links. L is the level of a packet's least common ancestor, T that of
the top, and m that of a link's upper switch.

============================  =====================  ==========================
on a link of level m          up                     down
============================  =====================  ==========================
header                        m                      2 L + 1 - m
acknowledge, from             4 L + 3 - m            2 L + 2 + m
first flit                    4 T + 4 + m            4 T + 4 + 2 L + 1 - m
============================  =====================  ==========================

So a source, with m = 0 on its way up, has its acknowledge in cycle 4 L + 3, or never.

In one-way use every path has l - 1 hops, where l is the number of levels: 2 L and 2 T become l - 1.
A terminal's link has level l, above the top. An interface cannot tell at which end its node is:
it sends in the cycles of an up link with m = 0, and receives in those of a down link with m = 0.

With ``cycle=adaptive``, flits follow the acknowledge at once: L takes the place of T in the table.
The controller may release circuits in any cycle for all that a switch knows. An interface knows
more: not while its header waits for an acknowledge, or while a packet comes whose header it
acknowledged, for it reports so; and not while the node at the other end of a circuit reports the
same. This last step is between two interfaces and the switches on their circuit: `complete_network`
proves it of small networks, and of others it is only argued.
"""

from collections.abc import Iterable
from itertools import pairwise

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...gateware.circuit.layouts import Kind, control_layout, header_layout
from ...network import Network
from ...parameters import CircuitParameters
from ...topology import LeastCommonAncestor
from ..harness import Harness


def levels_of(network: Network) -> LeastCommonAncestor:
    """Topology of a network with circuits: switches on levels, above the PEs."""
    return LeastCommonAncestor.of(network.topology)


def longest_packet(network: Network) -> int:
    """Flits of the longest packet."""
    return CircuitParameters.of(network.hardware).max_packet


def hop_counts(network: Network) -> list[int]:
    """Hops that a path can have, rising: 2 L, or in one-way use the levels less one."""
    topology = levels_of(network)
    top = topology.levels - 1
    return [2 * level for level in range(top + 1)] if topology.turns_round else [top]


def cycle_length(network: Network) -> int:
    """Clock cycles of the longest network cycle."""
    return 3 * hop_counts(network)[-1] + longest_packet(network) + 6


def is_node(network: Network, address: Value) -> Value:
    """Whether a node has this address: a PE, or in one-way use a PE or a terminal."""
    topology = levels_of(network)
    places = topology.digit_offsets
    digits = [address[low:high] for low, high in pairwise(places)]
    below = [digit < radix for digit, radix in zip(digits, topology.radices, strict=True)]
    if topology.turns_round:
        return Cat(below).all()
    number, width = address[:-1], (topology.uppers[0] - 1).bit_length()
    end = topology.levels * width
    above = [number[low : low + width] < topology.uppers[0] for low in range(0, end, width or 1)]
    is_pe = Cat(*below, number[places[-1] :] == 0).all()
    return Mux(address[-1], Cat(*above, number[end:] == 0).all(), is_pe)


def may_send(network: Network, source: Value, destination: Value) -> Value:
    """Whether a node may send to another: to any, or in one-way use to the other side only."""
    if levels_of(network).turns_round:
        return Const(1)
    return source[-1] != destination[-1]


def lca_level(
    network: Network, source: Value, destination: Value, copies: Iterable[int] = (0,)
) -> Value:
    """Level of the least common ancestors of two PEs, in that of the copies where it is lowest."""
    topology = levels_of(network)
    bits = [slice(*ends) for ends in pairwise(topology.digit_offsets)]
    differ = [source[digit] != destination[digit] for digit in bits]
    beyond = [
        [
            Cat(differ[digit] for digit in topology.digit_order(copy)[level:]).any()
            for copy in copies
        ]
        for level in range(1, topology.levels)
    ]
    return sum((Cat(found).all() for found in beyond), Const(0))


class NetworkCycle:
    """Network cycle, followed by what the controller says.

    Parameters
    ----------
    harness : Harness
        Harness of a part.
    network : Network
        Network with circuits.

    Members
    -------
    control : View
        Signals of the controller.
    cycling : Signal
        A network cycle is under way.
    time : Signal
        Clock cycles since it began.
    length : int
        Clock cycles of the longest network cycle.
    ends_early : bool
        Whether a network cycle ends when its circuits are done; else all are of that length.
    last : Value
        This is its last cycle, which releases the circuits.
    hop_counts : list of int
        Hops that a path can have, rising.
    longest : int
        Flits of the longest packet.
    """

    def __init__(self, harness: Harness, network: Network) -> None:
        self.hop_counts = hop_counts(network)
        self.longest = longest_packet(network)
        self.length = length = cycle_length(network)
        self.control = data.View(control_layout(network), harness.port("control"))
        self.time = harness.register(range(length + 2), "clock")
        self.cycling = harness.register(1, "cycling")
        self.ends_early = CircuitParameters.of(network.hardware).ends_early
        self.last = self.cycling & (self.time == length - 1)
        if self.ends_early:
            self.last = self.cycling & self.control.release
        with harness.m.If(self.control.begin):
            harness.m.d.sync += [self.time.eq(0), self.cycling.eq(1)]
        with harness.m.Elif(self.last):
            harness.m.d.sync += self.cycling.eq(0)
        with harness.m.Else():
            harness.m.d.sync += self.time.eq(self.time + 1)

    def first_flit(self, hops: Value) -> Value:
        """Cycle in which a source sends its first flit, by the packet's hops."""
        return 2 * hops + 4 if self.ends_early else Const(2 * self.hop_counts[-1] + 4)

    def rules(self) -> list[Value]:
        """When the controller begins a network cycle, has acknowledges sampled, and releases."""
        counts = self.hop_counts if self.ends_early else self.hop_counts[-1:]
        samples = Cat(self.cycling & (self.time == 2 * hops + 3) for hops in counts)
        return [
            ~self.control.begin | ~self.cycling | self.last,
            self.control.sample == samples,
            self.control.release == self.last,
            ~(self.cycling & (self.time == self.length - 1)) | self.control.release,
            ~self.cycling | (self.time < self.length),
        ]


def _hops(harness: Harness, network: Network, link: "Link", copies: Iterable[int]) -> Value:
    """Hops of the last header's path."""
    topology = levels_of(network)
    if not topology.turns_round:
        return Const(hop_counts(network)[-1])
    kept = harness.register(range(topology.levels), f"{link.name}kept")
    lca = lca_level(network, link.header.source, link.header.destination, copies)
    now = harness.named(Mux(link.is_header, lca, kept), f"{link.name}lca")
    harness.m.d.sync += kept.eq(now)
    return harness.named(2 * now, f"{link.name}hops")


class Link:
    """One direction of a link, and what is known of it in a network cycle.

    Parameters
    ----------
    harness : Harness
        Harness of the part at one of its ends.
    network : Network
        Network with circuits.
    cycle : NetworkCycle
        Network cycle.
    name : str
        Prefix of its signals, ``d0_``.
    level : int
        Level of its upper switch.
    up : bool
        Whether it leads up.
    subtree : Value
        Digits from `level` on of all PEs below it.
    copies : iterable of int
        Copies that a packet on it can go over.

    Members
    -------
    kind, data, back : Signal
        Its signals.
    header : View
        Data as a header.
    is_header, is_flit : Signal
        It shows a header, or a flit.
    came, seen : Value
        A header came in an earlier cycle; in an earlier cycle or in this one.
    hops : Value
        Hops of the last header's path: twice the level of its nodes' least common ancestor, but in
        one-way use.
    was_kind, was_data, was_back : Signal
        Signals of the cycle before; idle after a release.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        cycle: NetworkCycle,
        name: str,
        *,
        level: int,
        up: bool,
        subtree: Value,
        copies: Iterable[int] = (0,),
    ) -> None:
        self._topology = levels_of(network)
        self._network, self._cycle = network, cycle
        self._level, self._up, self._subtree = level, up, subtree
        self.name = name
        self.kind, self.data, self.back = (
            harness.port(f"{name}{member}") for member in ("kind", "data", "back")
        )
        layout = header_layout(network)
        self.header = data.View(layout, self.data[: layout.size])
        self.is_header = harness.named(self.kind == Kind.HEADER.value, f"{name}header")
        self.is_flit = harness.named(self.kind[1], f"{name}flit")
        self.came = harness.register(1, f"{name}came")
        self.seen = self.came | self.is_header
        self.hops = _hops(harness, network, self, copies)
        self.was_kind = harness.register(2, f"{name}was_kind")
        self.was_data = harness.register(len(self.data), f"{name}was_data")
        self.was_back = harness.register(1, f"{name}was_back")
        harness.m.d.sync += [
            self.came.eq(self.seen & ~cycle.last),
            self.was_kind.eq(Mux(cycle.last, Kind.IDLE.value, self.kind)),
            self.was_data.eq(self.data),
            self.was_back.eq(self.back & ~cycle.last),
        ]

    def _from(self, address: Value, level: int) -> Value:
        """Digits of a PE from a level on."""
        return address[self._topology.digit_offsets[level] :]

    @property
    def first_flit(self) -> Value:
        """Cycle in which the last header's source sends its first flit."""
        return self._cycle.first_flit(self.hops)

    def sent(self) -> dict[str, Value]:
        """Rules that the sender keeps, by name."""
        cycle, level = self._cycle, self._level
        ends = (self.header.source, self.header.destination)
        below, beyond = ends if self._up else reversed(ends)
        right = [is_node(self._network, end) for end in ends]
        right.append(may_send(self._network, *ends))
        right.append(self._from(below, level) == self._subtree)
        if level:
            right.append(self._from(beyond, level) != self._subtree)
        right += [
            self.header[name] < range_.stop
            for name, range_ in self._network.routing.word_layout.items()
            if range_.stop > 1
        ]
        time, hops = cycle.time + level, self.hops
        due = cycle.time == level if self._up else time == hops + 1
        begins = cycle.time == self.first_flit + level
        ends_by: Value = cycle.time + 1 - self.first_flit - level == cycle.longest
        if not self._up:
            begins = time == hops + self.first_flit + 1
            ends_by = time == hops + self.first_flit + cycle.longest
        # Of a packet's flits only the first depends on the acknowledge. So whatever the receiver
        # does, some sender keeps all of these rules: to assume them hides no fault of the receiver.
        follows = (begins & self.back & self.came) | (self.was_kind == Kind.FLIT.value)
        return {
            "header": ~self.is_header | (cycle.cycling & ~self.came & due & Cat(right).all()),
            "flits": self.is_flit == (cycle.cycling & follows),
            "length": ~(cycle.cycling & self.came & ends_by) | (self.kind != Kind.FLIT.value),
            "circuit": ~self.is_flit | self.came,
        }

    def acknowledged(self) -> Value:
        """Whether this is the cycle in which the acknowledge comes, if it does."""
        time, hops = self._cycle.time, self.hops
        if self._up:
            return time + self._level == 2 * hops + 3
        return time == hops + 2 + self._level

    def received(self) -> dict[str, Value]:
        """Rules that the receiver keeps, by name."""
        cycle = self._cycle
        return {
            "circuit": ~self.back | (cycle.cycling & self.came),
            "time": ~self.back | self.was_back | self.acknowledged(),
            "stays": ~self.was_back | self.back,
        }

    def header_facts(self) -> list[Value]:
        """What the sender's rules imply about the registers here."""
        cycle, time = self._cycle, self._cycle.time
        past = time > self._level if self._up else time + self._level > self.hops + 1
        is_right = (self.hops >= 2 * self._level) & (self.hops <= cycle.hop_counts[-1])
        return [
            ~self.came | (cycle.cycling & past),
            *([~self.came | is_right] if self._topology.turns_round else ()),
            (self.was_kind != Kind.HEADER.value) | self.came,
        ]

    def acknowledge_facts(self) -> Value:
        """What the receiver's rules imply about the registers here."""
        time, hops = self._cycle.time, self.hops
        since = time > hops + 2 + self._level
        if self._up:
            since = time + self._level > 2 * hops + 3
        return ~self.was_back | (self.came & since)
