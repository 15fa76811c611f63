"""Verb multicast: the rounds in which a multicast reaches its nodes."""

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json, multicast_order, network_argument, split_words


@verb(
    examples=[
        "multicast moebius n=4 5 0 2 3 8 11 14 15",
        "multicast hypercube:n=3 @000 @111 @010",
        "multicast moebius n=4 5 0 2 3 8 11 14 15 --order address",
        "multicast moebius n=4 5 0 2 3 8 11 14 15 --compare",
        "multicast hypercube n=4 0 1 2 3 --json",
    ],
    writes="A table with a row per packet and round, or with --compare a row per order. No file.",
)
@network_argument("NET... SRC DST...")
@multicast_order
@click.option("--compare", is_flag=True, help="Compare both orders: rounds and hops.")
@as_json
def multicast(*, words: tuple[str, ...], order: str | None, compare: bool, as_json: bool) -> None:
    """Show the rounds of a multicast from one node to several.

    SRC and DST are indices, or labels written @0010.
    """
    net, nodes = split_words(words)
    if len(nodes) < 2 or any("=" in node for node in nodes):
        raise ConfigurationError(
            "multicast: the arguments must be NET... SRC DST..., a network and two nodes or more, "
            f"not {' '.join(words)!r}"
        )
    if compare and order is not None:
        raise ConfigurationError(
            "multicast: --compare must be used without --order: it compares all orders"
        )
    from ...designs import read_network
    from ...routing.multicast import XOR
    from ..answers.multicast import (
        compare_orders,
        find_multicast,
        print_multicast,
        print_orders,
    )

    network = read_network(net)
    source, *members = (network.node(node) for node in nodes)
    if compare:
        facts = compare_orders(network, source, members)
        if as_json:
            output.print_json({"orders": facts})
        else:
            print_orders(network, source, facts)
        return
    found = find_multicast(network, source, members, order or XOR)
    if as_json:
        output.print_json(found.as_json())
    else:
        print_multicast(network, source, found)
