"""Verb schedule: how a permutation, or any set of messages, is carried out."""

from typing import Any

from ..command import verb
from ..message_options import Asked, message_options
from ..options import as_json, network_words, start_networks, work_limit


@verb(
    examples=[
        "schedule ccc n=6 --permutation reversal",
        "schedule lcan d=4 u=2 levels=3 --permutation random",
        "schedule lcan d=2 u=2 levels=4 --messages random_routing",
        "schedule hypercube:n=4,routing=lc1 --permutation transpose --json",
    ],
    writes="A table with a row per packet of a small network, and the facts of the schedule; "
    "with --json all rounds, as simulate --schedule reads them. No file.",
)
@network_words
@message_options
@work_limit
@as_json
def schedule(*, words: tuple[str, ...], as_json: bool, **options: Any) -> None:
    """Schedule a permutation or other messages on a network.

    The network's routing that has schedules carries them out, whichever routing the words name. lc
    is the linear-complement permutation d = T s + c over GF(2) of a matrix T and a complement c.
    With lc1 and lc2, random draws a linear-complement permutation, because few others can be
    routed; messages are parted into batches of such permutations.
    """
    from ...estimates.networks import schedule_work
    from ...network import Network
    from ..answers import schedule as answer
    from ..answers.messages import delivery, scheduling_routing

    asked = Asked(**options)
    asked.require("schedule", one=True)
    network = Network.from_words(words)
    start_networks("schedule", [network], schedule_work)
    routing = scheduling_routing(network, "schedule")
    wanted = delivery(asked, routing, "schedule")
    made = wanted.scheduled(routing)
    if as_json:
        answer.print_json(wanted, made)
    else:
        answer.print_schedule(routing, wanted, made)
