"""What counts and watches a network's channels, and a bus reads."""

from .counters import EventCounters
from .monitor import Monitor, monitor_bus
from .watchdog import Watchdog

__all__ = ["EventCounters", "Monitor", "Watchdog", "monitor_bus"]
