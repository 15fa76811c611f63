"""Network cycles of circuit switches: their outcome, their length, and the switches' states."""

from .cycles import (
    Engine,
    Outcome,
    circuit_clocks,
    cycle_clocks,
    network_cycle,
    not_let_in,
    refusal_clocks,
    rotated,
    sample_clock,
    served,
)
from .switch_state import ScanStarts, initial_state, scan_starts, stepped

__all__ = [
    "Engine",
    "Outcome",
    "ScanStarts",
    "circuit_clocks",
    "cycle_clocks",
    "initial_state",
    "network_cycle",
    "not_let_in",
    "refusal_clocks",
    "rotated",
    "sample_clock",
    "scan_starts",
    "served",
    "stepped",
]
