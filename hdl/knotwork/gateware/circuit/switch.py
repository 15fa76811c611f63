"""Switch of a least-common-ancestor network: crosspoints that hold for a network cycle."""

from collections.abc import Sequence

from amaranth.hdl import Assert, Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ...network import Network, RouterKind
from ...parameters import CircuitParameters
from ...routing.circuits import initial_state
from ...topology.lcan import LeastCommonAncestor
from ...untyped import Interface, View
from ..parts.arbiter import is_one_hot_or_zero
from ..parts.crossbar import one_hot_mux
from .layouts import Kind, circuit_signature, control_layout, header_layout
from .xorshift import XorShift, scan_start


class CircuitSwitch(wiring.Component):
    """Switch with d downers and u uppers, each two one-way links.

    Inputs from below (A) lead up (to D) and round (to C), inputs from above (B) lead down (to C);
    no other crosspoint is built. A header is granted an output, or lost, in the cycle in which it
    arrives. Headers going up get the uppers in order, starting from one that changes with every
    network cycle; headers to the same downer are served in an order that changes likewise, while
    the downer has a free wire. A crosspoint stays closed until release, even if its header is lost
    further on.

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
    i, o : arrays of circuit_signature
        Links, by position in ``kind.ports[1:]``.

    References
    ----------
    "Least Common Ancestor Networks"; the protocol is Knotwork's own.
    """

    address: Signal
    seed: Signal
    control: View
    i: list[Interface]
    o: list[Interface]

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network = network
        self._kind = kind
        self._topology = topology = LeastCommonAncestor.of(network.topology)
        self._level = topology.level_of(kind.router)
        self._downers = topology.downers[self._level]
        links = len(kind.ports) - 1
        super().__init__(
            {
                "address": In(topology.address_width),
                "seed": In(32),
                "control": In(control_layout(network)),
                "i": In(circuit_signature(network)).array(links),
                "o": Out(circuit_signature(network)).array(links),
            }
        )

    @property
    def kind(self) -> RouterKind:
        """Switches that it is."""
        return self._kind

    @property
    def uppers(self) -> int:
        """Uppers that lead somewhere; none at the top."""
        return len(self._kind.ports) - 1 - self._downers

    def elaborate(self, platform: object) -> Module:
        m = Module()
        d, u = self._downers, self.uppers
        m.submodules.choice = choice = XorShift()
        m.d.comb += [choice.seed.eq(self.seed), choice.step.eq(self.control.begin)]
        start_a = scan_start(choice.state[0:8], d)
        start_b = scan_start(choice.state[8:16], u)
        first_upper = scan_start(choice.state[16:24], u)

        headers = [Signal(header_layout(self._network), name=f"header_{n}") for n in range(d + u)]
        comes = Signal(d + u)
        for number, (link, header) in enumerate(zip(self.i, headers, strict=True)):
            m.d.comb += [
                header.eq(link.data[: len(Value.cast(header))]),
                comes[number].eq(link.kind == Kind.HEADER),
            ]
        turns = Signal(d)
        for a in range(d):
            m.d.comb += turns[a].eq(self._is_below(headers[a].destination))
        for b in range(d, d + u):
            right = ~comes[b] | self._is_below(headers[b].destination)
            m.d.sync += Assert(right, "circuit switch: what comes down must be for a PE below")

        busy = Signal(d)
        order = [[*enumerate(at)] for _, at in self._scanned(comes[:d] & turns, start_a)]
        order += [[*enumerate(at, d)] for _, at in self._scanned(comes[d:], start_b)]
        grants = self._grant_down(m, headers, order, busy)
        if u:
            grants += self._grant_up(m, comes[:d] & ~turns, start_a, first_upper, headers)
        crosspoints = self._switch(m, grants)
        m.d.comb += busy.eq(Cat(closed.any() for closed in crosspoints[:d]))
        return m

    def _is_below(self, destination: Value) -> Value:
        """Whether a PE is in this switch's subtree."""
        low = self._topology.digit_places[self._level + 1]
        return destination[low:] == self.address[low:]

    def _digit(self, destination: Value) -> Value:
        """Child of this switch under which a PE is."""
        low, high = self._topology.digit_places[self._level : self._level + 2]
        return destination[low:high]

    @staticmethod
    def _scanned(requests: Value, start: Value) -> list[tuple[Value, list[Value]]]:
        """Requests in the order of service, each with the inputs that it may come from.

        Entry s is the request at scan distance s, and its input, one-hot.
        """
        count = len(requests)
        entries = []
        for distance in range(count):
            at = [start == (number - distance) % count for number in range(count)]
            inputs = [requests[number] & at[number] for number in range(count)]
            entries.append((Cat(inputs).any(), inputs))
        return entries

    def _grant_up(
        self, m: Module, goes_up: Value, start: Value, first: Value, headers: Sequence[View]
    ) -> list[dict[int, Value]]:
        """For each upper, whether each input that can lead to it is granted it now."""
        d, u = self._downers, self.uppers
        words = self._network.routing.word_layout
        grants: list[dict[int, Value]] = [dict.fromkeys(range(d), Const(0)) for _ in range(u)]
        before: list[list[Value]] = [[] for _ in range(u)]
        for distance, (asked, inputs) in enumerate(self._scanned(goes_up, start)):
            request = Signal(name=f"up_request_{distance}")
            m.d.comb += request.eq(asked)
            rank = _count(m, before[0])
            for k in range(u):
                if words:  # the header names the upper; the first in order gets it
                    named = [header[f"upper{self._level}"] == k for header in headers[:d]]
                    wants = Cat(at & by for at, by in zip(inputs, named, strict=True)).any()
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
        digits = [Signal.like(self._digit(header.destination)) for header in headers]
        m.d.comb += [
            digit.eq(self._digit(header.destination))
            for digit, header in zip(digits, headers, strict=True)
        ]
        grants: list[dict[int, Value]] = [{} for _ in range(d)]
        for child in range(d // wires):
            downers = range(child * wires, (child + 1) * wires)
            used = _count(m, [busy[downer] for downer in downers])
            before: list[Value] = []
            for turn, inputs in enumerate(order):
                asked = {
                    number: at & (digits[number] == child)
                    for number, at in inputs
                    if self._level == 0 or number not in downers
                }
                wanted = Signal(len(asked), name=f"wants_{child}_{turn}")
                m.d.comb += wanted.eq(Cat(asked.values()))
                wants = dict(zip(asked, wanted, strict=True))
                place = Signal(range(wires + len(order) + 1))
                m.d.comb += place.eq(used + _count(m, before))
                for wire, downer in enumerate(downers):
                    for number, asks in wants.items():
                        granted = asks & (place == wire)
                        grants[downer][number] = grants[downer].get(number, Const(0)) | granted
                before.append(wanted.any())
        return grants

    def _switch(self, m: Module, grants: list[dict[int, Value]]) -> list[Signal]:
        """Crosspoints of each output, and all registers: these, the outputs, the acknowledges."""
        release = self.control.release
        taken = []
        for output, (granted, link) in enumerate(zip(grants, self.o, strict=True)):
            crosspoints = Signal(len(granted), name=f"crosspoints_{output}")
            closed = Signal(len(granted), name=f"closed_{output}")
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
            taken.append(crosspoints)
        for number, link in enumerate(self.i):
            ways = [
                (crosspoints[[*granted].index(number)], output.back)
                for granted, crosspoints, output in zip(grants, taken, self.o, strict=True)
                if number in granted
            ]
            leads = Cat(closed for closed, _ in ways)
            acknowledged = Cat(back for _, back in ways)
            m.d.sync += [
                link.back.eq((leads & acknowledged).any() & ~release),
                Assert(is_one_hot_or_zero(leads), "circuit switch: an input has one output"),
            ]
        return taken


def _count(m: Module, bits: Sequence[Value]) -> Signal:
    """Number of ones."""
    total = Signal(range(len(bits) + 1))
    m.d.comb += total.eq(sum(bits, start=Const(0)))
    return total


def switch_constants(network: Network, router: int) -> dict[str, Const]:
    """Constant inputs of one of the network's switches: its prefix, and the seed of its state."""
    topology = LeastCommonAncestor.of(network.topology)
    level = topology.level_of(router)
    prefix = (router - topology.first_switch[level]) // topology.breadths[level]
    seed = CircuitParameters.of(network.hardware).network_seed
    return {
        "address": Const(topology.address(prefix * topology.spans[level]), topology.address_width),
        "seed": Const(initial_state(seed, router), 32),
    }
