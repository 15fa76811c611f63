"""What a router class provides for its proofs: harnesses, properties, and parts beside routers."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from ..network import Network, RouterKind
from .harness import Harness
from .property import Property


class Part(NamedTuple):
    """Module of a network other than its routers, with its proof.

    Members
    -------
    name : str
        Name of the module.
    verilog : callable
        Text of the module and what it instantiates, by network and name.
    harness : callable
        Harness of the module, by network and name.
    properties : callable
        Properties of the module, lemmas first.
    traffic_class : int or None
        Class of traffic that is proven by itself.
    """

    name: str
    verilog: Callable[[Network, str], str]
    harness: Callable[[Network, str], Harness]
    properties: Callable[[Network], Sequence[Property]]
    traffic_class: int | None = None


class RouterProofs(Protocol):
    """Proofs of the routers of one class, as the package of the class provides them."""

    def harness(self, network: Network, kind: RouterKind) -> Harness:
        """Harness of a router, which may be any of its kind."""
        ...

    def properties(self, network: Network, kind: RouterKind) -> Sequence[Property]:
        """Properties of a router, lemmas first; each takes the harness of this class."""
        ...

    def separate_kinds(self, network: Network, kind: RouterKind) -> Sequence[RouterKind]:
        """Kinds that share a router's turns among them, and are proven one after the other.

        `harness` and `properties` take each of them. The kind itself unless a class overrides this.
        """
        del network
        return (kind,)

    def reachable_harness(self, network: Network, kind: RouterKind) -> Harness:
        """Harness that also assumes what follows from the network: which packets can come at all.

        This needs the paths of all pairs of nodes. Nothing follows unless a class overrides this.
        """
        return self.harness(network, kind)

    def unmet_requirement(self, network: Network) -> str | None:
        """What the network lacks for the proofs to hold; None unless a class overrides this."""
        del network
        return None

    def parts(self, network: Network) -> Sequence[Part]:
        """Modules beside the routers; none unless a class overrides this."""
        del network
        return ()

    def unproven(self, network: Network) -> Sequence[str]:
        """What is not proven of the network's options, in words."""
        del network
        return ()
