"""Verb generate: a network's Verilog and what lies beside it."""

from pathlib import Path

import click

from .. import output
from ..command import verb
from ..options import as_json, network_words


@verb()
@network_words
@click.option("-o", "directory", type=Path, metavar="DIR", help="Folder [build/<name>].")
@click.option("--name", metavar="NAME", help="Name of the top module, as the key name.")
@click.option("--keep-hierarchy", is_flag=True, help="Have synthesis keep each router a module.")
@as_json
def generate(
    *,
    words: tuple[str, ...],
    directory: Path | None,
    name: str | None,
    keep_hierarchy: bool,
    as_json: bool,
) -> None:
    """Write a network's Verilog, manifest and FuseSoC core."""
    from ...network import Network

    network = Network.from_words(words if name is None else [*words, f"name={name}"])
    network.require_deadlock_free()
    from ...emit import write_network

    directory = directory or Path("build") / network.name
    files = [str(path) for path in write_network(network, directory, keep_hierarchy=keep_hierarchy)]
    if as_json:
        output.print_json({"directory": str(directory), "files": files})
    else:
        click.echo("\n".join(files))
