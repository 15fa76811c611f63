"""Proofs of bufferless routers, of two variants: those of rings, and those with phases.

`router` holds the claims about both; `variants` those about one.
"""

from collections.abc import Sequence

from ...network import Network, RouterKind
from ...routing.deflection import Deflection
from ..harness import Harness
from ..property import Property, RouterProofs
from .variants import PhaseProofs, RingProofs

_RING, _PHASES = RingProofs(), PhaseProofs()


def _variant(network: Network) -> RouterProofs:
    return _PHASES if Deflection.of(network.routing).has_phases else _RING


class DeflectionProofs(RouterProofs):
    """Proofs of bufferless routers."""

    def harness(self, network: Network, kind: RouterKind) -> Harness:
        return _variant(network).harness(network, kind)

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        return _variant(network).properties(network, kind)

    def unmet_requirement(self, network: Network) -> str | None:
        return "sequence_width=0" if network.sequence_width else None


PROOFS = DeflectionProofs()
"""Entry of the registry `formal.proofs`."""
