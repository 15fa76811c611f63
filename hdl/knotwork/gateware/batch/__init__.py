"""Batch routers: one packet of every node moves in lockstep, exchange by exchange."""

from ..router_class import ControllerGateware, RouterGateware, address_constant
from .controller import BatchController, outside_ports
from .layouts import control_layout, exchange_signature, report_layout
from .router import BatchRouter

BATCH = RouterGateware(
    router=BatchRouter,
    constants=address_constant,
    link_signature=exchange_signature,
    controller=ControllerGateware(
        controller=BatchController,
        control_layout=control_layout,
        report_layout=report_layout,
        outside_ports=outside_ports,
    ),
)

__all__ = ["BATCH", "BatchController", "BatchRouter"]
