"""Gates of the hypercube: route computation, and LC1's exchange."""

from amaranth.hdl import Cat, Module, Mux, Signal
from amaranth.lib import data

from ...network import Network
from ...untyped import View
from ..batch.exchange import Exchange, Sequencer
from ..batch.router import ShiftRegisters
from ..parts.adaptive_route import DifferingBits
from ..parts.crossbar import one_hot_mux
from ..parts.route import HighestDifference


class DimensionExchange(Exchange):
    """LC1: an exchange in one dimension, by the head of the jump and buddy shift registers.

    They turn once per batch, so the next batch finds them unchanged.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        schedule, destination = self.control.schedule, self.own.destination
        m.submodules.jump_table = self.jump_table = table = ShiftRegisters(self.network)
        m.d.comb += [
            table.loads.eq(self.control.loads),
            table.entry.eq(self.control.entry),
            table.shifts.eq(self.control.running & self.control.last & schedule.turns),
        ]
        dimension = schedule.dimension
        bit = (destination & dimension).any()
        first = table.wants_exchange(m, destination, bit)
        second = ((destination ^ self.address) & dimension).any()
        request, requested, differs = (
            Signal(name=name) for name in ("request", "requested", "differs")
        )
        incoming = [link for link, _ in self.links.values()]
        m.d.comb += [
            request.eq(Mux(schedule.second, second, first)),
            requested.eq((Cat(link.request for link in incoming) & dimension).any()),
            self.taken.eq(one_hot_mux(list(dimension), [link.message for link in incoming])),
            self.takes.eq(request & requested),
            differs.eq(request ^ requested),
            self.raised.eq(Cat(differs & ~schedule.second, 0, differs & schedule.second)),
        ]
        for _, link in self.links.values():
            m.d.comb += [link.message.eq(self.own), link.request.eq(request)]
        return m


class DimensionSequencer(Sequencer):
    """Dimensions n - 1 to 1, then 0 to n - 1.

    Members of `layout`
    -------------------
    dimension : n
        Dimension of the step, one-hot.
    second : 1
        By destinations, not by the table.
    turns : 1
        The shift registers advance with this step: in the first n steps.
    """

    @staticmethod
    def layout(network: Network) -> data.StructLayout:
        n = network.topology.address_width
        return data.StructLayout({"dimension": n, "second": 1, "turns": 1})

    def elaborate(self, platform: object) -> Module:
        m = Module()
        n = self.network.topology.address_width
        top = 1 << (n - 1)
        at_first: View = {"dimension": top, "second": int(n == 1), "turns": 1}
        shown: View = Signal(self.o.shape(), init=at_first, name="shown")
        self.shown = shown
        m.d.comb += [self.o.eq(shown), self.final.eq(shown.second & shown.dimension[n - 1])]
        if n == 1:  # the first step is the last
            return m
        with m.If(self.advance):
            with m.If(shown.second):
                m.d.sync += [
                    shown.dimension.eq(Mux(self.final, top, shown.dimension << 1)),
                    shown.second.eq(~self.final),
                    shown.turns.eq(self.final),
                ]
            with m.Else():
                m.d.sync += [
                    shown.dimension.eq(shown.dimension >> 1),
                    shown.second.eq(shown.dimension[1]),
                ]
        return m


ROUTE_COMPUTATIONS = {"ecube": HighestDifference}

ESCAPE_COMPUTATIONS: dict = {}

NEARER_COMPUTATION = DifferingBits

EXCHANGES = {"lc1": DimensionExchange}

SEQUENCERS = {"lc1": DimensionSequencer}
