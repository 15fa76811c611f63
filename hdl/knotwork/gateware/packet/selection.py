"""By what a head chooses between its ways, where it does not request them from the first on."""

from collections.abc import Hashable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Member

from ...network import Network, RouterKind
from ...output_ways import output_classes
from ...routing.draws import STATE_BITS
from ...routing.selection import CREDITS, FIRST, FIRST_STATE, RANDOM
from ...untyped import Interface
from ..parts.crossbar import index_of
from ..parts.draws import number_of, state_after
from .router_option import RouterOption
from .ways import Shown, WaysPort


class OpenWaysPort(WaysPort):
    """Input port whose front requests the first of a head's ways that is open.

    A way is open if its channel could take a head in the cycle in which the front is loaded. Of a
    head whose ways are all closed the front requests the first one, and of one that arrives and is
    at the front in the next cycle, too: it comes late, and what is open would come behind it.

    Latency
    -------
    As `InputPort`.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`; of a routing with escape classes.

    Members
    -------
    arrives, i, select_vc0, ..., granted, way1_vc0, ..., escape_vc0, ...
        As of `WaysPort`.
    opens : In(len(heads_to))
        Which of `heads_to` could take a head.
    """

    opens: Signal

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        classes = network.routing.classes
        ways = list(enumerate(output_classes(network, kind, port)))
        self._count = len(ways)
        self._links = [number for number, way in ways if way.output not in kind.node_ports]
        self._lanes = sorted({vc // classes for vc in kind.input_vcs(port)})
        self.heads_to = [
            (way.output, lane * classes + way.out_class)
            for lane in self._lanes
            for number, way in ways
            if number in self._links
        ]
        """Ports and virtual channels of links to which heads go from here."""
        super().__init__(network, kind, port)

    def _members(self, count: int) -> dict[str, Member]:
        opens = {"opens": In(len(self.heads_to))} if self.heads_to else {}
        return super()._members(count) | opens

    @property
    def parameters(self) -> Hashable:
        return super().parameters, tuple(self._links), len(self._lanes)

    def _change_way(self, m: Module, number: Signal, is_shown: Value) -> None:
        """Nothing: the number changes where the front is loaded."""

    def _of_next(self, number: Value) -> Value:
        return number

    def _of_blocked(self, number: Value) -> Value:
        return number

    def _shown_way(self, m: Module, number: Value, shown: Shown) -> Value:
        opens = self._opens_from(shown.channel)
        is_open = Signal(self._ways, name=f"{shown.name}_opens")
        chooses = Signal(name=f"{shown.name}_chooses")
        m.d.comb += [
            is_open.eq(Cat((way & opens).any() for way in shown.ways)),
            chooses.eq(shown.is_head & self._has_ways(shown.channel)),
        ]
        first = Cat(is_open[way] & ~is_open[:way].any() for way in range(self._ways))
        return Mux(chooses, index_of(first), number)[: len(number)]

    def _coming_way(self, number: Value, channel: Value, is_head: Value) -> Value:
        return Mux(is_head & self._has_ways(channel), 0, number)[: len(number)]

    def _has_ways(self, channel: Value) -> Value:
        """Whether packets that come by a channel have several ways."""
        return Cat(channel[place] for place in self._choosing).any()

    def _opens_from(self, channel: Value) -> Value:
        """Which output classes are open to heads of a channel; those of nodes count as closed."""
        result: list[Value] = [Const(0)] * self._count
        for place, number in enumerate(self._links):
            result[number] = Cat(
                self.opens[place + step * len(self._links)] & self._encoding.in_lane(lane, channel)
                for step, lane in enumerate(self._lanes)
            ).any()
        return Cat(result)

    def _keep_shown(self, m: Module, load: Value, channel: Value, number: Value) -> None:
        for place in self._choosing:
            with m.If(load & channel[place]):
                m.d.sync += self.requested_ways[place].eq(number)


class _SelectionOption(RouterOption):
    """What a router shows all its inputs.

    Parameters
    ----------
    network, kind
        As for `CreditRouter`.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        del kind
        self._network = network
        self._fronts: list[Interface] = []

    def input_port(self, m: Module, port: int, one: Interface) -> None:
        del m, port
        self._fronts.append(one.front)


class OpenWays(_SelectionOption):
    """Shows the inputs of a router which channels of links could take a head.

    Parameters
    ----------
    network, kind
        As for `CreditRouter`.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(network, kind)
        self._takes_head: dict[tuple[int, int], Value] = {}

    def output_channel(self, m: Module, port: int, vc: int, output: Interface, number: int) -> None:
        # The output has such a register, too, but does not show it: nothing else reads it there.
        held = Signal(name=f"held_port{port}_vc{vc}")
        with m.If(output.taken[number]):
            m.d.sync += held.eq((output.granted & ~output.last).any())
        self._takes_head[port, vc] = output.opens[number] & ~held

    def connect(self, m: Module, router: wiring.Component) -> None:
        del router
        for front in self._fronts:
            if front.heads_to:
                m.d.comb += front.opens.eq(Cat(self._takes_head[place] for place in front.heads_to))


class DrawnWaysPort(WaysPort):
    """Input port whose front requests a head's ways in turn from one on that is drawn.

    Latency
    -------
    As `InputPort`.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`; of a routing with escape classes.

    Members
    -------
    arrives, i, select_vc0, ..., granted, way1_vc0, ..., escape_vc0, ...
        As of `WaysPort`.
    drawn : In(range(ways))
        Number of the way with which the head behind a tail begins that leaves in this cycle.
    """

    drawn: Signal

    def _members(self, count: int) -> dict[str, Member]:
        return super()._members(count) | {"drawn": In(range(self._ways - 1))}

    def _of_next(self, number: Value) -> Value:
        if isinstance(number, Const):
            return number
        return Mux(self.last, self.drawn, number)[: len(number)]


class DrawnWays(_SelectionOption):
    """Generator by which a router draws the ways with which heads begin.

    It goes one step in each cycle in which a tail leaves an input.

    Parameters
    ----------
    network, kind
        As for `CreditRouter`.
    """

    def connect(self, m: Module, router: wiring.Component) -> None:
        del router
        state = Signal(STATE_BITS, init=FIRST_STATE, name="way_generator")
        with m.If(Cat(front.granted & front.last for front in self._fronts).any()):
            m.d.sync += state.eq(state_after(state))
        number = number_of(state, len(self._network.routing.other_ways))
        m.d.comb += [front.drawn.eq(number) for front in self._fronts]


_WAYS_PORTS = {FIRST: WaysPort, CREDITS: OpenWaysPort, RANDOM: DrawnWaysPort}


def ways_port(network: Network) -> type[WaysPort]:
    """Input port by which a head chooses as the routing says."""
    return _WAYS_PORTS[network.routing.selection]
