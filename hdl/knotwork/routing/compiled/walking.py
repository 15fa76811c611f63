"""Walks of the packets of all pairs by a rule that may be wrong: all at once, a hop at a time."""

from typing import NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from ..rules import Rule
from .asking import Ask, States, entries
from .tables import CLASSES, UNASKED

_MANY = 64  # states for one in a front from which on marking them takes less than sorting


class RuleUse(NamedTuple):
    """Rule as a routing uses it.

    Members
    -------
    owner : str
        Start of an error's line: ``ring: routing=shortest``.
    rule : callable
        See `routing.rules`.
    parameters : ndarray
        Its parameters, int64.
    topology : Topology
        Network.
    classes : int
        Classes of virtual channels.
    escape : int or None
        Class to which a blocked packet may go.
    starts : tuple of int
        Classes in which packets start.
    is_alone : bool
        Whether no rule of broadcasts reads the same parameters.
    """

    owner: str
    rule: Rule
    parameters: np.ndarray
    topology: Topology
    classes: int
    escape: int | None
    starts: tuple[int, ...]
    is_alone: bool = True

    @property
    def states(self) -> int:
        """Number of states that there are."""
        return self.topology.neighbours.size * self.classes * self.topology.nodes

    def refusal(self, row: tuple[int, int, int, int], what: str) -> ConfigurationError:
        """Error for what the rule does in a state: router, input port, class and destination."""
        router, port, _, destination = row
        by = f"by port {self.topology.ports[port]}"
        if self.topology.is_local(port):
            by = "from its node"
        return ConfigurationError(
            f"{self.owner}: at router {router}, for a packet to {destination} {by}, {what}"
        )


def answers_to(use: RuleUse, ask: Ask, destinations: np.ndarray) -> np.ndarray:
    """Answers of a rule to packets to some destinations, int16; the walks of all end.

    Returns
    -------
    ndarray
        Of shape (routers, ports, classes, destinations), see `checking.CheckedRule`.
    """
    routers, ports = use.topology.neighbours.shape
    shape = (routers, ports, use.classes, len(destinations))
    answers = np.full(shape, UNASKED, np.int16)
    after = np.full(answers.size, -1, np.int32)  # state to which a packet goes on; -1 for none
    asked = np.zeros(answers.size, bool)
    node, start, column = np.indices((use.topology.nodes, len(use.starts), len(destinations)))
    router, port = (place[node] for place in use.topology.node_ports_table)
    vc_class = np.array(use.starts)[start]
    front = np.ravel_multi_index((router, port, vc_class, column), shape).ravel()
    while len(front):
        front = _with_escapes(use, front, shape)
        front = _in_order(front[~asked[front]], answers.size)
        asked[front] = True
        router, port, vc_class, column = np.unravel_index(front, shape)
        states = States(router, port, vc_class, destinations[column])
        outputs, out_classes = ask(states)
        _require_sound(use, states, outputs, out_classes)
        answers.flat[front] = entries(outputs, out_classes)
        goes = ~use.topology.is_local(outputs)
        link = states.router[goes], outputs[goes]
        reached = use.topology.neighbours[link], use.topology.peer_ports[link]
        then = np.ravel_multi_index((*reached, out_classes[goes], column[goes]), shape)
        after[front[goes]] = then
        front = then
    _require_ends(use, after, answers, destinations)
    return answers


def _in_order(numbers: np.ndarray, limit: int) -> np.ndarray:
    """Numbers below a limit in order, each once; by a mark for each where they are many."""
    if len(numbers) * _MANY < limit:
        return np.unique(numbers)
    marked = np.zeros(limit, bool)
    marked[numbers] = True
    return np.flatnonzero(marked)


