"""Findings of `knotwork doctor` about boards: the tools that make and load bitstreams."""

from collections.abc import Iterator

from knotwork.cli.checkup import Cache, Finding, package, program, tool
from knotwork.extras import extra_of
from knotwork.tools import PACKAGES

from .families import FAMILIES
from .flash import LOADER, REMEDY


def examine() -> Iterator[Finding | Cache]:
    """Findings of the flow to a bitstream."""
    from .bits.build import READER, bits_cache
    from .netlist import netlist_cache

    yield package("amaranth-boards", "pins of the boards")
    for family in FAMILIES.values():
        needed = extra_of(PACKAGES[family.placer]) is None
        yield tool(family.placer, f"place and route, {family.title}", ["--version"], needed=needed)
    for family in FAMILIES.values():
        for name, what in ((family.packer, "bitstreams"), (family.unpacker, "bits to simulate")):
            if name is not None:
                brings = PACKAGES[name]
                yield tool(
                    name,
                    f"{what}, {family.title}",
                    ["--help"],
                    version_of=brings,
                    needed=extra_of(brings) is None,
                )
    yield program(
        READER,
        "bits to simulate, iCE40",
        ["--help"],
        remedy="Debian: apt install fpga-icestorm",
        needed=False,
    )
    yield package("pyserial", "reads a board's report")
    yield program(
        LOADER,
        "loads a bitstream",
        ["--Version"],
        remedy=REMEDY,
        needed=False,
    )
    yield Cache(name="netlists", folder=netlist_cache())
    yield Cache(name="unpacked bitstreams", folder=bits_cache())
