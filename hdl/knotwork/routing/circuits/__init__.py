"""Network cycles of circuit switches: their outcome, their length, and the switches' states."""

from .cycles import (
    Engine,
    circuit_clocks,
    cycle_clocks,
    network_cycle,
    refusal_clocks,
    refused_by_nodes,
    rotate_uppers,
    sample_clock,
    serve,
)
from .one_way import one_way_cycle
from .outcome import Outcome
from .switch_state import ScanStarts, initial_state, next_state, scan_starts

__all__ = [
    "Engine",
    "Outcome",
    "ScanStarts",
    "circuit_clocks",
    "cycle_clocks",
    "initial_state",
    "network_cycle",
    "next_state",
    "one_way_cycle",
    "refusal_clocks",
    "refused_by_nodes",
    "rotate_uppers",
    "sample_clock",
    "scan_starts",
    "serve",
]
