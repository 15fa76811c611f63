"""Registers between a network and what tests it."""

from collections.abc import Sequence

from amaranth.hdl import Module, Mux, ShapeLike, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from .node_test import NetworkComponent

STREAM_CYCLES = 2
"""Latency of a `StreamRegister`."""


class StreamRegister(wiring.Component):
    """Registers of a stream: no path leads through them, and nothing but a path lies before them.

    Two elements are kept in turn, each in a register that loads what is offered, taken or not. A
    third register shows the element that leaves.

    Latency
    -------
    2 cycles.

    Parameters
    ----------
    shape : shape-like
        Payload.

    Members
    -------
    i, o : In(stream), Out(stream)
        The same elements.
    """

    i: stream.Interface
    o: stream.Interface

    def __init__(self, shape: ShapeLike) -> None:
        self._shape = shape
        super().__init__({"i": In(stream.Signature(shape)), "o": Out(stream.Signature(shape))})

    def elaborate(self, platform: object) -> Module:
        """Write and read the two in turn."""
        del platform
        m = Module()
        kept = [Signal(self._shape, name=f"kept_{place}") for place in range(2)]
        full = Signal(2)
        written, read = Signal(), Signal()  # the next place of each
        given, moves = Signal(), Signal()
        m.d.comb += [
            self.i.ready.eq(~full.all()),
            given.eq(full.any()),
            moves.eq(~self.o.valid | self.o.ready),
        ]
        for place in range(2):
            with m.If((written == place) & ~full[place]):
                m.d.sync += [kept[place].eq(self.i.p), full[place].eq(self.i.valid)]
        with m.If(self.i.valid & self.i.ready):
            m.d.sync += written.eq(~written)
        with m.If(moves):
            m.d.sync += [self.o.valid.eq(given), self.o.p.eq(Mux(read, *reversed(kept)))]
            with m.If(given):
                m.d.sync += [full.bit_select(read, 1).eq(0), read.eq(~read)]
        return m


class RegisteredNetwork(wiring.Component):
    """Network whose ports are registers, so that its test is no part of its longest path.

    Latency
    -------
    2 cycles more on the way in, and 2 on the way out.

    Parameters
    ----------
    network : NetworkComponent
        Network.
    signature : wiring.Signature
        Its ports.

    Members
    -------
    inject, eject, refused, config, status
        Those of the network.
    entered : Signal
        One bit per node: in the cycle before, the first flit of a packet entered the network.
    """

    inject: Sequence[stream.Interface]
    eject: Sequence[stream.Interface]
    refused: Value
    config: stream.Interface
    status: Value

    def __init__(self, network: NetworkComponent, signature: wiring.Signature) -> None:
        self._network = network
        super().__init__(signature)
        self.entered = Signal(len(network.inject))

    def elaborate(self, platform: object) -> Module:
        """Lead packets through registers, and delay what the network tells by a cycle."""
        del platform
        m = Module()
        m.submodules.network = network = self._network
        for node, (own, inner) in enumerate(zip(self.inject, network.inject, strict=True)):
            m.submodules[f"inject_{node}"] = register = StreamRegister(inner.payload.shape())
            wiring.connect(m, wiring.flipped(own), register.i)
            wiring.connect(m, register.o, inner)
            first, enters = Signal(init=1, name=f"first_{node}"), inner.valid & inner.ready
            m.d.sync += self.entered[node].eq(enters & first)
            with m.If(enters):
                m.d.sync += first.eq(inner.p.last)
        for node, (own, inner) in enumerate(zip(self.eject, network.eject, strict=True)):
            m.submodules[f"eject_{node}"] = register = StreamRegister(inner.payload.shape())
            wiring.connect(m, inner, register.i)
            wiring.connect(m, register.o, wiring.flipped(own))
        if "config" in self.signature.members:
            wiring.connect(m, wiring.flipped(self.config), network.config)
        told = ("refused", "status")
        for name in self.signature.members.keys() & set(told):
            m.d.sync += getattr(self, name).eq(getattr(network, name))
        return m
