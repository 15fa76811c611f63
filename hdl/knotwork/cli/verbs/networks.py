"""Verb networks: what networks there are."""

from .. import output
from ..command import verb
from ..options import as_json


@verb()
@as_json
def networks(as_json: bool) -> None:
    """List the networks with their keys, ranges and routings."""
    from ..answers.networks import network_list, network_tables

    known = network_list()
    if as_json:
        output.print_json({"networks": known})
        return
    for table in network_tables(known):
        output.table(table.title, table.columns, table.rows)
