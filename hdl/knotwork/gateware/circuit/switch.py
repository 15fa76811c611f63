"""Switch of a least-common-ancestor network: crosspoints that hold for a network cycle."""

from collections.abc import Sequence

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ...network import Network, RouterKind
from ...parameters import CircuitParameters
from ...routing.circuits import initial_state
from ...topology.lcan import LeastCommonAncestor
from ...untyped import Interface, View
from ..component import Component
from ..parts.arbiter import is_one_hot_or_zero
from ..parts.crossbar import one_hot_mux
from .layouts import Kind, circuit_signature, control_layout, header_layout


class HeaderReader:
    """Reads headers as the switches of a level do.

    Parameters
    ----------
    network : Network
        Addresses, and the words of packets.
    level : int
        Level of the switch.
    address : Value
        Prefix of the PEs below it.
    """

    def __init__(self, network: Network, level: int, address: Value) -> None:
        self._network, self._level, self._address = network, level, address
        self._topology = LeastCommonAncestor.of(network.topology)

    def is_below(self, destination: Value) -> Value:
        """Whether a node is a PE in the switch's subtree."""
        low = self._topology.digit_offsets[self._level + 1]
        return destination[low:] == self._address[low:]

    def digit(self, destination: Value) -> Value:
        """Child of the switch under which a PE is."""
        low, high = self._topology.digit_offsets[self._level : self._level + 2]
        return destination[low:high]

    def named_uppers(self, headers: Sequence[View]) -> list[Value]:
        """Upper that each header from below names; none where every upper is right."""
        if self._network.routing.word_layout:
            return [header[f"upper{self._level}"] for header in headers]
        places = self._topology.upper_offsets
        if not places:
            return []
        low = places[self._level]
        width = (self._topology.uppers[self._level] - 1).bit_length()
        return [header.destination[low : low + width] for header in headers]


def scanned(requests: Value, start: Value) -> list[tuple[Value, list[Value]]]:
    """Requests in the order of service, each with the inputs that it may come from.

    Entry s is the request at scan distance s from input `start`, and its input, one-hot.
    """
    count = len(requests)
    entries = []
    for distance in range(count):
        at = [start == (number - distance) % count for number in range(count)]
        inputs = [requests[number] & at[number] for number in range(count)]
        entries.append((Cat(inputs).any(), inputs))
    return entries


def count_ones(m: Module, bits: Sequence[Value], name: str) -> Signal:
    """Number of ones, as a signal of this name."""
    total = Signal(range(len(bits) + 1), name=name)
    m.d.comb += total.eq(sum(bits, start=Const(0)))
    return total


class XorShift(Component):
    """Marsaglia's 32-bit xorshift, from a seed that is an input.

    Latency
    -------
    1 cycle from `step` to the next state.

    Members
    -------
    seed : In(32)
        State before the first step, constant and not 0.
    step : In(1)
        Go on to the next state.
    state : Out(32)
        State after the last step; 0 before the first.

    References
    ----------
    G. Marsaglia, "Xorshift RNGs", J. Statistical Software 8(14), 2003; shifts 13, 17, 5.
    """

    seed: Signal
    step: Signal
    state: Signal

    def __init__(self) -> None:
        super().__init__({"seed": In(32), "step": In(1), "state": Out(32)})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        # No state but the one before the first step is 0. Shifts and XORs alone: each bit of the
        # next state is an XOR of at most seven bits of this one.
        now, once, twice = Signal(32, name="now"), Signal(32, name="once"), Signal(32, name="twice")
        m.d.comb += [
            now.eq(Mux(self.state.any(), self.state, self.seed)),
            once.eq(now ^ (now << 13)[:32]),
            twice.eq(once ^ (once >> 17)),
        ]
        with m.If(self.step):
            m.d.sync += self.state.eq(twice ^ (twice << 5)[:32])
        return m


def scan_start(m: Module, bits: Value, count: int, name: str) -> Value:
    """Number in 0..count - 1 that eight bits choose: their value times `count`, over 256."""
    if count < 2:
        return Const(0)
    scaled, start = (
        Signal(range(256 * count), name=f"{name}_scaled"),
        Signal(range(count), name=name),
    )
    m.d.comb += [scaled.eq(bits * count), start.eq(scaled >> 8)]
    return start


