"""Lattice iCE40, by Project IceStorm."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from ..untyped import Platform
from .family import (
    ConstantCell,
    Device,
    Family,
    Limits,
    Pll,
    Range,
    Setting,
    Wires,
    integer_multiples,
)

if TYPE_CHECKING:
    from amaranth.hdl import Module

LIMITS = Limits(
    input=Range(10, 133),
    detector=Range(10, 133),
    oscillator=Range(533, 1066),
    output=Range(16, 275),
)
"""Lattice FPGA-DS-02029 (HX) and FPGA-DS-02008 (UltraPlus), table "sysCLOCK PLL Timing"; what
FPGA-TN-02052 says of the dividers; the same as in IceStorm's icepll.
"""

_FILTERS = (17, 26, 44, 66, 101)
"""Frequencies of the detector in MHz from which each next range of its filter serves."""

_PADS = {("iCE40UP5K", "35")}
"""Pins that only the PLL may use: as an input, their signal would take the path of its output."""


def settings(input_hz: Fraction, at_most_hz: Fraction, device: str) -> Iterator[Setting]:
    """Settings of the simple feedback: the output is the oscillator over a power of two."""
    del device
    if not LIMITS.input.has(input_hz):
        return
    for reference in range(16):
        detector = input_hz / (reference + 1)
        if not LIMITS.detector.has(detector):
            continue
        for multiple in integer_multiples(detector, LIMITS.oscillator):
            oscillator = detector * multiple
            for power in range(1, 7):
                hz = oscillator / 2**power
                if multiple <= 128 and hz <= at_most_hz and LIMITS.output.has(hz):
                    dividers = {
                        "DIVR": reference,
                        "DIVF": multiple - 1,
                        "DIVQ": power,
                        "FILTER_RANGE": 1 + sum(detector >= mhz * 10**6 for mhz in _FILTERS),
                    }
                    yield Setting(hz=hz, oscillator_hz=oscillator, dividers=dividers)
                    break


def _instantiate(m: "Module", wires: Wires, setting: Setting, platform: Platform) -> None:
    from amaranth.hdl import Instance
    from amaranth.lib import io

    common = {
        "p_FEEDBACK_PATH": "SIMPLE",
        **{f"p_{name}": divider for name, divider in setting.dividers.items()},
        "i_RESETB": 1,
        "i_BYPASS": 0,
        "o_PLLOUTGLOBAL": wires.clock,
        "o_LOCK": wires.locked,
    }
    port = wires.pin
    single = isinstance(port, io.SingleEndedPort)
    if single and (platform.device, port.io.metadata[0].name) in _PADS:
        m.submodules.pll = Instance("SB_PLL40_PAD", i_PACKAGEPIN=port.io, **common)
        return
    m.submodules.clock_pin = buffer = io.Buffer(io.Direction.Input, wires.pin)
    m.submodules.pll = Instance("SB_PLL40_CORE", i_REFERENCECLK=buffer.i, **common)


OPTIONS = "-dffe_min_ce_use 4"
"""An enable of fewer registers than half a tile's is a multiplexer before each of them.

The eight cells of a tile share one enable and one reset, so a register with a separate enable
keeps seven others out. The look-up table before a register is mostly free.
"""

ICE40 = Family(
    name="ice40",
    title="iCE40",
    placer="nextpnr-ice40",
    packer="icepack",
    unpacker="iceunpack",
    product="top.bin",
    devices={
        "iCE40HX8K": Device(7680, OPTIONS),
        "iCE40UP5K": Device(5280, OPTIONS),
    },
    # A logic cell is a look-up table and a flip-flop.
    cells={"lut": {"ICESTORM_LC": 1}, "block_ram": {"ICESTORM_RAM": 1}},
    counted={"ff": "SB_DFF"},
    ram_size=0,
    pll=Pll(settings=settings, instantiate=_instantiate),
    constant=ConstantCell("SB_LUT4", "LUT_INIT", "O"),
    reach_mhz=60,
    synthesis="synth_ice40",
    models="ice40/cells_sim.v",
)
"""iCE40."""
