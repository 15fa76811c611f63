"""The self-test on the pins of a board."""

from amaranth.hdl import (
    ClockDomain,
    ClockSignal,
    DomainRenamer,
    Elaboratable,
    Module,
    ResetSignal,
)
from amaranth.lib import io

from .selftest import SelfTest
from .table import Board
from .untyped import Platform


class BoardTop(Elaboratable):
    """Top of a bitstream: the self-test, with its UART and LEDs on the board's pins.

    Parameters
    ----------
    selftest : SelfTest
        Self-test, made for the board's clock.
    board : Board
        Board whose pins it uses.
    """

    def __init__(self, selftest: SelfTest, board: Board) -> None:
        self._selftest = selftest
        self._board = board

    def elaborate(self, platform: Platform) -> Module:
        """Put buffers on the pins in use; the UART's other lines stay unconnected."""
        m = Module()
        selftest = self._selftest
        m.submodules.selftest = DomainRenamer("selftest")(selftest)
        # The network has a reset port, but ECP5 resets by its global set/reset, without a signal.
        m.domains.selftest = ClockDomain()
        m.d.comb += [
            ClockSignal("selftest").eq(ClockSignal()),
            ResetSignal("selftest").eq(ResetSignal(allow_reset_less=True)),
        ]
        lines = [line.name for line in platform.lookup("uart", 0).ios]
        uart = platform.request("uart", 0, dir=dict.fromkeys(lines, "-"))
        m.submodules.tx = tx = io.Buffer(io.Direction.Output, uart.tx)
        m.d.comb += tx.o.eq(selftest.tx)
        shown = {
            "alive": selftest.led_alive,
            "pass": selftest.led_pass,
            "fail": selftest.led_fail,
        }
        for (name, value), led in zip(shown.items(), self._board.leds, strict=True):
            m.submodules[f"led_{name}"] = lamp = io.Buffer(
                io.Direction.Output, platform.request(*led, dir="-")
            )
            m.d.comb += lamp.o.eq(value)
        return m
