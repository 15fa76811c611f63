"""Network cycles of circuit switches: their outcome, their length, and the switches' states."""

from .cycles import (
    Engine,
    circuit_clocks,
    cycle_clocks,
    network_cycle,
    not_let_in,
    refusal_clocks,
    rotated,
    sample_clock,
    served,
)
from .one_way import one_way_cycle
from .outcome import Outcome
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
    "one_way_cycle",
    "refusal_clocks",
    "rotated",
    "sample_clock",
    "scan_starts",
    "served",
    "stepped",
]
