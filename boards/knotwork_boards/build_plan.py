"""Files and commands that build the self-test of a network for a board."""

import hashlib
from collections.abc import Sequence
from importlib.metadata import version
from typing import NamedTuple

from knotwork.emit import network_verilog
from knotwork.network import Network
from knotwork.tools import PACKAGES
from knotwork.version import unstamped

from .board_top import BoardTop
from .clock import Clock, clock_of
from .selftest import SelfTest
from .table import Board
from .untyped import BuildPlan

SYNTHESISER = "yosys"

SEED = 1
"""Seed of nextpnr: the same network and board give the same bitstream."""

FREQUENCY = "--freq"
"""Option of nextpnr before the clock's frequency in MHz."""

PLACED = "top.pnr.json"
"""File that nextpnr writes with the place of each cell."""

FLAT_LIMIT = 16
"""Most routers that are synthesised each in its place, which saves a few per cent of the cells.

In larger networks each kind of router is synthesised once: that takes a twentieth more cells, but
an eighth of the time at 64 routers.
"""


class Synthesis(NamedTuple):
    """How Yosys synthesises a network for a board.

    Members
    -------
    options : str
        Options of its command.
    after : tuple of str
        Commands that follow.
    """

    options: str
    after: tuple[str, ...]


def is_flat(network: Network) -> bool:
    """Whether each router is synthesised in its place."""
    return network.topology.routers <= FLAT_LIMIT


def synthesis_of(network: Network, board: Board) -> Synthesis:
    """Synthesis of a network for a board, whatever stands around it."""
    options = board.family.devices[board.device].synthesis
    if is_flat(network):
        return Synthesis(options, ("# flat",))
    return Synthesis(f"{options} -noflatten".strip(), ("flatten", "opt_clean"))


def make_plan(
    network: Network,
    board: Board,
    clock: Clock | None = None,
    *,
    selftest: SelfTest | None = None,
    without: Sequence[str] = (),
) -> BuildPlan:
    """Plan of a build, by the board's platform; no path in it is absolute.

    Parameters
    ----------
    network : Network
        Network that tests itself.
    board : Board
        Board that it runs on.
    clock : Clock, optional
        Clock of the network, the board's own if unnamed.
    selftest : SelfTest, optional
        Self-test of the network; the usual one if unnamed.
    without : sequence of str
        Options of synthesis that leave kinds of cells out, like ``-nobram``.
    """
    clock = clock_of(board) if clock is None else clock
    platform = board.make_platform()
    platform.add_file(f"{network.name}.v", unstamped(network_verilog(network)))
    synthesis = synthesis_of(network, board)
    # router2: hardware a few per cent slower, but far less time where nets are many
    router = "router1" if is_flat(network) else "router2"
    if selftest is None:
        selftest = SelfTest(network, clock_hz=round(clock.hz))
    options = " ".join(filter(None, [synthesis.options, *without]))
    wishes = "setattr -unset ram_style */m:*" if without else "# every cell"
    return platform.build(
        BoardTop(selftest, board, clock),
        do_build=False,
        emit_src=False,
        synth_opts=options,
        script_after_read=wishes,
        script_after_synth="\n".join([*synthesis.after, *board.family.after_synthesis]),
        nextpnr_opts=f"--seed {SEED} --router {router} --report report.json --write {PLACED} "
        f"--timing-allow-fail {FREQUENCY} {clock.mhz:.3f}",
    )


def fingerprint(plan: BuildPlan, board: Board) -> str:
    """Digest of all that decides about a bitstream: the tools' input, and the tools' versions.

    Two builds with the same one give the same bits.
    """
    tools = (SYNTHESISER, board.family.placer, board.family.packer)
    digest = hashlib.blake2b(plan.digest(), digest_size=8)
    digest.update(" ".join(version(PACKAGES[tool]) for tool in tools).encode())
    return digest.hexdigest()
