"""Verilog of the whole self-test, for simulators."""

import os

from knotwork.emit import network_verilog
from knotwork.network import Network

from .self_test import SelfTest


def selftest_verilog(
    network: Network,
    *,
    clock_hz: int,
    baud: int = 115200,
    rounds_log2: int | None = None,
    faults: bool = False,
    measure: bool = False,
) -> str:
    """Verilog of the whole self-test, the network included.

    The top is the module ``selftest`` with ports `clk`, `rst` (synchronous, active high), `tx`,
    `led_alive`, `led_pass`, `led_fail`, and with `faults` also `fault`, and
    with `measure` also `rx`. The parameters are those of
    `SelfTest`.

    Raises
    ------
    ConfigurationError
        The network cannot test itself, or the clock cannot give the baud rate.
    DeadlockError
        The network failed its deadlock check.
    """
    from amaranth.back import verilog

    os.environ["AMARANTH_USE_YOSYS"] = "builtin"  # the wheel's own, on every machine
    top = SelfTest(
        network,
        clock_hz=clock_hz,
        baud=baud,
        rounds_log2=rounds_log2,
        faults=faults,
        measure=measure,
    )
    text = verilog.convert(top, name="selftest", emit_src=False, strip_internal_attrs=True)
    return network_verilog(network) + "\n" + text
