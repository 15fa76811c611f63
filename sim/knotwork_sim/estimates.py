"""Time and memory that simulations and sweeps take, estimated before any work.

The costs were measured as those of `knotwork.estimates.networks`.
"""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from knotwork.builds.cache import expected_seconds, note_seconds
from knotwork.estimates.networks import (
    check_work,
    compare_work,
    describe_work,
    draw_work,
    generate_work,
)
from knotwork.estimates.work import Work
from knotwork.network import Network
from knotwork.routing.collectives import Collective

from .check.compilation_time import HIERARCHY, expected_driver_seconds, placed_routers
from .check.engines import BOARD_ENGINES
from .check.memory import point_bytes, simulation_bytes
from .traffic.keys import Traffic

if TYPE_CHECKING:
    from .sweep.load import LoadSweep

_MODEL_SECONDS = 0.8  # packets made, beats judged
_HOP_SECONDS = 0.15e-6  # a flit crosses a router of the golden model
_PORT_SECONDS = 2e-6  # a port of the model's state, made
_NODE_SECONDS, _MOVE_SECONDS = 3e-9, 65e-9  # a node in a cycle, and a flit that it moves
_BUILD_SECONDS, _ROUTER_SECONDS = 8.0, 0.8  # Verilator, and the C++ compiler that optimises
_SYNTHESIS_SECONDS, _ROUTER_SYNTHESIS_SECONDS = 4.0, 1.0  # Yosys
_LIVE_SECONDS, _LIVE_ROUTER_SECONDS = 12.0, 0.15  # Yosys' CXXRTL and Zig's C++ compiler
_BEAT_SECONDS, _COCOTB_BEAT_SECONDS = 30e-6, 150e-6  # a beat is judged; cocotb drives or takes it
_RTL_SECONDS = 0.5e-6  # a router of the Verilog, in a cycle
_SEARCHED_POINTS = 12  # until saturation is found


def simulate_work(
    network: Network, traffic: Traffic, *, engine: str, times: int = 1, in_cocotb: bool = False
) -> Work:
    """Run of an engine, or of both, so many times."""
    flits, cycles = _traffic(network, traffic)
    work = check_work(network)
    if engine != "rtl":
        hops = flits * _mean_hops(network)
        state = network.topology.routers * len(network.topology.ports) * _PORT_SECONDS
        seconds = _model_seconds(network) + times * (state + hops * _HOP_SECONDS)
        memory = simulation_bytes(network, traffic)
        work = work.then(Work(seconds, memory))
    if engine != "model":
        placed = placed_routers(network)
        in_cocotb = in_cocotb or engine in BOARD_ENGINES
        beat = _COCOTB_BEAT_SECONDS if in_cocotb else _BEAT_SECONDS
        run = flits * 2 * beat + cycles * placed * _RTL_SECONDS
        build = _build_seconds(placed) if in_cocotb else expected_driver_seconds(network)
        work = work.then(generate_work(network)).then(
            Work(build + times * run, 400e6 + placed * 2e6)
        )
    if engine in BOARD_ENGINES:
        seconds = _SYNTHESIS_SECONDS + _ROUTER_SYNTHESIS_SECONDS * placed_routers(network)
        work = work.then(Work(seconds, 400e6))
    return work


_PAIR_SECONDS, _PAIR_BYTES = 0.1e-6, 8  # distance of two nodes, for a tree
_MEMBER_SECONDS = 20e-6  # a member in a cycle of the golden model of its tree


def collective_work(network: Network, kind: Collective, length: int) -> Work:
    """Golden model of one collective of all nodes; of packets the estimate says nothing."""
    nodes = network.topology.nodes
    beats = length * (nodes if kind in (Collective.GATHER, Collective.SCATTER) else 1)
    seconds = nodes**2 * _PAIR_SECONDS + nodes * (beats + 100) * _MEMBER_SECONDS
    return Work(seconds, nodes**2 * _PAIR_BYTES)


def _model_seconds(network: Network) -> float:
    """Golden model, ready to run: its loop is compiled, unless that was done before."""
    return _MODEL_SECONDS + _compilation_seconds(network)


def _compilation_seconds(network: Network) -> float:
    """Compilation of the golden model's loop; 0 if that was done before."""
    from .model.run import MODELS

    loop = MODELS[network.router_class].loop(network)
    return 0.0 if loop is None or loop.function.is_compiled else loop.seconds


