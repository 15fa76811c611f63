"""Constraints for flows where a design has several clocks that know nothing of each other."""

import re
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from ...version import licensed
from .top import Top

MEGAHERTZ = 100.0
"""Frequency of every clock, unless the user sets others."""

_WHY = (
    "Words cross between these clocks in memories, whose pointers cross in Gray code: each path",
    "may take a period of the faster clock, so that no two bits of a pointer are two steps apart.",
)
_WHY_HALF = (
    "Of a mesochronous clock it may take half a period: the other half is for what the clocks",
    "wander against each other.",
)


class Paths(NamedTuple):
    """Paths between two clocks of a module, by the registers and memories at an end of them.

    Members
    -------
    source, target : str
        Clock ports.
    ends : sequence of str
        What takes the values, by its place in the module: ``node_3/resets/answer_cdc/stage0``.
    starts : sequence of str
        What launches values that are taken outside the module.
    """

    source: str
    target: str
    ends: Sequence[str]
    starts: Sequence[str] = ()


def _why(mesochronous: Collection[str]) -> tuple[str, ...]:
    return (*_WHY, *_WHY_HALF) if mesochronous else _WHY


def constraint_files(
    top: str,
    clocks: Sequence[str],
    paths: Sequence[Paths],
    *,
    megahertz: float = MEGAHERTZ,
    mesochronous: Collection[str] = (),
) -> dict[str, str]:
    """Texts of constraint files by name: for Vivado, for what reads SDC, and for nextpnr.

    Parameters
    ----------
    top : str
        Name of the module; the files' too.
    clocks : sequence of str
        Its clock ports, the network's first.
    paths : sequence of Paths
        What crosses between them.
    megahertz : float
        Frequency that the files begin with, of every clock.
    mesochronous : collection of str
        Those of the clocks that have the network's frequency.
    """
    period = 1000 / megahertz
    lines = {
        "xdc": _vivado(top, clocks, paths, mesochronous),
        "sdc": sdc_lines(clocks, period, mesochronous),
        "lpf": _lpf(clocks, megahertz),
        "pcf": _pcf(clocks, megahertz),
    }
    return {f"{top}.{kind}": licensed("\n".join([*text, ""])) for kind, text in lines.items()}


def _pairs(clocks: Sequence[str], mesochronous: Collection[str]) -> Iterator[tuple[str, str, str]]:
    """Clocks between which something crosses, and what divides the period that it may take.

    The network's clock and each other, both ways.
    """
    for other in clocks[1:]:
        part = " / 2" if other in mesochronous else ""
        yield clocks[0], other, part
        yield other, clocks[0], part


def _vivado(
    top: str, clocks: Sequence[str], paths: Sequence[Paths], mesochronous: Collection[str]
) -> Iterator[str]:
    """Scoped: the clocks are whatever the user's design connects."""
    yield f"# Vivado, for module {top} wherever it stands: read_xdc -ref {top} {top}.xdc"
    yield from (f"# {line}" for line in _why(mesochronous))
    yield "# Only registers and memories of this module are named: what else crosses between these"
    yield "# clocks in your design is yours to constrain."
    for clock in clocks:
        yield f"set {top}_{clock} [get_clocks -of_objects [get_ports {clock}]]"
    parts = {(source, target): part for source, target, part in _pairs(clocks, mesochronous)}
    for source, target, ends, starts in paths:
        periods = (f"[get_property -min PERIOD ${top}_{each}]" for each in (source, target))
        bound = f"[expr {{min({', '.join(periods)}){parts[source, target]}}}]"
        start = f"set_max_delay -datapath_only -from ${top}_{source}"
        if ends:
            yield f"{start} -to {_cells(ends)} {bound}"
        if starts:
            pins = f"[get_pins -filter {{DIRECTION == OUT}} -of_objects {_cells(starts)}]"
            yield f"{start} -through {pins} -to ${top}_{target} {bound}"


def _cells(places: Sequence[str]) -> str:
    """Cells that Vivado makes of registers and memories."""
    return f"[get_cells {{{' '.join(f'{place}_reg*' for place in places)}}}]"


