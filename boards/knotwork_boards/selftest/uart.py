"""Serial transmitter and receiver."""

from amaranth.hdl import Cat, Const, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out
from knotwork.errors import ConfigurationError


def uart_divisor(*, clock_hz: int, baud: int) -> int:
    """Clock cycles per bit.

    Raises
    ------
    ConfigurationError
        The clock cannot give the baud rate within 2 %.
    """
    divisor = round(clock_hz / baud)
    if divisor < 2 or abs(clock_hz / divisor / baud - 1) > 0.02:
        raise ConfigurationError(
            f"baud rate must be within 2 % of clock / n for an integer n >= 2, not {baud} at "
            f"{clock_hz} Hz"
        )
    return divisor


class UartTransmitter(wiring.Component):
    """Serial transmitter of bytes: 8 data bits, no parity, one stop bit.

    Parameters
    ----------
    clock_hz : int
        Frequency of the clock.
    baud : int
        Bits per second; the clock must give them within 2 %.
    bit_cycles : Value, optional
        Cycles per bit less one, where something else decides them; at most those of `clock_hz`.

    Members
    -------
    i : In(stream)
        Bytes; the transmitter takes one when it is idle.
    tx : Out(1)
        Serial line; high while idle.

    Raises
    ------
    ConfigurationError
        The clock cannot give the baud rate.
    """

    i: stream.Interface
    tx: Value

    def __init__(self, *, clock_hz: int, baud: int, bit_cycles: Value | None = None) -> None:
        self._divisor = uart_divisor(clock_hz=clock_hz, baud=baud)
        self._bit_cycles = Const(self._divisor - 1) if bit_cycles is None else bit_cycles
        super().__init__({"i": In(stream.Signature(8)), "tx": Out(1)})

    def elaborate(self, platform: object) -> Module:
        """Shift ten bits out and ones in behind them: an empty register drives an idle line."""
        del platform
        m = Module()
        bits = Signal(10, init=0x3FF)
        left = Signal(range(11))
        timer = Signal(range(self._divisor))
        m.d.comb += [self.tx.eq(bits[0]), self.i.ready.eq(left == 0)]
        with m.If(left == 0), m.If(self.i.valid):
            m.d.sync += [
                bits.eq(Cat(0, self.i.payload, 1)),
                left.eq(10),
                timer.eq(self._bit_cycles),
            ]
        with m.Elif(timer == 0):
            m.d.sync += [
                bits.eq(Cat(bits[1:], 1)),
                left.eq(left - 1),
                timer.eq(self._bit_cycles),
            ]
        with m.Else():
            m.d.sync += timer.eq(timer - 1)
        return m


class UartReceiver(wiring.Component):
    """Serial receiver of bytes: 8 data bits, no parity, one stop bit.

    A byte without its stop bit comes as 0, which is no character of a command; then the line must
    first be high again. So a line that is not connected, high or low, gives no commands.

    Parameters
    ----------
    clock_hz, baud, bit_cycles
        See `UartTransmitter`.

    Members
    -------
    rx : In(1)
        Serial line; high while idle.
    byte : Out(8)
        Byte.
    received : Out(1)
        High for a cycle with each byte.

    Raises
    ------
    ConfigurationError
        The clock cannot give the baud rate.
    """

    rx: Value
    byte: Value
    received: Value

    def __init__(self, *, clock_hz: int, baud: int, bit_cycles: Value | None = None) -> None:
        self._divisor = uart_divisor(clock_hz=clock_hz, baud=baud)
        self._bit_cycles = Const(self._divisor - 1) if bit_cycles is None else bit_cycles
        super().__init__({"rx": In(1, init=1), "byte": Out(8), "received": Out(1)})  # pyright: ignore[reportCallIssue]

    def elaborate(self, platform: object) -> Module:
        """Look at the middle of each bit, from the edge that begins a byte on."""
        del platform
        m = Module()
        line = Signal()  # low until the first look: a line that is not connected may be so
        m.submodules.synchronizer = FFSynchronizer(self.rx, line)
        timer = Signal(range(self._divisor))
        bits = Signal(8)
        left = Signal(range(10))  # bits after the first, the stop bit included
        m.d.sync += [timer.eq(timer - 1), self.received.eq(0)]
        with m.FSM(init="BREAK"):
            with m.State("BREAK"), m.If(line):
                m.next = "IDLE"
            with m.State("IDLE"):
                m.d.sync += [timer.eq(self._bit_cycles >> 1), left.eq(9)]
                with m.If(~line):
                    m.next = "BEGIN"
            with m.State("BEGIN"), m.If(timer == 0):
                m.d.sync += timer.eq(self._bit_cycles)
                m.next = "BITS"
                with m.If(line):  # a spike
                    m.next = "IDLE"
            with m.State("BITS"), m.If(timer == 0):
                m.d.sync += [timer.eq(self._bit_cycles), left.eq(left - 1)]
                with m.If(left == 1):
                    m.d.sync += self.received.eq(1)
                    with m.If(line):
                        m.d.sync += self.byte.eq(bits)
                        m.next = "IDLE"
                    with m.Else():
                        m.d.sync += self.byte.eq(0)
                        m.next = "BREAK"
                with m.Else():
                    m.d.sync += bits.eq(Cat(bits[1:], line))
        return m
