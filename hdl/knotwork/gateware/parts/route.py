"""Route computation: the component that each network supplies to its routers."""

from functools import cache

from amaranth.hdl import Cat, Module, Signal
from amaranth.lib.wiring import In, Member, Out

from ...network import Network, RouterKind
from ...routing import Turn
from ...routing.choosing import ChoosingRouting
from ...topology import LOCAL
from ..component import Component


class _Computation(Component):
    """Chooses among the turns from one input; a subclass gives `elaborate`."""

    select: Signal
    address: Signal
    dissolves = True

    def __init__(
        self, network: Network, turns: tuple[Turn, ...], *, router: int, members: dict[str, Member]
    ) -> None:
        self._network = network
        self._turns = turns
        self._router = router
        own = {"address": In(network.topology.address_width), "select": Out(len(turns))}
        super().__init__(own | members)

    def elaborate(self, platform: object) -> Module:
        raise NotImplementedError

    @property
    def network(self) -> Network:
        """Network that it is for."""
        return self._network

    @property
    def turns(self) -> tuple[Turn, ...]:
        """Turns in the order of `select`."""
        return self._turns

    @property
    def router(self) -> int:
        """One of the routers that are this module."""
        return self._router


class RouteComputation(_Computation):
    """Chooses the turn of the flit at the head of one input's virtual channel.

    A subclass gives `elaborate`: combinational, and correct only for flits that the routing can
    bring to this input, so that it need not check what their path has settled already.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Topology and routing.
    turns : tuple of Turn
        Turns from this input and virtual channel, in the order of `select`.
    rule_class : int or None
        What stands for the class of the flit where the rule is called, if its own does not; see
        `Routing.other_ways`.
    router : int
        One of the routers that this module implements; it represents all of them.

    Members
    -------
    address : In(address_width)
        The router's own address.
    destination : In(address_width + routing.draw_width)
        The flit's, and above it what its source has drawn.
    select : Out(len(turns))
        One-hot: the turn to take.
    """

    destination: Signal

    def __init__(
        self,
        network: Network,
        turns: tuple[Turn, ...],
        *,
        rule_class: int | None = None,
        router: int = 0,
    ) -> None:
        self._rule_class = rule_class
        width = network.topology.address_width + network.routing.draw_width
        members = {"destination": In(width)}
        super().__init__(network, turns, router=router, members=members | self._inputs())

    def _inputs(self) -> dict[str, Member]:
        """Inputs beside the addresses, which a subclass has from its router."""
        return {}


class BranchComputation(_Computation):
    """Chooses the turns of the copies of a broadcast at the head of one input's virtual channel.

    A subclass gives `elaborate`: combinational, and correct only for flits that a broadcast can
    bring to this input.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Topology, and a routing with a broadcast.
    turns : tuple of Turn
        Turns of copies from this input and virtual channel, in the order of `select`.
    router : int
        One of the routers that this module implements; it represents all of them.

    Members
    -------
    address : In(address_width)
        The router's own address.
    source : In(address_width)
        The flit's.
    label : In(label_width)
        The flit's label; without meaning at the local input.
    select : Out(len(turns))
        Turns to take; ejection is always one of them, where the input is not the local one.
    labels : Out(label_width).array(len(turns))
        Label of the copy that takes the turn; meaningless for ejection.
    """

    source: Signal
    label: Signal
    labels: list[Signal]

    def __init__(self, network: Network, turns: tuple[Turn, ...], *, router: int) -> None:
        broadcast = network.routing.broadcast
        if broadcast is None:
            raise ValueError(f"routing={network.routing.name} must have a broadcast")
        members = {
            "source": In(network.topology.address_width),
            "label": In(broadcast.label_width),
            "labels": Out(broadcast.label_width).array(len(turns)),
        }
        super().__init__(network, turns, router=router, members=members)


class HighestDifference(RouteComputation):
    """Port of the highest bit in which address and destination differ; port i + 1 is bit i.

    It checks only the bits whose ports are among the turns: the path has made the others equal.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        difference = self.address ^ self.destination
        bits = sorted(turn.output_port - 1 for turn in self.turns if turn.output_port != LOCAL)
        for number, turn in enumerate(self.turns):
            above = Cat(difference[bit] for bit in bits if bit > turn.output_port - 1)
            here = 1 if turn.output_port == LOCAL else difference[turn.output_port - 1]
            m.d.comb += self.select[number].eq(here & ~above.any())
        return m


@cache
def own_network(network: Network) -> Network:
    """Network of the routing over which one that chooses is made; only its gates are used."""
    return Network(network.topology, routing=type(ChoosingRouting.of(network.routing).base))


def input_turns(kind: RouterKind, port: int, vc: int) -> tuple[Turn, ...]:
    """Turns of packets to one node from one input and virtual channel."""
    return tuple(t for t in kind.unicast_turns if (t.input_port, t.input_vc) == (port, vc))
