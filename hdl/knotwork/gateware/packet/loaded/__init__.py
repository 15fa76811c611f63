"""Packet routers whose tables are loaded in service, and whose links may die."""

from ...router_class import ControllerGateware
from .controller import LoadController
from .layouts import control_layout, outside_ports, report_layout
from .router import LoadedTables

LOADER = ControllerGateware(
    controller=LoadController,
    control_layout=control_layout,
    report_layout=report_layout,
    outside_ports=outside_ports,
    routers_report=True,
)

__all__ = ["LOADER", "LoadController", "LoadedTables"]
