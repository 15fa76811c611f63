"""Route computation by a table that can be loaded while the network is in service."""

from collections.abc import Hashable

from amaranth.hdl import Cat, Module, Mux, ShapeLike, Signal
from amaranth.lib import data
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Member

from ...network import Network
from ...routing import Turn
from .route import RouteComputation


def channel_layout(network: Network) -> data.StructLayout:
    """Port of a router and class of a virtual channel: {port, class}."""
    members: dict[str, ShapeLike] = {
        "channel_class": range(network.routing.classes),
        "port": range(len(network.topology.ports)),
    }
    return data.StructLayout(members)


class LoadedRoute(RouteComputation):
    """Decides by the gates of the network's own routing, until a table is loaded.

    The table has two banks in one RAM: one in force, and one that words are written to.

    Parameters
    ----------
    network, turns, router
        As for `RouteComputation`; any table may take `turns`.
    fixed : RouteComputation or None
        Gates of the network's own routing; None where its packets do not come.

    Members
    -------
    bank : In(1)
        Which bank is in force, or with ``~loaded`` will not be written to.
    loaded : In(1)
        A table is in force.
    writes : In(1)
        Store `entry` for the address `place`.
    place : In(address_width)
        Address of a destination.
    entry : In(channel_layout)
        Where packets for it leave.
    table
        As of `fixed`, where that has one.
    """

    bank: Signal
    loaded: Signal
    writes: Signal
    place: Signal
    entry: Signal

    def __init__(
        self,
        network: Network,
        turns: tuple[Turn, ...],
        fixed: RouteComputation | None,
        *,
        router: int,
    ) -> None:
        self._network = network
        self._fixed = fixed
        super().__init__(network, turns, router=router)

    @property
    def parameters(self) -> Hashable:
        """The network, where its turns lead, and the gates of its own routing."""
        turns = tuple((turn.output_port, turn.output_vc) for turn in self.turns)
        if self._fixed is None:
            return self._network, turns, None
        places = tuple(map(self.turns.index, self._fixed.turns))
        return self._network, turns, (type(self._fixed), self._fixed.parameters, places)

    @property
    def fixed(self) -> RouteComputation | None:
        """Gates of the network's own routing."""
        return self._fixed

    def _inputs(self) -> dict[str, Member]:
        return {
            "bank": In(1),
            "loaded": In(1),
            "writes": In(1),
            "place": In(self.network.topology.address_width),
            "entry": In(channel_layout(self.network).size),
            **({} if self._fixed is None else self._fixed._inputs()),
        }

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network, topology = self.network, self.network.topology
        layout = channel_layout(network)
        depth = 2 << topology.address_width
        m.submodules.banks = banks = Memory(shape=layout.size, depth=depth, init=[])
        write, read = banks.write_port(), banks.read_port(domain="comb")
        into = Signal(1 + topology.address_width, name="into")
        out_of = Signal.like(into, name="out_of")
        by_gates = Signal(len(self.turns), name="select_by_gates")
        loaded = Signal(len(self.turns), name="select_by_table")
        m.d.comb += [
            into.eq(Cat(self.place, ~self.bank)),
            out_of.eq(Cat(self.destination, self.bank)),
            write.addr.eq(into),
            write.data.eq(self.entry),
            write.en.eq(self.writes),
            read.addr.eq(out_of),
            self.select.eq(Mux(self.loaded, loaded, by_gates)),
        ]
        for number, turn in enumerate(self.turns):
            out_class = turn.output_vc % network.routing.classes
            if topology.is_local(turn.output_port):
                out_class = 0
            code = layout.const({"port": turn.output_port, "channel_class": out_class})
            m.d.comb += loaded[number].eq(read.data == code.as_value())
        fixed = self._fixed
        if fixed is not None:
            m.submodules.fixed = fixed
            m.d.comb += [
                fixed.address.eq(self.address),
                fixed.destination.eq(self.destination),
                *(getattr(fixed, name).eq(getattr(self, name)) for name in fixed._inputs()),
            ]
            for number, turn in enumerate(fixed.turns):
                m.d.comb += by_gates[self.turns.index(turn)].eq(fixed.select[number])
        return m
