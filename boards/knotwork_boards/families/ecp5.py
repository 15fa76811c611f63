"""Lattice ECP5, by Project Trellis."""

import json
import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from ..untyped import Platform
from .family import (
    ConstantCell,
    Device,
    Family,
    Limits,
    Parameters,
    Pll,
    Range,
    Setting,
    Wires,
    integer_multiples,
)

if TYPE_CHECKING:
    from amaranth.hdl import Module

LIMITS = Limits(
    input=Range(8, 400),
    detector=Range(10, 400),
    oscillator=Range(400, 800),
    output=Range(3.125, 400),
)
"""Lattice FPGA-DS-02012, ECP5 family data sheet, table "sysCLOCK PLL Timing".

The detector begins at 10 MHz; Trellis' ecppll takes 3.125 MHz too, which is the output's limit.
"""

_DIVIDERS = range(1, 129)


def settings(input_hz: Fraction, at_most_hz: Fraction, device: str) -> Iterator[Setting]:
    """Settings in which CLKOP is fed back, and CLKOS is the output.

    So the output is any divider's share of the oscillator, not only multiples of the detector's
    frequency.
    """
    del device
    if not LIMITS.input.has(input_hz):
        return
    for reference in _DIVIDERS:
        detector = input_hz / reference
        if not LIMITS.detector.has(detector):
            continue
        for multiple in integer_multiples(detector, LIMITS.oscillator):
            oscillator = detector * multiple
            fed_back = _fed_back(multiple, oscillator)
            if fed_back is None:
                continue
            output = max(1, -(-oscillator // at_most_hz))
            if output in _DIVIDERS and LIMITS.output.has(oscillator / output):
                dividers = {
                    "CLKI_DIV": reference,
                    "CLKFB_DIV": multiple // fed_back,
                    "CLKOP_DIV": fed_back,
                    "CLKOS_DIV": output,
                }
                hz = oscillator / output
                yield Setting(hz=hz, oscillator_hz=oscillator, dividers=dividers)


def _fed_back(multiple: int, oscillator: Fraction) -> int | None:
    """Smallest divider of CLKOP with which feedback by CLKFB gives the multiple."""
    for divider in _DIVIDERS:
        if (
            multiple % divider == 0
            and multiple // divider in _DIVIDERS
            and LIMITS.output.has(oscillator / divider)
        ):
            return divider
    return None


def _parameters(setting: Setting) -> dict[str, int]:
    """Dividers, and the phases at which both outputs rise with the oscillator."""
    phases = {f"{name}_CPHASE": setting.dividers[f"{name}_DIV"] - 1 for name in ("CLKOP", "CLKOS")}
    return {**setting.dividers, **phases}


def _instantiate(m: "Module", wires: Wires, setting: Setting, platform: Platform) -> None:
    from amaranth.hdl import Instance, Signal
    from amaranth.lib import io

    del platform
    m.submodules.clock_pin = pin = io.Buffer(io.Direction.Input, wires.pin)
    fed_back = Signal()
    unused = ("RST", "STDBY", "PHASESEL0", "PHASESEL1", "PHASEDIR", "PHASESTEP", "PHASELOADREG")
    m.submodules.pll = Instance(
        "EHXPLLL",
        # What Lattice's Diamond writes for its loop filter.
        a_ICP_CURRENT="12",
        a_LPF_RESISTOR="8",
        a_MFG_ENABLE_FILTEROPAMP="1",
        a_MFG_GMCREF_SEL="2",
        p_FEEDBK_PATH="CLKOP",
        p_CLKOS_ENABLE="ENABLED",
        **{f"p_{name}": value for name, value in _parameters(setting).items()},
        **{f"i_{name}": 0 for name in unused},
        i_CLKI=pin.i,
        i_CLKFB=fed_back,
        o_CLKOP=fed_back,
        o_CLKOS=wires.clock,
        o_LOCK=wires.locked,
    )


def retune(folder: Path, parameters: Parameters) -> None:
    """Set parameters of the PLL and of constants in the text that ``ecppack`` packs.

    The text names a table by the tile and the slice that it lies in, and holds a divider less one.
    """
    config, placed = folder / "top.config", json.loads((folder / "top.pnr.json").read_text())
    cells, text = placed["modules"]["top"]["cells"], config.read_text()
    for name, values in parameters.items():
        if cells[name]["type"] == "EHXPLLL":
            for parameter, value in values.items():
                stored = value - parameter.endswith("_DIV")
                text = _with_word(text, parameter, f"{stored:07b}")
        else:
            place = _TABLE.fullmatch(cells[name]["attributes"]["NEXTPNR_BEL"])
            assert place is not None  # it is a look-up table, and was placed
            tile = text.index(f".tile R{place['y']}C{place['x']}:PLC2\n")
            word = f"SLICE{place['slice']}.K{place['table']}.INIT"
            (value,) = values.values()
            end = text.index("\n\n", tile)
            text = text[:tile] + _with_word(text[tile:end], word, f"{value:016b}") + text[end:]
    config.write_text(text)


_TABLE = re.compile(r"X(?P<x>\d+)/Y(?P<y>\d+)/SLICE(?P<slice>[A-D])\.K(?P<table>[01])")
"""Place of a look-up table, as nextpnr writes it."""


def _with_word(text: str, name: str, bits: str) -> str:
    """Text in which the only word of a name has other bits."""
    word = rf"^(word: {re.escape(name)}) [01]{{{len(bits)}}}$"
    changed, count = re.subn(word, rf"\1 {bits}", text, flags=re.MULTILINE)
    assert count == 1, f"{name} stands {count} times in nextpnr's text"
    return changed


OPTIONS = "-nowidelut"
"""The multiplexers in the slices save few cells here, but double the time of placement."""

ECP5 = Family(
    name="ecp5",
    title="ECP5",
    placer="nextpnr-ecp5",
    packer="ecppack",
    unpacker="ecpunpack",
    product="top.bit",
    devices={
        "LFE5U-12F": Device(24288, OPTIONS),  # the same die as the 25F; nextpnr uses all of it
        "LFE5U-25F": Device(24288, OPTIONS),
        "LFE5U-45F": Device(43848, OPTIONS),
        "LFE5U-85F": Device(83640, OPTIONS),
        "LFE5UM5G-85F": Device(83640, OPTIONS),
    },
    cells={"lut": {"TRELLIS_COMB": 1}, "ff": {"TRELLIS_FF": 1}, "block_ram": {"DP16KD": 1}},
    ram_size=6,
    pll=Pll(settings=settings, instantiate=_instantiate, parameters=_parameters),
    constant=ConstantCell("LUT4", "INIT", "Z"),
    retune=retune,
    reach_mhz=150,
    synthesis="synth_ecp5",
    models="ecp5/cells_sim.v",
)
"""ECP5."""
