"""Measuring self-test: takes commands, creates packets at a rate, and sums their latencies.

`Measurement` is what all nodes share: receiver, commands, pace of a window, and sums. `NodeSource`
and `NodeMeter` stand at each node, whatever the router class; how a packet's time of creation goes
through the network is the class's own. `knotwork_boards.measuring` is the same in Python.
"""

from .commands import NO_HOST, Host, TableHost
from .measurement import Measurement, Measuring
from .meter import NodeMeter
from .node_source import NodeSource

__all__ = ["NO_HOST", "Host", "Measurement", "Measuring", "NodeMeter", "NodeSource", "TableHost"]
