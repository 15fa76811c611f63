"""Verb describe: facts of one network."""

import click

from .. import output
from ..command import verb
from ..options import as_json, network_words


@verb()
@network_words
@click.option("--routing", "with_walks", is_flag=True, help="Walk all pairs by each routing.")
@as_json
def describe(words: tuple[str, ...], with_walks: bool, as_json: bool) -> None:
    """Describe a network: size, links, degree and distances."""
    from ...network import Network
    from ..answers.describe import describe_network, describe_walks, walk_cells

    network = Network.from_words(words)
    description = describe_network(network)
    walks = describe_walks(network) if with_walks else None
    if as_json:
        told = {} if walks is None else {"walks": walks}
        output.print_json(description.as_json() | told)
        return
    told = {} if walks is None else walk_cells(network, walks)
    output.facts(network.name, description.cells() | told)
