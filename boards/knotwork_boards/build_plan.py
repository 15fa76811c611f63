"""Files and commands that build the self-test of a network for a board."""

from knotwork.emit import network_verilog
from knotwork.network import Network

from .board_top import BoardTop
from .selftest import SelfTest
from .table import Board
from .untyped import BuildPlan

SEED = 1
"""Seed of nextpnr: the same network and board give the same bitstream."""

FLAT_LIMIT = 16
"""Most routers that are synthesised each in its place, which saves a few per cent of the cells.

In larger networks each kind of router is synthesised once: that takes a twentieth more cells, but
an eighth of the time at 64 routers.
"""


def make_plan(network: Network, board: Board) -> BuildPlan:
    """Plan of a build, by the board's platform; no path in it is absolute."""
    platform = board.make_platform()
    platform.add_file(f"{network.name}.v", network_verilog(network))
    # The multiplexers in ECP5's slices save few cells here, but double the time of placement.
    options = ["-nowidelut"] if board.family == "ecp5" else []
    after = "# flat"
    router = "router1"
    if network.topology.routers > FLAT_LIMIT:
        options.append("-noflatten")
        after = "flatten\nopt_clean"
        router = "router2"  # hardware a few per cent slower, but far less time where nets are many
    return platform.build(
        BoardTop(SelfTest(network, clock_hz=board.clock_hz), board),
        do_build=False,
        emit_src=False,
        synth_opts=" ".join(options),
        script_after_synth=after,
        nextpnr_opts=f"--seed {SEED} --router {router} --report report.json --timing-allow-fail",
    )
