"""Circuit switches: a header closes crosspoints for a network cycle, and its packet follows."""

from ..router_class import ControllerGateware, RouterGateware
from .controller import CircuitController
from .interface import CircuitInterface, CopyChooser
from .layouts import circuit_signature, control_layout, group_names, report_layout
from .switch import CircuitSwitch, switch_constants

CIRCUIT = RouterGateware(
    router=CircuitSwitch,
    constants=switch_constants,
    link_signature=circuit_signature,
    link_names=group_names,
    interface=CircuitInterface,
    chooser=CopyChooser,
    controller=ControllerGateware(
        controller=CircuitController, control_layout=control_layout, report_layout=report_layout
    ),
)

__all__ = ["CIRCUIT", "CircuitController", "CircuitInterface", "CircuitSwitch"]
