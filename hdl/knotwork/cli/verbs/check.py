"""Verb check: whether a network can deadlock."""

from pathlib import Path

import click

from ...errors import ConfigurationError
from .. import output
from ..command import verb
from ..options import (
    as_json,
    file_option,
    read_designs,
    several_networks,
    start_networks,
    work_limit,
)


@verb(
    examples=[
        "check moebius n=7 virtual_channels=1",
        "check torus:x=4,y=4 mesh:x=4,y=4",
        "check torus x=4 y=4 --graphml torus.graphml",
        "check hypercube n=5 --json",
        "check moebius n=3 routing=spr virtual_channels=1 --messages sent.csv",
    ],
    writes="The facts of the check, and a cycle of channels if there is one. With --graphml its "
    "file.",
)
@several_networks
@file_option("--graphml", help="Also write the channel dependence graph, as GraphML.")
@file_option(
    "--messages",
    help="Check only these messages: a JSON list of [source, destination], or lines "
    "SOURCE,DESTINATION (.csv).",
)
@work_limit
@as_json
@click.pass_context
def check(
    context: click.Context,
    *,
    words: tuple[str, ...],
    graphml: Path | None,
    messages: Path | None,
    as_json: bool,
) -> None:
    """Check that networks cannot deadlock.

    Trees of collectives are checked too. Exit status 1 if a network fails.
    """
    from ...collective_groups import check_tree
    from ..answers.check import (
        deadlock_answer,
        messages_report,
        print_deadlock_report,
        trees_answer,
    )

    designs = read_designs(words)
    networks = [design.network for design in designs]
    from ...estimates.networks import check_work, dependence_graph_work

    if messages is not None and (graphml is not None or len(networks) > 1):
        what = "without --graphml" if graphml else f"with one network, not {len(networks)}"
        raise ConfigurationError(f"check: --messages must be used {what}")
    if graphml is not None and len(networks) > 1:
        raise ConfigurationError(
            f"check: --graphml must be used with one network, not {len(networks)}: a file has one "
            "graph"
        )
    if graphml is not None:
        from ...drawing.graph_files import require_enumerable

        require_enumerable(networks[0])
    start_networks("check", networks, check_work if graphml is None else dependence_graph_work)
    file = {}
    if graphml is not None:
        from ...drawing.graph_files import dependence_graph
        from ...files import write_file

        write_file(graphml, dependence_graph(networks[0]))
        file = {"graphml": str(graphml)}
    if messages is None:
        reports = [design.deadlock_report for design in designs]
    else:
        reports = [messages_report(networks[0], messages)]
    if as_json:
        output.print_answers(
            [
                deadlock_answer(report) | trees_answer(network) | file
                for network, report in zip(networks, reports, strict=True)
            ]
        )
    else:
        for design, report in zip(designs, reports, strict=True):
            print_deadlock_report(design, report)
        for path in file.values():
            click.echo(path)
    trees = [check_tree(group.tree) for one in networks for group in one.collective_groups]
    if not all(one.deadlock_free for one in reports) or not all(one.holds for one in trees):
        context.exit(1)
