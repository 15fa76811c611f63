"""Simulations asked for in Python: networks and traffic as people write them."""

from collections.abc import Sequence
from typing import Any

from knotwork.designs import read_network
from knotwork.errors import ConfigurationError
from knotwork.files import AnyPath, as_path
from knotwork.network import Network
from knotwork.routing.scheduling.rounds import Round
from knotwork.topology import Topology

from ..collectives.simulate import CollectiveResult, simulate_collectives
from ..traffic.keys import Traffic
from ..traffic.make import AnyTraffic, as_traffic
from . import repeat as repetition
from . import simulate as simulation
from .result import SimulationResult


def network_of(given: Network | Topology | str) -> Network:
    """Network that is given as such, as its topology, or as a word like ``moebius:n=6,twist=1``."""
    if isinstance(given, Network):
        return given
    if isinstance(given, Topology):
        return Network(given)
    if not isinstance(given, str):
        raise ConfigurationError(
            f"a network must be a Network, a Topology or a word like 'moebius:n=6', not {given!r}"
        )
    return read_network(given.split())


def traffic_of(given: Any, keys: dict[str, object]) -> Any:
    """Traffic that is given as such, or by its pattern and keys."""
    if given is not None and not isinstance(given, str):
        if keys:
            raise ConfigurationError(
                f"traffic: keys must be in the Traffic object, not beside it: {', '.join(keys)}"
            )
        return given
    pattern = {} if given is None else {"traffic": given}
    return Traffic.from_texts({key: _read(key, value) for key, value in (pattern | keys).items()})


def _read(key: str, value: object) -> object:
    """Value that `Traffic.from_texts` takes: numbers in a row as a text with commas."""
    field = Traffic.keys().get(key)
    if field is None or field.metadata["kind"].accepts(value):
        return value
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def simulate(
    network: Network | Topology | str,
    traffic: AnyTraffic | str | None = None,
    *,
    engine: str = "both",
    board: str | None = None,
    repeat: int | None = None,
    rounds: Sequence[Round] | None = None,
    trace_file: AnyPath | None = None,
    **keys: object,
) -> SimulationResult | CollectiveResult:
    """Send traffic through a network and judge what comes out.

    Parameters
    ----------
    network : Network, Topology or str
        What carries the traffic; a word like ``"moebius:n=4,twist=1"`` names a network too.
    traffic : str, Traffic, packets or callable, optional
        Pattern, as ``"transpose"``; all keys; or packets of your own, as `PacketList.of` takes
        them, or a function of the network that gives either. Uniform if unnamed.
    engine : str
        ``"model"``: the golden model; ``"rtl"``: the emitted Verilog; ``"both"``: compared;
        ``"netlist"``: what synthesis made of the Verilog, compared with the golden model.
    board : str, optional
        Name of the board for which a netlist is synthesised.
    repeat : int, optional
        Number of runs, with seed, seed + 1, ...; the result has sums and means.
    rounds : sequence of Round, optional
        Schedule, for a network whose packets name their path.
    trace_file : str or PathLike, optional
        Waveform of the Verilog to write, .vcd or .fst. With .html or .json nothing is written, and
        the result has its `crossings`, which `knotwork_sim.trace.write_trace` writes.
    **keys
        Keys of the traffic: ``rate=0.3, packets=500, length="1-4", seed=2``.

    Raises
    ------
    ConfigurationError
        A network or traffic that cannot be.
    DeadlockError
        The network failed its deadlock check.
    ToolError
        Verilator or the C++ compiler is missing or failed.
    """
    trace = None if trace_file is None else as_path(trace_file, "a trace")
    made, asked = network_of(network), traffic_of(traffic, keys)
    if isinstance(asked, Traffic) and asked.is_collective:
        if (board, repeat, rounds, trace_file) != (None, None, None, None):
            raise ConfigurationError(
                f"simulate: traffic={asked.traffic} must be used without board, repeat, rounds and "
                "trace_file"
            )
        return simulate_collectives(made, asked, engine=engine)
    if repeat is None:
        return simulation.simulate(
            made, asked, engine=engine, board=board, trace_file=trace, rounds=rounds
        )
    if trace is not None or rounds is not None:
        raise ConfigurationError("simulate: repeat must not be used with trace_file or rounds")
    return repetition.repeat(
        made, as_traffic(made, asked), times=repeat, engine=engine, board=board
    )
