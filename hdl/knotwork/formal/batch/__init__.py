"""Networks of batches: routers, the controller, small networks whole."""

from .controller import ControllerHarness, controller_properties
from .router import BatchHarness, properties
from .whole import NetworkHarness, network_properties

__all__ = [
    "BatchHarness",
    "ControllerHarness",
    "NetworkHarness",
    "controller_properties",
    "network_properties",
    "properties",
]
