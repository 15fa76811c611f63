"""The self-test measures: commands come in, sources create packets at a rate, sinks tell latencies.

`Measurement` is what all nodes share: receiver, commands, pace of a window, and sums. `NodeSource`
and `NodeMeter` stand at each node, whatever the router class; how a packet's time of creation goes
through the network is the class's own. `knotwork_boards.measuring` says the same in Python.
"""

from .host import SILENT, Host
from .measurement import Measurement, Measuring
from .node_meter import NodeMeter
from .node_source import NodeSource
from .table_host import TableHost

__all__ = ["SILENT", "Host", "Measurement", "Measuring", "NodeMeter", "NodeSource", "TableHost"]