class CircuitSwitch(Component):
    """Switch with d downers and u uppers, each two one-way links.

    The links form four groups: A and C come from below and lead there, B and D come from above and
    lead there. Inputs A lead up (to D) and round (to C), inputs B lead down (to C); no other
    crosspoint is built. A header is granted an output, or lost, in the cycle in which it
    arrives. Headers going up get the uppers in order, starting from one that changes with every
    network cycle; headers to the same downer are served in an order that changes likewise, while
    the downer has a free wire. A crosspoint stays closed until release, even if its header is lost
    further on. In one-way use no input A leads to C, and the destination names the upper.

    Latency
    -------
    1 cycle from link to link, forward and backward.

    Parameters
    ----------
    network : Network
        Topology and widths.
    kind : RouterKind
        Switches of one level.

    Members
    -------
    address : In(address_width)
        Prefix of the PEs below: their addresses without the digits of this level and below.
    seed : In(32)
        State before the first network cycle.
    control : In(control_layout)
        From the controller.
    a : In(circuit_signature).array(downers)
        Links from below, by downer.
    b : In(circuit_signature).array(uppers)
        Links from above, by upper; none at the top.
    c : Out(circuit_signature).array(downers)
        Links to below, by downer.
    d : Out(circuit_signature).array(uppers)
        Links to above, by upper; none at the top.

    References
    ----------
    "Least Common Ancestor Networks", section 2.1, whose names the groups of links have; the
    protocol is Knotwork's own.
    """

    address: Signal
    seed: Signal
    control: View
    a: list[Interface]
    b: list[Interface]
    c: list[Interface]
    d: list[Interface]

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network = network
        self._kind = kind
        self._topology = topology = LeastCommonAncestor.of(network.topology)
        self._level = topology.level_of(kind.router)
        self._downers = topology.downers[self._level]
        link, below, above = circuit_signature(network), self._downers, self.uppers
        super().__init__(
            {
                "address": In(topology.address_width),
                "seed": In(32),
                "control": In(control_layout(network)),
                "a": In(link).array(below),
                "b": In(link).array(above),
                "c": Out(link).array(below),
                "d": Out(link).array(above),
            }
        )

    @property
    def kind(self) -> RouterKind:
        """Switches that it is."""
        return self._kind

    @property
    def i(self) -> list[Interface]:
        """All links in, by position in ``kind.ports[1:]``: A, then B."""
        return [*self.a, *self.b]

    @property
    def o(self) -> list[Interface]:
        """All links out, likewise: C, then D."""
        return [*self.c, *self.d]

    @property
    def uppers(self) -> int:
        """Uppers that lead somewhere; none at the top."""
        return len(self._kind.ports) - 1 - self._downers

    def elaborate(self, platform: object) -> Module:
        m = Module()
        d, u = self._downers, self.uppers
        self._read = HeaderReader(self._network, self._level, self.address)
        m.submodules.choice = self.choice = choice = XorShift()
        m.d.comb += [choice.seed.eq(self.seed), choice.step.eq(self.control.begin)]
        first_a, first_b, first_d = (
            scan_start(m, choice.state[low : low + 8], count, f"first_{group}")
            for group, low, count in (("a", 0, d), ("b", 8, u), ("d", 16, u))
        )
        headers = [
            Signal(header_layout(self._network), name=f"header_{name}") for name in self._inputs
        ]
        a_comes, b_comes = Signal(d, name="a_comes"), Signal(u, name="b_comes")
        for link, header in zip(self.i, headers, strict=True):
            m.d.comb += header.eq(link.data[: len(Value.cast(header))])
        for comes, links in ((a_comes, self.a), (b_comes, self.b)):
            m.d.comb += [comes[n].eq(link.kind == Kind.HEADER) for n, link in enumerate(links)]
        turns = self._turns(m, a_comes, headers[:d])
        for number, header in enumerate(headers[d:]):
            right = ~b_comes[number] | self._read.is_below(header.destination)
            m.d.sync += Assert(right, "circuit switch: what comes down must be for a PE below")

        busy = Signal(d)
        round_ = scanned(a_comes & turns, first_a) if self._topology.turns_round else []
        order = [[*enumerate(at)] for _, at in round_]
        order += [[*enumerate(at, d)] for _, at in scanned(b_comes, first_b)]
        grants = self._grant_down(m, headers, order, busy)
        if u:
            grants += self._grant_up(m, a_comes & ~turns, first_a, first_d, headers)
        crosspoints = self._switch(m, grants)
        m.d.comb += busy.eq(Cat(closed.any() for closed in crosspoints[:d]))
        return m

    def _turns(self, m: Module, comes: Value, headers: Sequence[View]) -> Value:
        """Which headers from below are for a PE below; in one-way use none may be for any PE."""
        if not self._topology.turns_round:
            for number, header in enumerate(headers):
                right = ~comes[number] | header.destination[-1]
                m.d.sync += Assert(right, "circuit switch: what goes up must be for a terminal")
            return Const(0, len(headers))
        turns = Signal(len(headers), name="turns")
        for number, header in enumerate(headers):
            m.d.comb += turns[number].eq(self._read.is_below(header.destination))
        return turns

    @property
    def _inputs(self) -> list[str]:
        """Names of the inputs: group and number."""
        return _numbered(a=self._downers, b=self.uppers)

    @property
    def _outputs(self) -> list[str]:
        """Names of the outputs."""
        return _numbered(c=self._downers, d=self.uppers)

    def _grant_up(
        self, m: Module, goes_up: Value, start: Value, first: Value, headers: Sequence[View]
    ) -> list[dict[int, Value]]:
        """For each upper, whether each input that can lead to it is granted it now."""
        d, u = self._downers, self.uppers
        named = self._read.named_uppers(headers[:d])
        grants: list[dict[int, Value]] = [dict.fromkeys(range(d), Const(0)) for _ in range(u)]
        before: list[list[Value]] = [[] for _ in range(u)]
        for distance, (wanted, inputs) in enumerate(scanned(goes_up, start)):
            request = Signal(name=f"up_request_{distance}")
            m.d.comb += request.eq(wanted)
            rank = count_ones(m, before[0], f"up_rank_{distance}")
            for k in range(u):
                if named:  # the header names the upper; the first in order gets it
                    wants = Cat(at & (by == k) for at, by in zip(inputs, named, strict=True)).any()
                    fits = wants & ~Cat(before[k]).any()
                else:  # the j-th gets upper (first + j) mod u; from the u-th on there is none
                    wants = request
                    ranks = [(first == (k - j) % u) & (rank == j) for j in range(min(u, d))]
                    fits = Cat(ranks).any()
                before[k].append(wants)
                for number, at in enumerate(inputs):
                    grants[k][number] |= at & fits
        return grants

    def _grant_down(
        self,
        m: Module,
        headers: Sequence[View],
        order: list[list[tuple[int, Value]]],
        busy: Value,
    ) -> list[dict[int, Value]]:
        """For each downer, whether each input that can lead to it is granted it now.

        A child's wires are granted in order, so the busy ones are always the first.
        """
        d, wires = self._downers, self._topology.wires[self._level]
        digits = [
            Signal.like(self._read.digit(header.destination), name=f"digit_{name}")
            for name, header in zip(self._inputs, headers, strict=True)
        ]
        m.d.comb += [
            digit.eq(self._read.digit(header.destination))
            for digit, header in zip(digits, headers, strict=True)
        ]
        grants: list[dict[int, Value]] = [{} for _ in range(d)]
        for child in range(d // wires):
            downers = range(child * wires, (child + 1) * wires)
            used = count_ones(m, [busy[downer] for downer in downers], f"used_{child}")
            before: list[Value] = []
            for turn, inputs in enumerate(order):
                requested = {
                    number: at & (digits[number] == child)
                    for number, at in inputs
                    if self._level == 0 or number not in downers
                }
                wanted = Signal(len(requested), name=f"wants_{child}_{turn}")
                m.d.comb += wanted.eq(Cat(requested.values()))
                wants = dict(zip(requested, wanted, strict=True))
                earlier = count_ones(m, before, f"earlier_{child}_{turn}")
                place = Signal(range(wires + len(order) + 1), name=f"place_{child}_{turn}")
                m.d.comb += place.eq(used + earlier)
                for wire, downer in enumerate(downers):
                    for number, requests in wants.items():
                        granted = requests & (place == wire)
                        grants[downer][number] = grants[downer].get(number, Const(0)) | granted
                before.append(wanted.any())
        return grants

    def _switch(self, m: Module, grants: list[dict[int, Value]]) -> list[Signal]:
        """Crosspoints of each output, and all registers: these, the outputs, the acknowledges."""
        release = self.control.release
        self.crosspoints: list[Signal] = []
        self.closed: list[Signal] = []
        for name, granted, link in zip(self._outputs, grants, self.o, strict=True):
            crosspoints = Signal(len(granted), name=f"crosspoints_{name}")
            closed = Signal(len(granted), name=f"closed_{name}")
            sources = [self.i[number] for number in granted]
            data = one_hot_mux(list(closed), [source.data for source in sources])
            # With one input the multiplexer ignores whether its crosspoint is closed.
            kind = one_hot_mux(list(closed), [source.kind for source in sources])
            m.d.comb += closed.eq(crosspoints | Cat(granted.values()))
            m.d.sync += [
                Assert(is_one_hot_or_zero(closed), "circuit switch: an output has one input"),
                crosspoints.eq(Mux(release, 0, closed)),
                link.data.eq(data),
                link.kind.eq(Mux(release | ~closed.any(), Kind.IDLE, kind)),
            ]
            self.crosspoints.append(crosspoints)
            self.closed.append(closed)
        for number, link in enumerate(self.i):
            returns = [
                (crosspoints[[*granted].index(number)], output.back)
                for granted, crosspoints, output in zip(
                    grants, self.crosspoints, self.o, strict=True
                )
                if number in granted
            ]
            leads = Cat(closed for closed, _ in returns)
            acknowledged = Cat(back for _, back in returns)
            m.d.sync += [
                link.back.eq((leads & acknowledged).any() & ~release),
                Assert(is_one_hot_or_zero(leads), "circuit switch: an input has one output"),
            ]
        return self.crosspoints


def _numbered(**groups: int) -> list[str]:
    """Names of the links of groups: ``a0``, ``a1``, ``b0``."""
    return [f"{group}{number}" for group, count in groups.items() for number in range(count)]


def switch_constants(network: Network, router: int) -> dict[str, Const]:
    """Constant inputs of one of the network's switches: its prefix, and the seed of its state."""
    topology = LeastCommonAncestor.of(network.topology)
    level = topology.level_of(router)
    number = router % topology.switches - topology.first_switch[level]
    prefix = number // topology.breadths[level]
    seed = CircuitParameters.of(network.hardware).network_seed
    return {
        "address": Const(topology.address(prefix * topology.spans[level]), topology.address_width),
        "seed": Const(initial_state(seed, router), 32),
    }
