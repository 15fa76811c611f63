"""Choice of a copy, between the interface of a PE and its links to several copies of a network."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import data
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...topology.lcan import LeastCommonAncestor
from ...untyped import Interface, View
from ..component import Component
from ..parts.crossbar import one_hot_mux
from .layouts import Kind, circuit_signature, control_layout, header_layout
from .places import beyond_all, beyond_levels, first_of, own_bits, placed_bits


class CopyChooser(Component):
    """Joins a PE's interface to a link to each copy of the levels.

    A packet goes over the copy in which its nodes are nearest; of several, over the first. Of the
    headers that come in a network cycle, the first gets to the interface; of several in one cycle,
    that of the first copy. The others get no acknowledge. Inside a copy, headers name PEs by their
    places there.

    Latency
    -------
    None: it has no register on the way, forward or backward.

    Parameters
    ----------
    network : Network
        Network of several copies.

    Members
    -------
    address : In(address_width)
        The PE's own address, constant.
    control : In(control_layout)
        From the controller.
    sent : In(circuit_signature)
        From the interface.
    given : Out(circuit_signature)
        To the interface.
    i, o : arrays of circuit_signature
        From and to the copies.
    """

    address: Signal
    control: View
    sent: Interface
    given: Interface
    i: list[Interface]
    o: list[Interface]

    def __init__(self, network: Network) -> None:
        self._network = network
        self._topology = LeastCommonAncestor.of(network.topology)
        link, copies = circuit_signature(network), self._topology.copies
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "control": In(control_layout(network)),
                "sent": In(link),
                "given": Out(link),
                "i": In(link).array(copies),
                "o": Out(link).array(copies),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        self._send(m)
        self._receive(m)
        return m

    def _send(self, m: Module) -> None:
        """Choose a copy for each header; what follows goes the same way."""
        topology, layout = self._topology, header_layout(self._network)
        copies = range(topology.copies)
        header: View = Signal(layout, name="sent_header")
        comes = Signal(name="sent_comes")
        nearest, kept = Signal(len(copies), name="nearest"), Signal(len(copies), name="kept")
        chosen = Signal(len(copies), name="chosen")
        beyond = [Signal(topology.levels, name=f"beyond_{copy}") for copy in copies]
        for copy in copies:
            m.d.comb += beyond[copy].eq(
                beyond_levels(topology, copy, self.address, header.destination)
            )
        least = Signal(topology.levels, name="beyond")
        m.d.comb += [
            header.eq(self.sent.data[: layout.size]),
            comes.eq(self.sent.kind == Kind.HEADER),
            least.eq(beyond_all(topology, self.address, header.destination)),
            nearest.eq(first_of(Cat(levels == least for levels in beyond))),
            chosen.eq(Mux(comes, nearest, kept)),
            self.sent.back.eq((kept & Cat(link.back for link in self.o)).any()),
        ]
        m.d.sync += kept.eq(chosen)
        for copy in copies:
            there: View = Signal(layout, name=f"header_{copy}")
            m.d.comb += [
                there.eq(header),
                there.destination.eq(placed_bits(topology, copy, header.destination)),
                there.source.eq(placed_bits(topology, copy, header.source)),
                self.o[copy].kind.eq(Mux(chosen[copy], self.sent.kind, Kind.IDLE)),
                self.o[copy].data.eq(Mux(comes, Value.cast(there), self.sent.data)),
            ]

    def _receive(self, m: Module) -> None:
        """Let the first header of a network cycle in, and what follows it."""
        topology, layout = self._topology, header_layout(self._network)
        copies = range(topology.copies)
        joined, first = Signal(len(copies), name="joined"), Signal(len(copies), name="first")
        comes, leads = Signal(len(copies), name="comes"), Signal(len(copies), name="leads")
        headers = []
        for copy in copies:
            header: View = Signal(layout, name=f"given_{copy}")
            there: View = data.View(layout, self.i[copy].data[: layout.size])
            m.d.comb += [
                comes[copy].eq(self.i[copy].kind == Kind.HEADER),
                header.eq(there),
                header.destination.eq(own_bits(topology, copy, there.destination)),
                header.source.eq(own_bits(topology, copy, there.source)),
                self.i[copy].back.eq(joined[copy] & self.given.back),
            ]
            headers.append(Mux(comes[copy], Value.cast(header), self.i[copy].data))
        m.d.comb += [
            first.eq(Mux(joined.any(), 0, first_of(comes))),
            leads.eq(joined | first),
            self.given.kind.eq(one_hot_mux(list(leads), [link.kind for link in self.i])),
            self.given.data.eq(one_hot_mux(list(leads), headers)),
        ]
        m.d.sync += joined.eq(Mux(self.control.release, 0, leads))
