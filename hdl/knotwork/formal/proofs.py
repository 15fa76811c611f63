"""Which routers have proofs, and what is proven of them."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..emit.modules import controller_verilog, interface_verilog
from ..emit.verilog import network_verilog
from ..errors import ConfigurationError
from ..network import Network, RouterKind
from ..routing.deflection import Deflection
from . import batch, circuit, packet
from .deflection import reachable_packets as deflected
from .deflection import router as deflection
from .harness import Harness
from .prover import Property, Result, facts_rtlil, prove

_WHOLE = 16
"""Nodes up to which a network is proven as a whole."""

WALKED = 64
"""Nodes up to which the ways of all pairs are followed."""


class _Proofs(NamedTuple):
    """Proofs of a class of routers.

    Members
    -------
    harness : callable
        Harness of a router.
    properties : callable
        Properties of a router, lemmas first.
    lack : callable
        What a network has that the proofs do not know; None where there is nothing.
    parts : callable
        What of a network is proven beside its routers.
    more : callable
        Assumes of a router what the properties do not say, but what follows from them and its
        network: it takes the ways of all pairs of nodes.
    """

    harness: Callable[[Network, RouterKind], Harness]
    properties: Callable[[Network, RouterKind], Sequence[Property]]
    lack: Callable[[Network], str | None] = lambda network: None
    parts: Callable[[Network], Sequence["Part"]] = lambda network: ()
    more: Callable[[Any], None] = lambda harness: None


class Part(NamedTuple):
    """What a network has beside routers.

    Members
    -------
    name : str
        Name of its module.
    verilog : callable
        Text of its modules, by network and name.
    harness : callable
        Its harness, by the same.
    properties : callable
        Its properties, lemmas first.
    """

    name: str
    verilog: Callable[[Network, str], str]
    harness: Callable[[Network, str], Harness]
    properties: Callable[[Network], Sequence[Property]]


def _packet_lack(network: Network) -> str | None:
    if network.has_multicast:
        return "multicast=no"
    if network.has_broadcast and network.hardware.pipeline != 1:
        return "broadcast=no or pipeline=1"
    if network.has_parity:
        return "parity=no"
    if network.routing.escape_class is not None:
        return "a routing without escape"
    return None


def _deflection_lack(network: Network) -> str | None:
    return "sequence_width=0" if network.sequence_width else None


def _batch_parts(network: Network) -> Sequence[Part]:
    controller = Part(
        f"{network.topology.name}_controller",
        controller_verilog,
        batch.ControllerHarness,
        batch.controller_properties,
    )
    # Of longer packets what they carry would have to be followed beat by beat, in every router.
    if network.topology.nodes > _WHOLE or network.hardware.words > 1:
        return [controller]
    whole = Part(
        network.name,
        lambda network, name: network_verilog(network),
        batch.NetworkHarness,
        batch.network_properties,
    )
    return [controller, whole]


def _circuit_lack(network: Network) -> str | None:
    return "max_packet of at most 64" if network.hardware.max_packet > 64 else None


def _circuit_parts(network: Network) -> Sequence[Part]:
    name = network.topology.name
    return [
        Part(
            f"{name}_interface",
            interface_verilog,
            circuit.InterfaceHarness,
            circuit.interface_properties,
        ),
        Part(
            f"{name}_controller",
            controller_verilog,
            circuit.ControllerHarness,
            circuit.controller_properties,
        ),
    ]


def _assume_arriving(harness: Any) -> None:
    """Follow the ways of all packets, where packets grow old; on rings there is nothing to know."""
    if Deflection.of(harness.network.routing).has_phases:
        deflected.assume_arriving(harness)


PROOFS = {
    "packet": _Proofs(
        packet.PacketHarness, packet.properties, _packet_lack, more=packet.assume_reachable
    ),
    "deflection": _Proofs(
        deflection.DeflectionHarness,
        deflection.properties,
        _deflection_lack,
        more=_assume_arriving,
    ),
    "batch": _Proofs(batch.BatchHarness, batch.properties, parts=_batch_parts),
    "circuit": _Proofs(circuit.SwitchHarness, circuit.properties, _circuit_lack, _circuit_parts),
}
"""Proofs by the class of routers that a routing names: there are some of each."""


def require_proofs(network: Network) -> None:
    """Refuse a network whose routers have no proofs.

    Raises
    ------
    ConfigurationError
        What would have to be otherwise.
    """
    lack = PROOFS[network.router_class].lack(network)
    if lack is not None:
        raise ConfigurationError(
            f"{network.name}: verify: it must have {lack}: there are no proofs of others yet"
        )


def router_properties(network: Network, kind: RouterKind) -> Sequence[Property]:
    """Properties of a router, lemmas before what rests on them."""
    require_proofs(network)
    return PROOFS[network.router_class].properties(network, kind)


def prove_router(
    network: Network,
    kind: RouterKind,
    verilog: str,
    properties: Sequence[Property] | None = None,
    *,
    traces: Path | None = None,
) -> Iterator[Result]:
    """Prove properties of a router's Verilog, one after the other.

    Parameters
    ----------
    network, kind : Network, RouterKind
        What router it is.
    verilog : str
        Its modules, as `emit.modules.router_verilog` gives them; wires inside keep their names.
    properties : sequence of Property, optional
        All of them if unnamed. Lemmas come with what rests on them.
    traces : Path, optional
        Folder for waveforms of counterexamples.
    """
    chosen = router_properties(network, kind) if properties is None else properties
    harness = PROOFS[network.router_class].harness
    return prove(kind.name, verilog, lambda: harness(network, kind), chosen, traces=traces)


def router_facts(network: Network, kind: RouterKind, verilog: str) -> str:
    """Router's module with what its properties let each other assume; see `facts_rtlil`.

    In networks of up to `WALKED` nodes, also with what can come to it at all.
    """
    properties = router_properties(network, kind)
    proofs = PROOFS[network.router_class]
    harness = proofs.harness(network, kind)
    if network.topology.nodes <= WALKED:
        proofs.more(harness)
    return facts_rtlil(kind.name, verilog, harness, properties)


def parts(network: Network) -> Sequence[Part]:
    """What of a network is proven beside its routers."""
    require_proofs(network)
    return PROOFS[network.router_class].parts(network)


def prove_part(
    network: Network,
    part: Part,
    verilog: str,
    properties: Sequence[Property] | None = None,
    *,
    traces: Path | None = None,
) -> Iterator[Result]:
    """Prove properties of one of `parts`; as `prove_router`."""
    chosen = part.properties(network) if properties is None else properties
    return prove(
        part.name, verilog, lambda: part.harness(network, part.name), chosen, traces=traces
    )
