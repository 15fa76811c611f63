"""Check of a rule that a user wrote: every packet's walk must end, and end at its node.

The walks of all pairs advance together, a hop at a time. A rule is asked wherever a packet comes,
in Python where the network is small enough; the answers then are its table. In a larger network
Numba must compile it.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ..rules import Rule
from .asking import States, compiled, entries, guarded, in_python
from .tables import CLASSES, UNASKED, looked_up, packed
from .walking import RuleUse, answers_to, first_state

TABLE_LIMIT = 2**23
"""States (router, input port, class, destination) up to which a rule is asked in Python."""
WALK_LIMIT = 2**28
"""States up to which all pairs are walked, and tables made; above, `SAMPLES` destinations are."""
SAMPLES = 64
"""Destinations that stand for all in larger networks."""
_BLOCK = 2**22  # states whose walks advance together: bounds the memory
_COMPARED = 2**14  # states where a compiled rule is compared with the same in Python


class CheckedRule(NamedTuple):
    """Rule whose walks end, as compiled loops follow it.

    Members
    -------
    rule : callable
        Rule itself, guarded, or the lookup in its table.
    parameters : ndarray
        Parameters of that rule, int64.
    table : ndarray or None
        Its answers, int16 of shape (routers, ports, classes, nodes): ``8 * output port + class``,
        -1 where no packet comes. None where there are too many.
    """

    rule: Rule
    parameters: np.ndarray
    table: np.ndarray | None


def check_rule(use: RuleUse) -> CheckedRule:
    """Walk the packets of all pairs, or in a very large network those to some destinations.

    Raises
    ------
    ConfigurationError
        The rule raises, does not answer, or answers with a port or class that is not there; a walk
        ends at the wrong node, or goes round for ever. Names router, destination and port.
    """
    _require_numbers(use)
    if use.states <= TABLE_LIMIT:
        ask = in_python(use.rule, use.parameters, use.refusal)
        table = answers_to(use, ask, np.arange(use.topology.nodes))
        if use.is_alone:
            return CheckedRule(looked_up, packed(table), table)
        return CheckedRule(use.rule, use.parameters, table)
    rule = guarded(use.rule, len(use.topology.ports), use.classes)
    ask = compiled(_address(use, rule), use.parameters)
    first = None
    for destinations in _blocks(use):
        answers = answers_to(use, ask, destinations)
        if first is None:
            first = answers, destinations
    if first is not None:
        _compare(use, *first)
    return CheckedRule(rule, use.parameters, None)


def answer_table(use: RuleUse) -> np.ndarray:
    """Table of a rule that is known to be sound, see `CheckedRule.table`.

    Raises
    ------
    ConfigurationError
        The network is too large for one.
    """
    if use.states > WALK_LIMIT:
        raise ConfigurationError(
            f"{use.owner} must have gates of its own in a network with more than {WALK_LIMIT} "
            f"states (router, input port, class, destination), not a table of {use.states}"
        )
    if use.states <= TABLE_LIMIT:
        ask = in_python(use.rule, use.parameters, use.refusal)
        return answers_to(use, ask, np.arange(use.topology.nodes))
    ask = compiled(_address(use, use.rule), use.parameters)
    routers, ports = use.topology.neighbours.shape
    table = np.empty((routers, ports, use.classes, use.topology.nodes), np.int16)
    for destinations in _blocks(use):
        table[..., destinations] = answers_to(use, ask, destinations)
    return table


def _require_numbers(use: RuleUse) -> None:
    """Refuse classes that are not there, and a rule that cannot be called."""
    if not callable(use.rule):
        raise ConfigurationError(
            f"{use.owner} must have a function as its rule, not {type(use.rule).__name__}"
        )
    if use.classes > CLASSES:
        raise ConfigurationError(
            f"{use.owner} must have at most {CLASSES} classes, not {use.classes}"
        )
    allowed = range(use.classes)
    for what, classes in (("escape", (use.escape,)), ("injection", use.starts)):
        for one in classes:
            if one is not None and one not in allowed:
                raise ConfigurationError(
                    f"{use.owner} must have its {what} class in 0..{use.classes - 1}, not {one!r}"
                )


def _address(use: RuleUse, rule: Rule) -> int:
    """Address of a rule that Numba compiles."""
    from .calls import rule_address

    try:
        return rule_address(rule)
    except Exception as error:  # Numba's errors have no common base that is public
        lines = [line.strip() for line in str(error).splitlines()]
        reasons = [line for line in lines if line and "pipeline" not in line]
        raise ConfigurationError(
            f"{use.owner} must be a rule that Numba compiles in a network with {use.states} states "
            f"(in plain Python up to {TABLE_LIMIT}): {(reasons or [type(error).__name__])[0]}"
        ) from None


def _blocks(use: RuleUse) -> Iterator[np.ndarray]:
    """Destinations whose walks are checked, so many at a time as fit into memory."""
    nodes = use.topology.nodes
    chosen = np.arange(nodes)
    if use.states > WALK_LIMIT:
        chosen = np.unique(np.linspace(0, nodes - 1, SAMPLES).astype(np.int64))
    width = max(1, _BLOCK * nodes // use.states)
    return (chosen[first : first + width] for first in range(0, len(chosen), width))


def _compare(use: RuleUse, answers: np.ndarray, destinations: np.ndarray) -> None:
    """Refuse a rule that answers otherwise in Python: it has a number beyond 64 bits, say."""
    asked = np.nonzero(answers.ravel() != UNASKED)[0]
    asked = asked[:: max(1, len(asked) // _COMPARED)]
    router, port, vc_class, column = np.unravel_index(asked, answers.shape)
    states = States(router, port, vc_class, destinations[column])
    found = entries(*in_python(use.rule, use.parameters, use.refusal)(states))
    differs = found != answers.ravel()[asked]
    if differs.any():
        row, _ = first_state(states, differs)
        raise use.refusal(row, "the rule must answer compiled as in plain Python, not otherwise")
