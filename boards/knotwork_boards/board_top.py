"""The self-test on the pins of a board."""

from amaranth.hdl import (
    ClockDomain,
    ClockSignal,
    DomainRenamer,
    Elaboratable,
    Instance,
    Module,
    ResetSignal,
    Signal,
)
from amaranth.lib import io
from amaranth.lib.cdc import ResetSynchronizer

from .clock import Clock
from .families.family import Wires
from .selftest import SelfTest
from .table import Board
from .untyped import Platform


class BoardTop(Elaboratable):
    """Top of a bitstream: the self-test, with its UART and LEDs on the board's pins.

    Parameters
    ----------
    selftest : SelfTest
        Self-test for the clock, or tunable up to it where a PLL generates the clock.
    board : Board
        Board whose pins it uses.
    clock : Clock
        Its clock.
    """

    def __init__(self, selftest: SelfTest, board: Board, clock: Clock) -> None:
        self._selftest = selftest
        self._board = board
        self._clock = clock

    def elaborate(self, platform: Platform) -> Module:
        """Put buffers on the pins in use; the UART's other lines stay unconnected."""
        m = Module()
        selftest = self._selftest
        m.submodules.selftest = DomainRenamer("selftest")(selftest)
        m.domains.selftest = ClockDomain()
        self._drive_clock(m, platform)
        lines = [line.name for line in platform.lookup("uart", 0).ios]
        uart = platform.request("uart", 0, dir=dict.fromkeys(lines, "-"))
        m.submodules.tx = tx = io.Buffer(io.Direction.Output, uart.tx)
        m.d.comb += tx.o.eq(selftest.tx)
        shown = {
            "alive": selftest.led_alive,
            "pass": selftest.led_pass,
            "fail": selftest.led_fail,
        }
        if selftest.tunable:
            self._drive_bit_cycles(m)
        if selftest.measures:
            m.submodules.rx = rx = io.Buffer(io.Direction.Input, uart.rx)
            m.d.comb += selftest.rx.eq(rx.i)
        for (name, value), pin in zip(shown.items(), self._lamps(platform), strict=True):
            m.submodules[f"led_{name}"] = lamp = io.Buffer(io.Direction.Output, pin)
            m.d.comb += lamp.o.eq(value)
        return m

    def _drive_clock(self, m: Module, platform: Platform) -> None:
        """Drive clock and reset: by the board's clock, or by a PLL, in reset until it is steady.

        A board's reset button holds the reset too, with either clock.
        """
        if self._clock.setting is None:
            # The network has a reset port, but ECP5 resets by its global set/reset, without a
            # signal.
            m.d.comb += [
                ClockSignal("selftest").eq(ClockSignal()),
                ResetSignal("selftest").eq(ResetSignal(allow_reset_less=True)),
            ]
            return
        pin = platform.request(platform.default_clk, 0, dir="-")
        wires = Wires(pin, clock=Signal(), locked=Signal())
        self._board.family.pll.instantiate(m, wires, self._clock.setting, platform)
        m.d.comb += ClockSignal("selftest").eq(wires.clock)
        pressed = Signal()
        if platform.default_rst is not None:
            button = io.Buffer(io.Direction.Input, platform.request(platform.default_rst, dir="-"))
            m.submodules.reset_button = button
            m.d.comb += pressed.eq(button.i)
        m.submodules.steady = ResetSynchronizer(~wires.locked | pressed, domain="selftest")

    def _drive_bit_cycles(self, m: Module) -> None:
        """Drive the length of the UART's bits by cells whose constants can still be changed."""
        cell = self._board.family.constant
        parameters = clock_parameters(self._selftest, self._board, self._clock)
        for bit, output in enumerate(self._selftest.bit_cycles):
            name = _BIT_CELL.format(bit)
            value = parameters[name][cell.parameter]
            ports = {f"p_{cell.parameter}": value, f"o_{cell.output}": output}
            m.submodules[name] = Instance(cell.kind, a_keep=1, **ports)

    def _lamps(self, platform: Platform) -> list[io.PortLike]:
        """Pins of the LEDs; those of several colours are requested once."""
        requested = {}
        for led in self._board.leds:
            place = led.name, led.number
            if place not in requested:
                colours = [line.name for line in platform.lookup(*place).ios if led.colour]
                dir_ = dict.fromkeys(colours, "-") if colours else "-"
                requested[place] = platform.request(*place, dir=dir_)
        return [
            getattr(requested[led.name, led.number], led.colour)
            if led.colour
            else requested[led.name, led.number]
            for led in self._board.leds
        ]


def clock_parameters(selftest: SelfTest, board: Board, clock: Clock) -> dict[str, dict[str, int]]:
    """Parameters that a clock decides, by the names of their cells in a `BoardTop`.

    Parameters
    ----------
    selftest : SelfTest
        A tunable one.
    board, clock
        Board, and a clock that its PLL makes.
    """
    family = board.family
    assert clock.setting is not None
    cycles = selftest.bit_cycles_at(round(clock.hz))
    bits = {
        _BIT_CELL.format(bit): {family.constant.parameter: family.constant.value(cycles >> bit & 1)}
        for bit in range(len(selftest.bit_cycles))
    }
    return {"pll": dict(family.pll.parameters(clock.setting)), **bits}


_BIT_CELL = "bit_cycles_{}"
