"""Deflection routers: why networks of them cannot test themselves."""

from typing import NoReturn

from knotwork.errors import ConfigurationError
from knotwork.network import Network


class DeflectionSelfTest:
    """Refusal of every network of deflection routers.

    A packet is one flit there, while the self-test sends packets of several beats and lets its
    checkers hold them back; no node test for deflection routers has been written.
    """

    def node_test(self, network: Network) -> NoReturn:
        """Refuse the network: raises `ConfigurationError`."""
        raise ConfigurationError(
            f"{network.name}: router must be packet for the self-test, not {network.router}"
        )

    def build_hints(self, network: Network) -> NoReturn:
        """Refuse the network, as `node_test` does."""
        self.node_test(network)
