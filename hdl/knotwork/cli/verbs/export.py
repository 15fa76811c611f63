"""Verb export: topologies in the file formats of other programs."""

from functools import partial
from pathlib import Path

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import as_json, file_option, network_words, start_networks, work_limit


@verb(
    examples=[
        "export moebius n=4 --graphml moebius.graphml",
        "export mesh:x=4,y=4 --anynet mesh.anynet",
        "export torus:x=4,y=4 --node-link torus.json",
        "export hypercube n=3 --edges cube.txt --json",
    ],
    writes="The files that the options name. Prints their paths.",
)
@network_words
@file_option("--anynet", help="Network file of BookSim 2.")
@file_option("--graphml", help="GraphML document.")
@file_option("--node-link", help="JSON in node-link form, as NetworkX reads it.")
@file_option("--edges", help="Edge list, a pair of router numbers per line.")
@work_limit
@as_json
def export(*, words: tuple[str, ...], as_json: bool, **files: Path | None) -> None:
    """Write a topology for other programs."""
    named = {name: file for name, file in files.items() if file is not None}
    if not named:
        raise ConfigurationError(
            "export: a file must be named with --anynet, --graphml, --node-link or --edges"
        )
    if len(set(named.values())) < len(named):
        raise ConfigurationError("export: the files must have different names")
    from ...designs import read_network
    from ...drawing.graph_files import FORMATS
    from ...estimates.networks import export_work
    from ...files import write_files
    from ...progress import progress

    network = read_network(words)
    start_networks("export", [network], partial(export_work, files=len(named)))
    texts = {}
    with progress(f"writing {network.name}", total=len(named), unit="files") as advance:
        for name, file in named.items():
            texts[file] = FORMATS[name](network)
            advance()
    write_files(texts)
    if as_json:
        output.print_json({name: str(file) for name, file in named.items()})
        return
    for file in named.values():
        click.echo(str(file))
