"""What `knotwork doctor` tells of boards: the tools that make and load bitstreams."""

from collections.abc import Iterator

from knotwork.cli.checkup import Cache, Finding, package, program, tool
from knotwork.tools import PACKAGES

from .families import FAMILIES
from .flash import LOADER, REMEDY


def examine() -> Iterator[Finding | Cache]:
    """Findings of the flow to a bitstream."""
    from .netlist import netlist_cache

    yield package("amaranth-boards", "pins of the boards")
    for family in FAMILIES.values():
        yield tool(family.placer, f"place and route, {family.title}", ["--version"])
    for family in FAMILIES.values():
        yield tool(
            family.packer,
            f"bitstreams, {family.title}",
            ["--help"],
            version_of=PACKAGES[family.packer],
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
