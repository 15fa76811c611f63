"""Time and memory that simulations and sweeps take, estimated before any work.

The costs were measured as those of `knotwork.estimates.networks`.
"""

import os
from typing import TYPE_CHECKING

from knotwork.estimates.networks import (
    check_work,
    compare_work,
    describe_work,
    draw_work,
    generate_work,
)
from knotwork.estimates.work import Work
from knotwork.network import Network

from .check.compilation_time import HIERARCHY, expected_driver_seconds, placed_routers
from .check.engines import BOARD_ENGINES
from .check.memory import point_bytes, simulation_bytes
from .traffic.keys import Traffic

if TYPE_CHECKING:
    from .sweep.load import LoadSweep

_MODEL_SECONDS = 2.0  # packets made, beats judged
_HOP_SECONDS = 0.15e-6  # a flit crosses a router of the golden model
_PORT_SECONDS = 2e-6  # a port of the model's state, made
_NODE_SECONDS, _MOVE_SECONDS = 30e-9, 130e-9  # a node in a cycle, and a flit that it moves
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


def _model_seconds(network: Network) -> float:
    """Golden model, ready to run: its loop is compiled, unless that was done before."""
    from .model.run import MODELS

    loop = MODELS[network.router_class].loop(network)
    return _MODEL_SECONDS + (0.0 if loop is None or loop.function.is_compiled else loop.seconds)


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


def sweep_work(sweep: "LoadSweep") -> Work:
    """Points of all networks, on all cores of this machine."""
    cores = len(os.sched_getaffinity(0))
    cycles = sweep.window.cycles
    rates = [*(sweep.rates or []), *sweep.rtl_rates]
    highest = max(rates, default=1.0)
    total = Work(0.5)
    for entry in sweep.entries:
        network = entry.network
        nodes, placed = network.topology.nodes, placed_routers(network)
        hops, most = _mean_hops(network), len(network.topology.ports) - 1
        rtl = cycles * placed * _RTL_SECONDS
        built = _build_seconds(placed)
        loads = sweep.rates if sweep.rates is not None else [highest / 2] * _SEARCHED_POINTS
        loads = [*loads] * sweep.repeat
        moves = [min(load * hops, most) for load in loads]  # a router has so many outputs
        model = cycles * nodes * sum(_NODE_SECONDS + _MOVE_SECONDS * each for each in moves)
        points = len(loads)
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
