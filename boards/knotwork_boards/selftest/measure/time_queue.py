"""Queue of the times at which packets were created."""

from amaranth.hdl import Module, Signal, Value
from amaranth.lib import data, memory, stream, wiring
from amaranth.lib.wiring import In, Out


class TimeQueue(wiring.Component):
    """Queue in a block of memory that takes and gives an element per cycle.

    Latency
    -------
    2 cycles.

    Parameters
    ----------
    shape : StructLayout
        Element.
    depth : int
        Elements, a power of two; the writer never writes more.

    Members
    -------
    clear : In(1)
        Empties the queue.
    i : In(shape)
        Element.
    write : In(1)
        It is there.
    o : Out(stream)
        The same elements.
    empty : Out(1)
        Nothing is in the queue.
    """

    clear: Value
    i: data.View
    write: Value
    o: stream.Interface
    empty: Value

    def __init__(self, *, shape: data.StructLayout, depth: int) -> None:
        self._shape = shape
        self._depth = depth
        super().__init__(
            {
                "clear": In(1),
                "i": In(shape),
                "write": In(1),
                "o": Out(stream.Signature(shape)),
                "empty": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Read ahead, so that the memory's own register shows the first element."""
        del platform
        m = Module()
        m.submodules.store = store = memory.Memory(
            shape=self._shape, depth=self._depth, init=[], attrs={"ram_style": "block"}
        )
        write, read = store.write_port(), store.read_port()
        level = Signal(range(self._depth + 1))
        reads = (level != 0) & (~self.o.valid | self.o.ready)
        m.d.comb += [
            write.en.eq(self.write),
            write.data.eq(self.i),
            read.en.eq(reads),
            self.o.p.eq(read.data),
            self.empty.eq((level == 0) & ~self.o.valid),
        ]
        with m.If(self.clear):
            m.d.sync += [level.eq(0), self.o.valid.eq(0)]
        with m.Else():
            m.d.sync += [
                level.eq(level + self.write - reads),
                write.addr.eq(write.addr + self.write),
                read.addr.eq(read.addr + reads),
                self.o.valid.eq(reads | (self.o.valid & ~self.o.ready)),
            ]
        return m
