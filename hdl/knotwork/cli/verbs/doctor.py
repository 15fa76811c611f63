"""Verb doctor: which tools and caches there are, and what is missing."""

import click

from .. import output
from ..command import verb
from ..options import as_json


@verb(
    examples=["doctor", "doctor sim", "doctor --json"],
    writes="Tables of tools and caches, and a line for each tool that is missing. No file.",
)
@click.argument("roots", nargs=-1, metavar="[ROOT]...")
@as_json
@click.pass_context
def doctor(context: click.Context, roots: tuple[str, ...], as_json: bool) -> None:
    """List which tools are installed and which are missing.

    ROOT is hdl, sim or boards: the part to examine [all of them]. Exit status 1 if a tool is
    missing that Knotwork needs; a missing optional tool is listed, but is not an error.
    """
    from ..answers import doctor as answer

    checkup = answer.examine_roots(roots)
    if as_json:
        output.print_json(checkup.as_json())
    else:
        answer.print_checkup(checkup)
    if checkup.missing:
        context.exit(1)
