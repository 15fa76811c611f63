"""Verb networks: what networks there are."""

import click

from .. import output
from ..command import verb
from ..options import as_json, plugin_option


def _complete_name(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    from ...topology import TOPOLOGIES

    return [name for name in TOPOLOGIES if name.startswith(incomplete)]


@verb(
    examples=["networks", "networks hypercube", "networks torus --json"],
    writes="Tables, or with --json an object with the list networks. No file.",
)
@click.argument("names", nargs=-1, metavar="[NAME]...", shell_complete=_complete_name)
@plugin_option
@as_json
def networks(names: tuple[str, ...], as_json: bool) -> None:
    """List the networks with their keys, ranges and routings.

    With names, show everything about these networks: keys, ranges, defaults, routings, router
    classes and their hardware keys, and where they were published.
    """
    from ..answers.networks import network_list, network_page, network_tables, print_page

    pages = [network_page(name) for name in names]
    if as_json:
        listed = [page.as_json() for page in pages] if names else network_list()
        output.print_json({"networks": listed})
        return
    for page in pages:
        print_page(page)
    for table in () if names else network_tables(network_list()):
        output.table(table.title, table.columns, table.rows)
