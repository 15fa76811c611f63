"""Counting of a batch's steps in a router, from the controller's start on."""

from amaranth.hdl import Module, Signal
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...untyped import View
from ..component import Component
from ..networks import gates_of
from .layouts import control_layout, steps_layout


class RouterSteps(Component):
    """Counts the steps of a batch for its router alone.

    All routers start in the same cycle and count alike, so they stay in lockstep.

    Latency
    -------
    0 cycles: the first step begins with the cycle of the start.

    Parameters
    ----------
    network : Network
        Network with batches.

    Members
    -------
    control : In(control_layout)
        From the controller.
    last : In(1)
        The router has the last beat of its packet in hand.
    o : Out(steps_layout)
        What the router does.

    References
    ----------
    Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
    sections 3.3 and 5: every node runs the algorithm for itself.
    """

    control: View
    last: Signal
    o: View

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__(
            {
                "control": In(control_layout(network)),
                "last": In(1),
                "o": Out(steps_layout(network)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        network = self._network
        sequencer = gates_of(network).SEQUENCERS[network.routing.name](network)
        m.submodules.sequencer = sequencer
        going, running, ends = Signal(name="going"), Signal(name="running"), Signal(name="ends")
        m.d.comb += [
            running.eq(self.control.start | going),
            sequencer.advance.eq(running & self.last),
            ends.eq(sequencer.advance & sequencer.final),
            self.o.running.eq(running),
            self.o.last.eq(self.last),
            self.o.done.eq(ends),
            self.o.entry.eq(self.control.entry),
            self.o.loads.eq(self.control.loads),
            self.o.schedule.eq(sequencer.o),
        ]
        m.d.sync += going.eq(running & ~ends)
        return m
