"""Faults that the self-test can inject on purpose: a test that cannot fail proves nothing."""

from amaranth.hdl import Module, Value
from amaranth.lib import enum, stream, wiring
from amaranth.lib.wiring import In, Out


class Fault(enum.Enum, shape=3):
    """Fault that is injected once per window.

    Members
    -------
    NONE, LOST, DUPLICATED, CORRUPTED, MISROUTED, REFUSED
        Counter that the fault must raise. REFUSED needs a network with an address that belongs to
        no node, or one whose packets all have the same length.
    TABLE
        A wrong entry in a jump table, in networks of batches; it must raise MISROUTED.
    """

    NONE = 0
    LOST = 1
    DUPLICATED = 2
    CORRUPTED = 3
    MISROUTED = 4
    REFUSED = 5
    TABLE = 6


class FaultStage(wiring.Component):
    """Stage of a stream in which a fault can be injected: ports, and the way without a fault.

    Parameters
    ----------
    signature : stream.Signature
        Signature of the stream.

    Members
    -------
    fault : In(Fault)
        Fault to inject.
    start : In(1)
        Pulse at the beginning of a window.
    i : In(signature)
        From the source.
    o : Out(signature)
        To the network.
    """

    fault: Value
    start: Value
    i: stream.Interface
    o: stream.Interface

    def __init__(self, signature: wiring.Signature) -> None:
        super().__init__(
            {"fault": In(Fault), "start": In(1), "i": In(signature), "o": Out(signature)}
        )

    def pass_on(self, m: Module) -> None:
        """Pass everything on; statements that follow may override this."""
        m.d.comb += [
            self.o.valid.eq(self.i.valid),
            self.o.payload.eq(self.i.payload),
            self.i.ready.eq(self.o.ready),
        ]
