"""Constraints for flows where a design has several clocks that know nothing of each other."""

from collections.abc import Iterator, Sequence

MEGAHERTZ = 100.0
"""Frequency of every clock, unless the user tells others."""

_WHY = (
    "Words cross between these clocks in memories, whose pointers cross in Gray code: each path",
    "may take a period of the faster clock, so that no two bits of a pointer are two steps apart.",
)


def constraint_files(
    top: str, clocks: Sequence[str], *, megahertz: float = MEGAHERTZ
) -> dict[str, str]:
    """Texts of constraint files by name: for Vivado, for what reads SDC, and for nextpnr.

    Parameters
    ----------
    top : str
        Name of the module; the files' too.
    clocks : sequence of str
        Its clock ports, the network's first.
    megahertz : float
        Frequency that the files begin with, of every clock.
    """
    return {
        f"{top}.xdc": "\n".join([*_vivado(top, clocks), ""]),
        f"{top}.sdc": "\n".join([*sdc_lines(clocks, 1000 / megahertz), ""]),
        f"{top}.lpf": "\n".join([*_lpf(clocks, megahertz), ""]),
        f"{top}.pcf": "\n".join([*_pcf(clocks, megahertz), ""]),
    }


def _pairs(clocks: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Clocks between which something crosses: the network's and each other, both ways."""
    for other in clocks[1:]:
        yield clocks[0], other
        yield other, clocks[0]


def _vivado(top: str, clocks: Sequence[str]) -> Iterator[str]:
    """Scoped: the clocks are whatever the user's design connects."""
    yield f"# Vivado, for module {top} wherever it stands: read_xdc -ref {top} {top}.xdc"
    yield from (f"# {line}" for line in _WHY)
    for clock in clocks:
        yield f"set {top}_{clock} [get_clocks -of_objects [get_ports {clock}]]"
    for source, target in _pairs(clocks):
        periods = (f"[get_property -min PERIOD ${top}_{each}]" for each in (source, target))
        yield (
            f"set_max_delay -datapath_only -from ${top}_{source} -to ${top}_{target} "
            f"[expr {{min({', '.join(periods)})}}]"
        )


def sdc_lines(clocks: Sequence[str], period: float) -> Iterator[str]:
    """Clocks, and the longest delays between them.

    Parameters
    ----------
    clocks : sequence of str
        Clock ports, the network's first.
    period : float
        Nanoseconds of every clock.
    """
    yield "# For Quartus, OpenSTA and others that read SDC, the module as the top of the design."
    yield "# Set the periods, in ns; in a larger design name its clocks and leave create_clock out."
    for clock in clocks:
        yield f"set period_{clock} {period:.3f}"
    for clock in clocks:
        yield f"create_clock -name {clock} -period $period_{clock} [get_ports {clock}]"
    yield from (f"# {line}" for line in _WHY if clocks[1:])
    for source, target in _pairs(clocks):
        ways = f"-from [get_clocks {source}] -to [get_clocks {target}]"
        yield f"set_max_delay {ways} [expr {{min($period_{source}, $period_{target})}}]"
        yield f"set_false_path -hold {ways}"


def _lpf(clocks: Sequence[str], megahertz: float) -> Iterator[str]:
    yield "# nextpnr-ecp5 --lpf; it does not judge paths between different clocks."
    yield from (f'FREQUENCY PORT "{clock}" {megahertz:.3f} MHZ;' for clock in clocks)


def _pcf(clocks: Sequence[str], megahertz: float) -> Iterator[str]:
    yield "# nextpnr-ice40 --pcf; it does not judge paths between different clocks."
    yield from (f"set_frequency {clock} {megahertz:.3f}" for clock in clocks)
