"""The host of a network whose node test takes tables, and measures nothing."""

from amaranth.hdl import Module, Value
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from knotwork.topology import Topology

from .commands import DROPPED_WIDTH, CommandDecoder
from .host import NO_HOST, Host
from .receiver import UartReceiver

NUMBER_WIDTH = 8
"""Bits of the number of a table."""


class TableHost(wiring.Component):
    """Commands of a self-test that takes tables: it goes, halts, begins anew, and loads.

    Commands that set what is measured are dropped.

    Parameters
    ----------
    topology : Topology
        Network.
    clock_hz, baud, bit_cycles
        See `UartReceiver`.

    Members
    -------
    rx, take, line_begins
        See `Measurement`, whose place it takes in the self-test.
    clear, start, entered
        See there; not used, because nothing is measured.
    going, anew : Out(1)
        See `CommandDecoder`.
    word : Out(32)
        Next word of a table, if `word_valid`.
    word_valid, ended : Out(1)
        A word comes; the table ends.
    refused : In(1)
        Pulse for a table that the node test cannot take; counts as a dropped command.
    number : In(NUMBER_WIDTH)
        Number of the table in force, 0 for none; constant from the window's start to its line.
    values : Out(StructLayout)
        Words of the line: `dropped` and `table`, which is `number`.
    """

    rx: Value
    take: Value
    line_begins: Value
    clear: Value
    start: Value
    entered: Value
    going: Value
    anew: Value
    word: Value
    word_valid: Value
    ended: Value
    refused: Value
    number: Value
    values: data.View

    def __init__(
        self, topology: Topology, *, clock_hz: int, baud: int, bit_cycles: Value | None = None
    ) -> None:
        self._decoder = CommandDecoder(topology, longest=1, tables=True, settings=False)
        self._receiver = UartReceiver(clock_hz=clock_hz, baud=baud, bit_cycles=bit_cycles)
        values = {"dropped": DROPPED_WIDTH, "table": NUMBER_WIDTH}
        super().__init__(
            {
                "rx": In(1, init=1),  # pyright: ignore[reportCallIssue]
                **dict.fromkeys(("take", "line_begins", "clear", "start", "refused"), In(1)),
                "entered": In(topology.nodes),
                "number": In(NUMBER_WIDTH),
                **dict.fromkeys(("going", "anew"), Out(1)),
                "word": Out(32),
                **dict.fromkeys(("word_valid", "ended"), Out(1)),
                "values": Out(data.StructLayout(values)),
            }
        )

    @property
    def host(self) -> Host:
        """What decides over windows."""
        return NO_HOST._replace(going=self.going, anew=self.anew)

    def elaborate(self, platform: object) -> Module:
        """Connect the parts."""
        del platform
        m = Module()
        m.submodules.receiver = receiver = self._receiver
        m.submodules.decoder = decoder = self._decoder
        m.d.comb += [
            receiver.rx.eq(self.rx),
            decoder.byte.eq(receiver.byte),
            decoder.received.eq(receiver.received),
            decoder.take.eq(self.take),
            decoder.line_begins.eq(self.line_begins),
            decoder.table_refused.eq(self.refused),
            self.going.eq(decoder.going),
            self.anew.eq(decoder.anew),
            self.word.eq(decoder.table_word),
            self.word_valid.eq(decoder.table_word_valid),
            self.ended.eq(decoder.table_ended),
            self.values.dropped.eq(decoder.dropped),
            self.values.table.eq(self.number),
        ]
        return m
