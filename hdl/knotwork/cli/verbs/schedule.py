"""Verb schedule: how a permutation, or any set of messages, is carried out."""

from typing import Any

import click

from ...errors import ConfigurationError
from ..command import verb
from ..message_options import MessageRequest, message_options
from ..options import (
    IntegerType,
    OneOf,
    as_json,
    network_words,
    start_networks,
    work_limit,
)


@verb(
    examples=[
        "schedule ccc n=6 --permutation reversal",
        "schedule lcan d=4 u=2 levels=3 --permutation random",
        "schedule lcan d=2 u=2 levels=4 --messages random_routing",
        "schedule baseline levels=3 --permutation random --online 9 --expected",
        "schedule hypercube:n=4,routing=lc1 --permutation transpose --json",
        "schedule ccc n=4 --permutation reversal --naive descending",
    ],
    writes="A table with a row per packet of a small network, and the facts of the schedule; "
    "with --json all rounds, as simulate --schedule reads them. With --naive, the node of each "
    "packet after each step, and the collisions of the first step that has any. No file.",
)
@network_words
@message_options
@click.option(
    "--online",
    "runs",
    type=IntegerType(1, 100_000),
    metavar="RUNS",
    help="Also measure how many network cycles the messages take if the switches choose the "
    "circuits, without a schedule: this many runs, with seed, seed + 1, ...",
)
@click.option(
    "--choice",
    metavar="RULE",
    help="How the switches choose, for --online: lfsr (as the hardware does), matching, "
    "round_robin or independent (each header independently) [lfsr].",
)
@click.option(
    "--expected",
    is_flag=True,
    help="Also compute the exact expectation of that number for ideal random bits, on a small "
    "network.",
)
@click.option(
    "--naive",
    metavar="ORDER",
    type=OneOf(("ascending", "descending")),
    help="Route by the destination's bits alone, one dimension per step, ascending or descending; "
    "show whether packets collide, and where.",
)
@work_limit
@as_json
def schedule(
    *,
    words: tuple[str, ...],
    as_json: bool,
    runs: int | None,
    choice: str | None,
    expected: bool,
    naive: str | None,
    **options: Any,
) -> None:
    """Schedule a permutation or other messages on a network.

    The schedule is for the network's routing that has schedules, whichever routing the words name.
    lc is the linear-complement permutation d = T s + c over GF(2) of a matrix T and a complement c.
    With lc1 and lc2, random draws a linear-complement permutation, because few others can be
    routed; messages are split into batches of such permutations.
    """
    from ...designs import read_network
    from ...estimates.networks import on_line_work, schedule_work
    from ...routing.scheduling.linear_complement import NaiveRun
    from ..answers import naive as naive_answer
    from ..answers import schedule as answer
    from ..answers.messages import delivery, scheduling_routing

    request = MessageRequest(**options)
    request.require("schedule", one=True)
    if choice is not None and runs is None:
        raise ConfigurationError("schedule: --choice must be used with --online")
    if naive is not None and (runs is not None or expected):
        raise ConfigurationError("schedule: --naive must not be used with --online or --expected")
    network = read_network(words)
    work = schedule_work(network).then(on_line_work(network, runs or 0))
    start_networks("schedule", [network], lambda _: work)
    routing = scheduling_routing(network, "schedule")
    wanted = delivery(request, routing, "schedule")
    if naive is not None:
        dimensions = naive_answer.naive_routing(wanted, routing)
        print_run = naive_answer.print_json if as_json else naive_answer.print_run
        print_run(wanted, NaiveRun(wanted.messages.destinations, naive), dimensions)
        return
    made = wanted.scheduled(routing)
    if runs is not None:
        seeds = range(request.seed, request.seed + runs)
        made.facts["online"] = answer.on_line(routing, wanted, seeds, choice)
    if expected:
        made.facts["expected"] = answer.expectation(routing, wanted)
    if as_json:
        answer.print_json(wanted, made)
    else:
        answer.print_schedule(routing, wanted, made)