def sdc_lines(
    clocks: Sequence[str], period: float, mesochronous: Collection[str] = ()
) -> Iterator[str]:
    """Clocks, and the longest delays between them.

    Parameters
    ----------
    clocks : sequence of str
        Clock ports, the network's first.
    period : float
        Nanoseconds of every clock.
    mesochronous : collection of str
        Those of the clocks that have the network's frequency.
    """
    yield "# For Quartus, OpenSTA and others that read SDC, the module as the top of the design."
    yield "# Set the periods, in ns; in a larger design name its clocks and leave create_clock out."
    if clocks[1:]:
        yield "# There, name the module's cells too: the lines bound all paths between its clocks."
    for clock in clocks:
        yield f"set period_{clock} {period:.3f}"
    for clock in clocks:
        yield f"create_clock -name {clock} -period $period_{clock} [get_ports {clock}]"
    yield from (f"# {line}" for line in _why(mesochronous) if clocks[1:])
    for source, target, part in _pairs(clocks, mesochronous):
        ways = f"-from [get_clocks {source}] -to [get_clocks {target}]"
        yield f"set_max_delay {ways} [expr {{min($period_{source}, $period_{target}){part}}}]"
        yield f"set_false_path -hold {ways}"


def _lpf(clocks: Sequence[str], megahertz: float) -> Iterator[str]:
    yield "# nextpnr-ecp5 --lpf; it does not judge paths between different clocks."
    yield from (f'FREQUENCY PORT "{clock}" {megahertz:.3f} MHZ;' for clock in clocks)


def _pcf(clocks: Sequence[str], megahertz: float) -> Iterator[str]:
    yield "# nextpnr-ice40 --pcf; it does not judge paths between different clocks."
    yield from (f"set_frequency {clock} {megahertz:.3f}" for clock in clocks)


_PERIOD = 10.0
"""Nanoseconds of every clock, unless the user sets others."""

_VIVADO = """\
# Add it as an unmanaged constraint file (read_xdc -unmanaged), with --keep-hierarchy: then every
# router is a cell of its own. `network` is the path of the network in your design, with a / at its
# end, or nothing where it is the top.
set network {{}}
set period 10.0

if {{$network eq {{}}}} {{
{clocks}
}}

# A pblock per router. Give each its place, near to its neighbours:
#   resize_pblock [get_pblocks {first}] -add {{SLICE_X0Y0:SLICE_X19Y19}}
foreach router {{
{routers}
}} {{
  set pblock [string map {{/ _}} $router]
  create_pblock $pblock
  add_cells_to_pblock [get_pblocks $pblock] [get_cells $network$router]
}}
"""


def vivado_files(top: Top) -> dict[str, str]:
    """Clocks, and a pblock per router."""
    clocks = "\n".join(
        f"  create_clock -name {clock} -period $period [get_ports {clock}]" for clock in top.clocks
    )
    text = _VIVADO.format(
        clocks=clocks,
        first=top.routers[0].replace("/", "_"),
        routers="\n".join(f"  {name}" for name in top.routers),
    )
    return {f"{top.name}_vivado.tcl": top.header("#") + text}


def quartus_files(top: Top) -> dict[str, str]:
    """Clocks, and the paths between them where there are several."""
    clocks = list(top.clocks)
    lines = [*sdc_lines(clocks, _PERIOD, top.mesochronous), "derive_clock_uncertainty", ""]
    return {f"{top.name}_quartus.sdc": top.header("#") + "\n".join(lines)}


RAM_STYLE = '(* ram_style = "distributed", ramstyle = "MLAB" *) '
"""Vivado and Yosys read the first, Quartus the second. Memories are read in the cycle in which the
address changes, which block RAM cannot do."""


def with_hints(verilog: str) -> str:
    """Verilog whose memories have the attribute `RAM_STYLE`."""
    memory = r"^( *)(?=reg (?:\[\d+:0\] )?\w+ \[0:\d+\];)"
    return re.sub(memory, rf"\1{RAM_STYLE}", verilog, flags=re.MULTILINE)
