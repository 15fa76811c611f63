"""Gowin LittleBee and Arora, by Project Apicula."""

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

_GW1N_LIMITS = Limits(
    input=Range(3, 400),
    detector=Range(3, 400),
    oscillator=Range(400, 1200),
    output=Range(3.125, 600),
)
"""Gowin DS117, table "PLL Switching Characteristics" (GW1NR-9, C6/I5); Apicula packs no others."""

_GW2A_LIMITS = Limits(
    input=Range(3, 500),
    detector=Range(3, 500),
    oscillator=Range(500, 1250),
    output=Range(3.90625, 625),
)
"""Gowin DS226, table "PLL Switching Characteristics" (GW2A-18, C8/I7); Apicula packs no others."""

LIMITS = {
    "GW1NR-LV9QN88PC6/I5": _GW1N_LIMITS,
    "GW2A-LV18PG256C8/I7": _GW2A_LIMITS,
    "GW2AR-LV18QN88C8/I7": _GW2A_LIMITS,
}
"""Limits of the devices."""

_DIVIDERS = range(64)
_OUTPUT_DIVIDERS = (2, 4, 8, *range(16, 129, 16))


def settings(input_hz: Fraction, at_most_hz: Fraction, device: str) -> Iterator[Setting]:
    """Settings of rPLL: the output is fed back, and the oscillator is a multiple of it."""
    limits = LIMITS[device]
    if not limits.input.has(input_hz):
        return
    for reference in _DIVIDERS:
        detector = input_hz / (reference + 1)
        if not limits.detector.has(detector):
            continue
        for multiple in integer_multiples(detector, limits.output):
            hz = detector * multiple
            if hz > at_most_hz:
                break
            for divider in _OUTPUT_DIVIDERS:
                if multiple - 1 in _DIVIDERS and limits.oscillator.has(hz * divider):
                    dividers = {
                        "IDIV_SEL": reference,
                        "FBDIV_SEL": multiple - 1,
                        "ODIV_SEL": divider,
                    }
                    yield Setting(hz=hz, oscillator_hz=hz * divider, dividers=dividers)


def _instantiate(m: "Module", wires: Wires, setting: Setting, platform: Platform) -> None:
    from amaranth.hdl import Instance
    from amaranth.lib import io

    m.submodules.clock_pin = pin = io.Buffer(io.Direction.Input, wires.pin)
    fixed = ("RESET", "RESET_P", "CLKFB", "FBDSEL", "IDSEL", "ODSEL", "PSDA", "DUTYDA", "FDLY")
    m.submodules.pll = Instance(
        "rPLL",
        p_DEVICE=platform.family,
        p_FCLKIN=f"{platform.default_clk_frequency / 1e6:g}",
        p_CLKFB_SEL="internal",
        p_DYN_IDIV_SEL="false",
        p_DYN_FBDIV_SEL="false",
        p_DYN_ODIV_SEL="false",
        p_DYN_DA_EN="false",
        **{f"p_{name}": divider for name, divider in setting.dividers.items()},
        **{f"i_{name}": 0 for name in fixed},
        i_CLKIN=pin.i,
        o_CLKOUT=wires.clock,
        o_LOCK=wires.locked,
    )


_COMMANDS = [
    '{{invoke_tool("yosys")}} -q -l {{name}}.rpt {{name}}.ys',
    r"""
    {{invoke_tool("nextpnr-himbaechel")}}
        --quiet
        {{get_override("nextpnr_opts")|options}}
        --log {{name}}.tim
        --device {{platform.part}}
        --vopt family={{platform.die}}
        --vopt cst={{name}}.cst
        --json {{name}}.json
    """,
    r"""
    {{invoke_tool("gowin_pack")}}
        -d {{platform.die}}
        -o {{name}}.fs
        {{get_override("gowin_pack_opts")|options}}
        {{name}}.pnr.json
    """,
]
_TOOLS = ("nextpnr-himbaechel", "gowin_pack")

_OPTIONS = "-nowidelut"  # with wide multiplexers a network took half as many cells again
_GW1N, _GW2A = f"{_OPTIONS} -family gw1n", f"{_OPTIONS} -family gw2a"


def _by_himbaechel(platform: type[Platform]) -> type[Platform]:
    """Platform that calls nextpnr-himbaechel: the nextpnr-gowin that Amaranth calls is no more."""
    die = platform.family.replace("R-", "-")  # R: there is a memory chip in the package
    known = {"command_templates": _COMMANDS, "required_tools": ["yosys", *_TOOLS], "die": die}
    return type(platform.__name__, (platform,), known)


GOWIN = Family(
    name="gowin",
    title="Gowin",
    placer=_TOOLS[0],
    packer=_TOOLS[1],
    product="top.fs",
    device_by="part",
    devices={
        "GW1NR-LV9QN88PC6/I5": Device(8640, _GW1N),
        "GW2A-LV18PG256C8/I7": Device(20736, _GW2A),
        "GW2AR-LV18QN88C8/I7": Device(20736, _GW2A),
    },
    # A bit of an adder takes the place of a look-up table, and a memory of 16 x 4 bits that of six.
    cells={
        "lut": {"LUT4": 1, "ALU": 1, "RAM16SDP4": 6},
        "ff": {"DFF": 1},
        "block_ram": {"BSRAM": 1},
    },
    ram_size=12,
    pll=Pll(settings=settings, instantiate=_instantiate),
    constant=ConstantCell("LUT4", "INIT", "F"),
    reach_mhz=120,
    synthesis="synth_gowin",
    netlist_options="-noiopads",
    models="gowin/cells_sim.v",
    after_synthesis=("write_json top.json",),
    tools=_by_himbaechel,
)
"""Gowin."""