def _with_escapes(use: RuleUse, front: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """States, and those in which packets in them ask for their escape."""
    if use.escape is None:
        return front
    router, port, vc_class, column = np.unravel_index(front, shape)
    escape = np.full_like(vc_class, use.escape)
    return np.concatenate([front, np.ravel_multi_index((router, port, escape, column), shape)])


def _require_sound(
    use: RuleUse, states: States, outputs: np.ndarray, out_classes: np.ndarray
) -> None:
    """Refuse answers that name no link or class, or eject a packet at the wrong node."""
    topology = use.topology
    ports = len(topology.ports)
    in_range = (outputs >= 0) & (outputs < ports)
    linked = topology.neighbours[states.router, np.where(in_range, outputs, 0)] >= 0
    lost = ~in_range | ~topology.is_local(outputs) & ~linked
    if lost.any():
        row, place = first_state(states, lost)
        asked = int(outputs[place])
        named = _port_text(use, row[0], asked)
        raise use.refusal(row, f"the port must have a link, not be {named}")
    wrong = (out_classes < 0) | (out_classes >= use.classes)
    if wrong.any():
        row, place = first_state(states, wrong)
        text = f"the class must be in 0..{use.classes - 1}, not {int(out_classes[place])}"
        raise use.refusal(row, text)
    ends, ports_there = (place[states.destination] for place in topology.node_ports_table)
    ejects = topology.is_local(outputs)
    away = ejects & ((states.router != ends) | (outputs != ports_there))
    if away.any():
        row, place = first_state(states, away)
        named = topology.ports[int(outputs[place])]
        raise use.refusal(row, f"the port must lead on to {row[3]}, not be {named}")
    if use.escape is not None:
        leaves = (states.channel_class == use.escape) & (out_classes != use.escape)
        leaves &= ~ejects
        if leaves.any():
            row, place = first_state(states, leaves)
            text = f"the class must stay {use.escape}, the escape class, not become "
            raise use.refusal(row, text + str(int(out_classes[place])))


def _port_text(use: RuleUse, router: int, port: int) -> str:
    ports = use.topology.ports
    if not 0 <= port < len(ports):
        return f"{port}, beyond the last port {len(ports) - 1}" if port > 0 else str(port)
    return f"{ports[port]}, which router {router} has not"


def first_state(states: States, faults: np.ndarray) -> tuple[tuple[int, int, int, int], int]:
    """First state with a fault, and its place."""
    place = int(np.argmax(faults))
    router, port, vc_class, destination = (int(column[place]) for column in states)
    return (router, port, vc_class, destination), place


def _require_ends(
    use: RuleUse,
    after: np.ndarray,
    answers: np.ndarray,
    destinations: np.ndarray,
) -> None:
    """Refuse a rule by which a packet goes round for ever: from its node, if one does."""
    asked = np.nonzero(answers.ravel() != UNASKED)[0]
    number = np.full(len(after) + 1, len(asked), np.int32)
    number[asked] = np.arange(len(asked), dtype=np.int32)
    way = np.append(number[after[asked]], np.int32(len(asked)))  # -1 is the last entry of `number`
    for _ in range(len(asked).bit_length()):  # each time twice as many hops as before
        way = way[way]
    endless = np.nonzero(way[:-1] < len(asked))[0]
    if len(endless):
        router, port, vc_class, column = np.unravel_index(asked[endless], answers.shape)
        first = int(np.argmin(port))  # a packet that its node sends, before one that escaped
        row = int(router[first]), int(port[first]), int(vc_class[first])
        target = int(destinations[column[first]])
        ring = int(asked[way[endless[first]]])
        turns = int(np.unravel_index(ring, answers.shape)[0])
        output = use.topology.ports[int(answers.flat[ring]) // CLASSES]
        loop = f"not round in a loop by port {output} of router {turns}"
        if use.topology.is_local(row[1]):
            source = int(use.topology.local_nodes[row[0], row[1]])
            raise ConfigurationError(
                f"{use.owner} must bring a packet from {source} to {target}, {loop}"
            )
        raise use.refusal((*row, target), f"the rule must bring it to its node, {loop}")
