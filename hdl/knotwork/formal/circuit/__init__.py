"""Proofs of circuit-switched networks: their switches, the PEs' interfaces and the controller.

Each is proven alone, in an environment that keeps to `contract`, the rules of a network cycle. What
no part can show alone, that no circuit is released too early, is proven of small networks whole.
"""

from collections.abc import Sequence

from ...emit.modules import module_writer
from ...emit.ports import has_choosers
from ...emit.verilog import network_verilog
from ...gateware.circuit.layouts import ends_early
from ...gateware.wiring_plan import chooser_module, controller_module, interface_module
from ...network import Network, RouterKind
from ..property import Part, Property, RouterProofs
from .chooser import ChooserHarness, chooser_properties
from .complete_network import NetworkHarness, network_properties
from .contract import cycle_length, longest_packet
from .controller import ControllerHarness, controller_properties
from .interface import InterfaceHarness, interface_properties
from .switch import SwitchHarness, switch_properties

_LONGEST = 64
"""Flits of the longest packet that the proofs follow."""

_MOST_NODES = 4
"""Nodes up to which a network is proven as a whole."""
_LONGEST_CYCLE = 14
"""Clock cycles of the longest network cycle up to which it is."""


class CircuitProofs(RouterProofs):
    """Proofs of circuit switches, and of what a network has beside them."""

    def harness(self, network: Network, kind: RouterKind) -> SwitchHarness:
        return SwitchHarness(network, kind)

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        return switch_properties(network, kind)

    def unmet_requirement(self, network: Network) -> str | None:
        if longest_packet(network) > _LONGEST:
            return f"max_packet of at most {_LONGEST}"
        return None

    def unproven(self, network: Network) -> Sequence[str]:
        if not ends_early(network) or _is_small(network):
            return ()
        return ("cycle=adaptive: that no circuit is released while it is in use",)

    def parts(self, network: Network) -> Sequence[Part]:
        """Interface of a PE, what joins it to several links, the controller; a network whole.

        A network is proven whole if it is small and its network cycles end early.
        """
        interface, controller = map(network.module_name, ("interface", "controller"))
        chooser = network.module_name("chooser")
        joins = Part(chooser, module_writer(chooser_module), ChooserHarness, chooser_properties)
        return [
            *([joins] if has_choosers(network) else ()),
            Part(
                interface, module_writer(interface_module), InterfaceHarness, interface_properties
            ),
            Part(
                controller,
                module_writer(controller_module),
                ControllerHarness,
                controller_properties,
            ),
            *([_complete_network(network)] if _is_small(network) else ()),
        ]


def _complete_network(network: Network) -> Part:
    return Part(
        network.name,
        lambda network, name: network_verilog(network),
        NetworkHarness,
        network_properties,
    )


def _is_small(network: Network) -> bool:
    """Whether the proof of the whole is needed, and comes to an end."""
    fits = network.topology.nodes <= _MOST_NODES and cycle_length(network) <= _LONGEST_CYCLE
    return ends_early(network) and fits and not has_choosers(network)


PROOFS = CircuitProofs()
"""Entry of the registry `formal.proofs`."""
