"""Run before that of a simulation, which a reset breaks off in mid-traffic."""

from knotwork.network import Network

from ..model.record import Record
from ..model.run import run_model
from ..rtl.cocotb_run import BrokenRun
from ..traffic.keys import Traffic
from ..traffic.make import hostile_packets
from ..traffic.packets import Packets

CYCLES = 40
"""Cycles until the reset."""


def run_before(
    network: Network, traffic: Traffic, packets: Packets, golden: Record | None
) -> BrokenRun:
    """Run of `hostile_packets`, which all nodes still send when the reset comes.

    Where nodes send in batches or in rounds, it is the beginning of the simulation itself.

    Parameters
    ----------
    traffic, packets
        The simulation's.
    golden : Record or None
        What the golden model has seen of them; None if it does not run.
    """
    if network.routing.arrivals != "any_time":
        end = CYCLES if golden is None else min(CYCLES, golden.clocks // 2)
        return BrokenRun(traffic, packets, golden, end)
    hostile = hostile_packets(network, flits=CYCLES, seed=traffic.seed)
    pauses = Traffic(bubble=0.2, stall=0.3, seed=traffic.seed)
    if golden is not None:
        golden = run_model(network, pauses, hostile, clocks=CYCLES)
    return BrokenRun(pauses, hostile, golden, CYCLES)
