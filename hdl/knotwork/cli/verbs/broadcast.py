"""Verb broadcast: how a broadcast spreads."""

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json, network_argument, split_words


@verb(
    examples=[
        "broadcast wk w=4 levels=2 @20",
        "broadcast wk:w=3,levels=2 0 --rule label",
        "broadcast tcpg k=1 m=1 0 --json",
    ],
    writes="The steps, and a table of the nodes of a small network. No file.",
)
@network_argument("NET... SRC")
@click.option("--rule", metavar="NAME", help="Broadcast rule [that of the network].")
@as_json
def broadcast(words: tuple[str, ...], rule: str | None, as_json: bool) -> None:
    """Show how a broadcast spreads, one link per step.

    SRC is an index, or a label written @0010. --rule also takes rules that exist only for
    comparison; a rule that misses nodes is not an error.
    """
    net, nodes = split_words(words)
    if len(nodes) != 1 or "=" in nodes[0]:
        raise ConfigurationError(
            "broadcast: the arguments must be NET... SRC, a network and one node, not "
            f"{' '.join(words)!r}"
        )
    from ...designs import read_network
    from ..answers.broadcast import find_broadcast, print_broadcast

    network = read_network(net)
    source = network.node(nodes[0])
    found = find_broadcast(network, rule, source)
    if as_json:
        output.print_json(found)
    else:
        print_broadcast(network, source, found)
