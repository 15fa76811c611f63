"""Files and commands that build the self-test of a network for a board."""

from knotwork.emit import network_verilog
from knotwork.network import Network

from .board_top import BoardTop
from .clock import Clock, clock_of
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


def make_plan(network: Network, board: Board, clock: Clock | None = None) -> BuildPlan:
    """Plan of a build, by the board's platform; no path in it is absolute.

    Parameters
    ----------
    network : Network
        Network that tests itself.
    board : Board
        Board that it runs on.
    clock : Clock, optional
        Clock of the network, the board's own if unnamed.
    """
    clock = clock_of(board) if clock is None else clock
    platform = board.make_platform()
    platform.add_file(f"{network.name}.v", network_verilog(network))
    options = [board.family.devices[board.device].synthesis]
    after = ["# flat"]
    router = "router1"
    if network.topology.routers > FLAT_LIMIT:
        options.append("-noflatten")
        after = ["flatten", "opt_clean"]
        router = "router2"  # hardware a few per cent slower, but far less time where nets are many
    return platform.build(
        BoardTop(SelfTest(network, clock_hz=round(clock.hz)), board, clock),
        do_build=False,
        emit_src=False,
        synth_opts=" ".join(filter(None, options)),
        script_after_synth="\n".join([*after, *board.family.after_synthesis]),
        nextpnr_opts=f"--seed {SEED} --router {router} --report report.json --timing-allow-fail "
        f"--freq {clock.mhz:.3f}",
    )
