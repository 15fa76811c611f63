"""Verb multicast: the rounds in which a multicast reaches its nodes."""

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json, network_argument, split_words


@verb(
    examples=[
        "multicast moebius n=4 5 0 2 3 8 11 14 15",
        "multicast hypercube:n=3 @000 @111 @010",
        "multicast hypercube n=4 0 1 2 3 --json",
    ],
    writes="A table with a row per packet and round. No file.",
)
@network_argument("NET... SRC DST...")
@as_json
def multicast(words: tuple[str, ...], as_json: bool) -> None:
    """Show the rounds of a multicast from one node to several.

    SRC and DST are indices, or labels written @0010.
    """
    net, nodes = split_words(words)
    if len(nodes) < 2 or any("=" in node for node in nodes):
        raise ConfigurationError(
            f"multicast: the words must be NET... SRC DST..., a network and two nodes or more, "
            f"not {' '.join(words)!r}"
        )
    from ...network import Network
    from ..answers.multicast import find_multicast, print_multicast

    network = Network.from_words(net)
    source, *members = (network.node(node) for node in nodes)
    found = find_multicast(network, source, members)
    if as_json:
        output.print_json(found.as_json())
    else:
        print_multicast(network, source, found)
