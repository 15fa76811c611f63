"""Networks of batches: routers, the controller, small networks whole."""

from .controller import ControllerBench, controller_properties
from .router import BatchBench, properties
from .whole import NetworkBench, network_properties

__all__ = [
    "BatchBench",
    "ControllerBench",
    "NetworkBench",
    "controller_properties",
    "network_properties",
    "properties",
]
