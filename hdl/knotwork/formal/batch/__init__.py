"""Proofs of networks that route batches: their routers, the controller, and small networks whole.

Routers and controller are each proven alone, in an environment that keeps to `contract`;
`expectation` says what the algorithms do in each step, as their specifications define it.
"""

from collections.abc import Sequence

from ...emit.modules import module_writer
from ...emit.verilog import network_verilog
from ...gateware.wiring_plan import controller_module
from ...network import Network, RouterKind
from ...parameters import BatchParameters
from ..property import Part, Property, RouterProofs
from .complete_network import NetworkHarness, network_properties
from .controller import ControllerHarness, controller_properties
from .router import BatchHarness, router_properties

_MOST_NODES = 16
"""Nodes up to which a network is proven as a whole."""


class BatchProofs(RouterProofs):
    """Proofs of routers of batches, and of what a network has beside them."""

    def harness(self, network: Network, kind: RouterKind) -> BatchHarness:
        return BatchHarness(network, kind)

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        return router_properties(network, kind)

    def parts(self, network: Network) -> Sequence[Part]:
        """Controller, and a small network of one-beat packets as a whole."""
        controller = Part(
            network.module_name("controller"),
            module_writer(controller_module),
            ControllerHarness,
            controller_properties,
        )
        # The data of longer packets would have to be followed beat by beat, in every router.
        if network.topology.nodes > _MOST_NODES or BatchParameters.of(network.hardware).words > 1:
            return [controller]
        whole = Part(
            network.name,
            lambda network, name: network_verilog(network),
            NetworkHarness,
            network_properties,
        )
        return [controller, whole]


PROOFS = BatchProofs()
"""Entry of the registry `formal.proofs`."""
