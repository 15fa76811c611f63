"""Tables of a datasheet: facts, the deadlock check, and what proofs there are."""

from collections.abc import Sequence

from knotwork.cli.answers.check import deadlock_answer
from knotwork.cli.answers.compare import compare_network
from knotwork.cli.answers.describe import describe_network
from knotwork.costs import estimated_cost
from knotwork.errors import ConfigurationError
from knotwork.formal import require_proofs
from knotwork.network import Network

from .content import Data, Table

GROUPS = (2, 4, 8, 16, 32)
"""Sizes of groups of nodes that are compared, as `compare` does by default."""


def facts(network: Network, words: str) -> list[Data]:
    """Facts of `describe`, the estimated cost, and the outcome of `check`."""
    return [described(network, words), cost(network, words), check(network, words)]


def described(network: Network, words: str) -> Data:
    """Facts of `describe`."""
    cells = describe_network(network).cells()
    known = {key: value for key, value in cells.items() if value is not None}
    return Table.of_facts("Facts", f"knotwork describe {words}", known).as_json()


def cost(network: Network, words: str) -> Data:
    """Estimated area and frequency, or why there is no estimate."""
    title, command = "Estimated cost", f"knotwork describe {words} --cost"
    try:
        told = estimated_cost(network).cells()
    except ConfigurationError as error:
        return {"title": title, "command": command, "reason": str(error)}
    return Table.of_facts(title, command, told).as_json()


def check(network: Network, words: str) -> Data:
    """Outcome of the deadlock check, or why there is none."""
    title, command = "Freedom from deadlock", f"knotwork check {words}"
    try:
        told = deadlock_answer(network.deadlock_report)
    except ConfigurationError as error:
        return {"title": title, "command": command, "reason": str(error)}
    cycle = told.pop("cycle")
    if cycle:
        told["cycle"] = cycle
    told = {key: value for key, value in told.items() if value is not None}
    return Table.of_facts(title, command, told).as_json()


def proofs(network: Network, words: str) -> Data:
    """Command that proves the routers, or why there are no proofs."""
    try:
        require_proofs(network)
    except ConfigurationError as error:
        return {"reason": str(error)}
    return {"command": f"knotwork verify {words}", "every": f"knotwork verify {words} --all"}


def comparison(networks: Sequence[Network], words: Sequence[str]) -> Data | None:
    """Facts of several networks side by side, as `compare` tells them; None for one network."""
    if len(networks) < 2:
        return None
    cells = [compare_network(network, list(GROUPS)).cells() for network in networks]
    known = dict.fromkeys(fact for facts in cells for fact in facts)
    rows = [(fact.replace("_", " "), *(facts.get(fact, "") for facts in cells)) for fact in known]
    columns = ("fact", *(network.name for network in networks))
    command = f"knotwork compare {' '.join(words)}"
    return Table.of_rows("Side by side", command, columns, rows).as_json()