def _build_seconds(placed: int) -> float:
    """Compilation of so many routers and choosers, optimised or for cocotb."""
    return _BUILD_SECONDS + _ROUTER_SECONDS * min(placed, HIERARCHY) + 0.05 * placed


def _traffic(network: Network, traffic: Traffic) -> tuple[float, float]:
    """Flits of a run, and its cycles, about."""
    nodes = network.topology.nodes
    packets = traffic.packets or (nodes if traffic.traffic == "permutation" else 1000)
    copies = 1 + traffic.broadcast_share * (nodes - 2)
    flits = packets * copies * sum(traffic.length or (1, 1)) / 2
    return flits, flits / (nodes * traffic.mean_rate) + 100


def _mean_hops(network: Network) -> float:
    """Hops of a packet by a formula, or from the number of ports: no path is searched."""
    known = network.topology.known_average_distance()
    if known is not None:
        return float(known)
    fewest = max(len(network.topology.ports) - 1, 2)
    hops, reached = 1.0, float(fewest)
    while reached < network.topology.nodes:
        hops, reached = hops + 1, reached * fewest
    return 2 * hops


_POINTS = "sweep: golden model"  # in the record of durations, per second that is expected here
_LONG_SECONDS, _MOST_TIMES = 2.0, 10.0  # of a core, from which it is noted; a slower machine's


@contextmanager
def noting_sweep(sweep: "LoadSweep") -> Iterator[None]:
    """Context in which all points of a sweep are measured here, which is noted for later estimates.

    It must be on the model only, compiled before, and at loads that are named; and long enough,
    for a short sweep starts up most of the time.
    """
    is_compiled = all(_compilation_seconds(entry.network) == 0 for entry in sweep.entries)
    begin = time.monotonic()
    yield
    if is_compiled and sweep.rates is not None and sweep.engine == "model" and not sweep.rtl_rates:
        model = sum(_points_seconds(sweep, entry.network) for entry in sweep.entries)
        seconds = (time.monotonic() - begin) * len(os.sched_getaffinity(0))
        if model > _LONG_SECONDS:
            note_seconds(_POINTS, min(seconds, _MOST_TIMES * model), model)


def _loads(sweep: "LoadSweep") -> list[float]:
    """Loads of all runs of a network; those of a search are guessed."""
    if sweep.rates is not None:
        return [*sweep.rates] * sweep.repeat
    return [max(sweep.rtl_rates, default=1.0) / 2] * _SEARCHED_POINTS * sweep.repeat


def _points_seconds(sweep: "LoadSweep", network: Network) -> float:
    """Seconds of a core for a network's points, on the machine on which they were measured."""
    hops, most = _mean_hops(network), len(network.topology.ports) - 1
    moves = [min(load * hops, most) for load in _loads(sweep)]  # a router has so many outputs
    each = sum(_NODE_SECONDS + _MOVE_SECONDS * number for number in moves)
    return sweep.window.cycles * network.topology.nodes * each


def sweep_work(sweep: "LoadSweep") -> Work:
    """Points of all networks, on all cores of this machine."""
    cores = len(os.sched_getaffinity(0))
    cycles = sweep.window.cycles
    rates = [*(sweep.rates or []), *sweep.rtl_rates]
    highest = max(rates, default=1.0)
    total = Work(0.5)
    for entry in sweep.entries:
        network = entry.network
        placed, points = placed_routers(network), len(_loads(sweep))
        rtl = cycles * placed * _RTL_SECONDS
        built = _build_seconds(placed)
        model = _points_seconds(sweep, network)
        model = expected_seconds(_POINTS, model) or model
        on_rtl = sweep.repeat * len(sweep.rtl_rates) + (points if sweep.engine == "rtl" else 0)
        on_model = model if sweep.engine == "model" else 0.0
        seconds = _model_seconds(network) + (on_model + on_rtl * rtl) / cores
        memory = point_bytes(network, sweep.traffic, highest, cycles)
        total = total.then(check_work(network))
        total = total.then(Work(seconds + (built if on_rtl else 0), memory))
    return total


def live_work(network: Network) -> Work:
    """Verilog of a network as WebAssembly."""
    placed = placed_routers(network)
    return generate_work(network).then(Work(_LIVE_SECONDS + _LIVE_ROUTER_SECONDS * placed, 500e6))


def datasheet_work(network: Network) -> Work:
    """Page of facts, drawing, routes and ports."""
    facts = describe_work(network, with_walks=False).then(compare_work(network))
    return facts.then(check_work(network)).then(draw_work(network))
