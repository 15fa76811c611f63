"""Registers of a router for the jump table: the entry that it reads in a step."""

from collections.abc import Hashable

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib.wiring import In, Out

from ...network import Network
from ...untyped import View
from ..component import Component
from .layouts import entry_layout


class JumpTable(Component):
    """What a router keeps of the jump table. A subclass gives `elaborate`.

    Latency
    -------
    1 cycle from `loads` and `shifts` to `o`.

    Parameters
    ----------
    network : Network
        Network with batches.
    dimension : int, optional
        The dimension that the router reads, where it reads only one.

    Members
    -------
    loads : In(n)
        Dimension, one-hot, that `entry` is for; 0 while there is none.
    entry : In(entry_layout)
        Entry of the jump table.
    shifts : In(1)
        The table advances by a dimension.
    o : Out(entry_layout)
        Entry that the router reads in this step.
    """

    loads: Signal
    entry: View
    shifts: Signal
    o: View

    def __init__(self, network: Network, dimension: int = 0) -> None:
        self._dimension = dimension
        self._n = network.topology.address_width
        super().__init__(
            {
                "loads": In(self._n),
                "entry": In(entry_layout(network)),
                "shifts": In(1),
                "o": Out(entry_layout(network)),
            }
        )

    def asks(self, m: Module, destination: Value, bit: Value) -> Value:
        """Whether a packet asks for an exchange; `bit` is the dimension's, of its destination."""
        buddies = Signal(1 << len(self.o.buddy), name="buddy_bits")  # that of the constant is 0
        m.d.comb += buddies.eq(destination)
        return ~self.o.jump & (bit ^ buddies.bit_select(self.o.buddy, 1))


class OneEntry(JumpTable):
    """Jump bit and buddy of one dimension, which stay.

    Latency
    -------
    1 cycle from `loads` to `o`.
    """

    def elaborate(self, platform: object) -> Module:
        m = Module()
        jump, buddy = Signal(name="jump"), Signal.like(self.o.buddy, name="buddy")
        m.d.comb += [self.o.jump.eq(jump), self.o.buddy.eq(buddy)]
        with m.If(self.loads[self._dimension]):
            m.d.sync += [jump.eq(self.entry.jump), buddy.eq(self.entry.buddy)]
        return m


class ShiftRegisters(JumpTable):
    """Jump and buddy shift registers of all dimensions; the head is the entry that is read.

    A table comes in serially, an entry per cycle, until its first one, that of dimension n - 1, is
    at the head. Each shift brings the head to the other end, so n of them restore the table.

    Latency
    -------
    1 cycle from `loads` or `shifts` to `o`.

    References
    ----------
    Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
    section 3.2: two shift registers in every node.
    """

    @property
    def parameters(self) -> Hashable:
        return self._n, len(self.o.buddy)  # whatever dimension is read, all are here

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bits = len(self.o.buddy)
        jump, buddy = Signal(self._n, name="jump"), Signal(self._n * bits, name="buddy")
        loading = Signal()
        m.d.comb += [
            loading.eq(self.loads.any()),
            self.o.jump.eq(jump[0]),
            self.o.buddy.eq(buddy[:bits]),
        ]
        with m.If(loading | self.shifts):
            m.d.sync += [
                jump.eq(Cat(jump[1:], Mux(loading, self.entry.jump, self.o.jump))),
                buddy.eq(Cat(buddy[bits:], Mux(loading, self.entry.buddy, self.o.buddy))),
            ]
        return m
