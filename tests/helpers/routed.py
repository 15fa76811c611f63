"""Input ports and buffers behind the gates of their routes, with whole flits before and behind."""

from amaranth.hdl import Elaboratable, Module, Signal
from knotwork.gateware.layouts import flit_layout
from knotwork.gateware.packet.router_input import RouterInput, make_input_port


class Routed(Elaboratable):
    """Port or buffer as it stands in a router: `address`, flits `i` and `flit`, and its members.

    What it has no use for is a signal all the same.
    """

    def __init__(self, network, kind, port, make=make_input_port):
        self.inner = make(network, kind, port)
        self._input = RouterInput(network, kind, port, self.inner)
        self.address = Signal(network.topology.address_width)
        self.i = Signal(flit_layout(network))
        self.flit = None
        self._unused = {"eligible": Signal(), "channel": Signal(init=1), "shown": Signal(init=1)}
        self._unused["other_channel"] = Signal()

    def __getattr__(self, name):
        if name in self._unused and name not in self.inner.signature.members:
            return self._unused[name]
        return getattr(self.inner, name)

    def elaborate(self, platform):
        m = Module()
        self._input.add(m, "dut", self.address, self.i)
        self.flit = self._input.flits[False]
        return m
