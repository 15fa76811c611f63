"""Routes of bufferless routers: the gates of the routing that a deflection routing is made of."""

from functools import lru_cache

from amaranth.hdl import Cat, Const, Module, Value

from ...network import Network, RouterKind
from ...routing.deflection import Deflection
from ...topology import LOCAL
from ...untyped import Interface
from ..parts.network_routes import route_computation
from ..parts.table_route import RouteTable, TableRoute, route_table
from ..router_class import own_address

PIN = "routes"
"""Router's input for a table of its own, which serves all its inputs."""


@lru_cache(maxsize=4)
def base_network(network: Network) -> Network:
    """Network whose gates decide where packets want to go."""
    base_class = Deflection.of(network.routing).base_class
    return Network(network.topology, routing=base_class)


@lru_cache(maxsize=8)
def own_table(network: Network, kind: RouterKind) -> RouteTable | None:
    """Table that each router of a kind has of its own; None where it has none."""
    if not Deflection.of(network.routing).has_phases:
        return None
    base = base_network(network)
    if not issubclass(route_computation(base), TableRoute):
        return None
    table = route_table(base, kind.turns, router=kind.router)
    return table if table.width else None


def constants(network: Network, router: int) -> dict[str, Const]:
    """Constant inputs of a router: its address, and a table of its own."""
    table = own_table(network, network.router_kinds[network.router_number[router]])
    own = {} if table is None else {PIN: table.constant(router)}
    return own_address(network, router) | own


def preference(m: Module, router: Interface, name: str, destination: Value) -> tuple[Value, Value]:
    """Whether a packet is for the node of a router, and the link that it wants, one-hot.

    Parameters
    ----------
    m : Module
        Router's module, to which the gates of the route are added.
    router : BufferlessRouter
        Router.
    name : str
        Where the packet comes from.
    destination : Value
        Address to which the packet goes.
    """
    base, turns = base_network(router.network), router.kind.turns
    route: Interface = route_computation(base)(base, turns, router=router.kind.router)
    m.submodules[f"route_{name}"] = route
    if own_table(router.network, router.kind) is not None:
        m.d.comb += route.table.eq(router.routes)
    m.d.comb += [route.address.eq(router.address), route.destination.eq(destination)]
    wants = {
        port: Cat(route.select[n] for n, turn in enumerate(turns) if turn.output_port == port).any()
        for port in router.kind.ports
    }
    return wants.pop(LOCAL), Cat(wants.values())
