"""Verb check: whether a network can deadlock."""

import click

from .. import output
from ..command import verb
from ..options import as_json, network_words


@verb()
@network_words
@as_json
@click.pass_context
def check(context: click.Context, words: tuple[str, ...], as_json: bool) -> None:
    """Check that a network cannot deadlock.

    Exit status 1 if it can.
    """
    from ...network import Network
    from ..answers.check import deadlock_answer, print_deadlock_report

    network = Network.from_words(words)
    report = network.deadlock_report
    if as_json:
        output.print_json(deadlock_answer(report))
    else:
        print_deadlock_report(network, report)
    if not report.deadlock_free:
        context.exit(1)
