"""Verb check: whether a network can deadlock."""

import click

from .. import output
from ..command import verb
from ..options import as_json, read_networks, several_networks, start_networks, work_limit


@verb(
    examples=[
        "check moebius n=7 virtual_channels=1",
        "check torus:x=4,y=4 mesh:x=4,y=4",
        "check hypercube n=5 --json",
    ],
    writes="The facts of the check, and a cycle of channels if there is one. No file.",
)
@several_networks
@work_limit
@as_json
@click.pass_context
def check(context: click.Context, words: tuple[str, ...], as_json: bool) -> None:
    """Check that networks cannot deadlock.

    Exit status 1 if one can.
    """
    from ..answers.check import deadlock_answer, print_deadlock_report

    networks = read_networks(words)
    from ...estimates.networks import check_work

    start_networks("check", networks, check_work)
    if as_json:
        output.print_answers([deadlock_answer(network.deadlock_report) for network in networks])
    else:
        for network in networks:
            print_deadlock_report(network, network.deadlock_report)
    if not all(network.deadlock_report.deadlock_free for network in networks):
        context.exit(1)
