"""Check of a rule that a user wrote: every packet's walk must end, and end at its node.

The walks of all pairs advance together, a hop at a time. The rule is called wherever a packet
comes, in Python where the network is small enough; its answers become a table. In a larger network
Numba must compile it. A rule in plain Python may raise, answer with something else than two
integers, or never answer. A compiled one may raise, or give numbers that are no port or class. Both
may draw or count, and answer otherwise the next time.
"""

import operator
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ...errors import ConfigurationError
from ...topology import Topology
from ..draws import MOST_DRAWS, marked_numbers
from ..rules import Rule
from .compilable import compilable, is_marked
from .tables import CLASSES, UNREACHED, look_up, pack_table

PATIENCE = 2
"""Seconds of computing in which a rule must answer."""

WRONG = -1
"""Output port that stands for an exception in a compiled rule."""

_RANGE = 2**31  # numbers beyond are neither ports nor classes, and fit into no array


class States(NamedTuple):
    """Where a rule is called: arrays of equal length, int64.

    Members
    -------
    router, port, channel_class, destination : ndarray
        Arguments of the rule, its parameters left out.
    """

    router: np.ndarray
    port: np.ndarray
    channel_class: np.ndarray
    destination: np.ndarray


RuleCall = Callable[[States], tuple[np.ndarray, np.ndarray]]
"""What answers states with their output ports and classes, int64."""

Refuse = Callable[[tuple[int, int, int, int], str], ConfigurationError]
"""Error for a rule that does the wrong thing in a state; the text is what it must do."""


class _EndlessError(BaseException):  # a rule may catch every Exception
    pass


def python_calls(rule: Rule, parameters: np.ndarray, refuse: Refuse) -> RuleCall:
    """Calls of a rule in plain Python; they raise what `refuse` makes of the first fault."""
    numbers = parameters.copy()
    numbers.setflags(write=False)

    def call(states: States) -> tuple[np.ndarray, np.ndarray]:
        rows = list(zip(*(column.tolist() for column in states), strict=True))
        answers: list[Any] = []
        try:
            with _patience(answers), np.errstate(all="raise"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for row in rows:
                    answers.append(rule(numbers, *row))
        except KeyboardInterrupt:
            raise
        except _EndlessError:
            raise refuse(
                rows[len(answers)], f"the rule must return within {PATIENCE} seconds, not run on"
            ) from None
        except BaseException as error:  # SystemExit too: it is the rule's
            said = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
            raise refuse(rows[len(answers)], f"the rule must return, not raise {said}") from None
        made = _as_array(answers)
        if made is None:
            made = np.array(
                [_pair(answer, row, refuse) for answer, row in zip(answers, rows, strict=True)],
                np.int64,
            ).reshape(-1, 2)
        return made[:, 0], made[:, 1]

    return call


def _as_array(answers: list[Any]) -> np.ndarray | None:
    """Answers as an array, if all of them are pairs of small integers; None if not."""
    try:
        made = np.array(answers)
    except (ValueError, OverflowError):
        return None
    fits = made.dtype.kind == "i" and made.ndim == 2 and made.shape[1] == 2
    return made if fits and (abs(made) < _RANGE).all() else None


def _pair(answer: Any, row: tuple[int, int, int, int], refuse: Refuse) -> tuple[int, int]:
    """Two integers that a rule answered; numbers that no port or class has become -2."""
    try:
        output, out_class = answer
        pair = operator.index(output), operator.index(out_class)
    except Exception:  # an answer may be anything
        shown = repr(answer) if len(repr(answer)) <= 60 else type(answer).__name__
        text = f"the rule must return two integers, a port and a class, not {shown}"
        raise refuse(row, text) from None
    for number in pair:
        if abs(number) >= _RANGE:
            text = f"a port and a class, not a number of {number.bit_length()} bits"
            raise refuse(row, f"the rule must return two integers, {text}")
    return pair


@contextmanager
def _patience(answers: list[Any]) -> Iterator[None]:
    """Raise `_EndlessError` in this block once it computes for too long without a new answer.

    Only the main thread can be interrupted so, and only where the system has such a clock.
    """
    main = threading.current_thread() is threading.main_thread()
    if not main or not hasattr(signal, "SIGVTALRM"):
        yield
        return
    before = -1

    def look(*_: object) -> None:
        nonlocal before
        if len(answers) == before:
            raise _EndlessError
        before = len(answers)

    kept = signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE / 2, PATIENCE / 2)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, kept)


@cache
def guard_rule(rule: Rule, ports: int, classes: int) -> Rule:
    """Rule that calls another one, and answers (`WRONG`, 0) where that raises or is out of range.

    Both are compiled together; the loops that follow it index arrays by its answers.
    """
    if not is_marked(rule):
        compilable(rule)

    @compilable
    def call(parameters, router, port, channel_class, destination):
        try:
            output, out_class = rule(parameters, router, port, channel_class, destination)
        except Exception:
            return -1, 0
        if output < 0 or output >= ports or out_class < 0 or out_class >= classes:
            return -1, 0
        return output, out_class

    return call


def compiled_calls(address: int, numbers: np.ndarray) -> RuleCall:
    """Calls of a compiled rule."""
    from .rule_loop import answer_states

    def call(states: States) -> tuple[np.ndarray, np.ndarray]:
        answers = np.empty((2, len(states.router)), np.int64)
        answer_states(address, numbers, *(np.ascontiguousarray(part) for part in states), answers)
        return answers[0], answers[1]

    return call


def table_entries(outputs: np.ndarray, out_classes: np.ndarray) -> np.ndarray:
    """Entries of a table of answers."""
    return outputs * CLASSES + out_classes


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
    rule_classes : int
        Numbers that may stand for a packet's class where the rule is called: the classes first.
    other_ways : tuple of int
        Those that ask for a blocked packet's other ways.
    escape : int or None
        First of the escape classes.
    starts : tuple of int
        Classes in which packets start.
    draws : int
        Numbers between which a source draws.
    numbers : int
        Numbers that a header may have: there are so many times as many destinations.
    written : ndarray or None
        See `Routing.written`.
    is_unicast_only : bool
        Whether no rule of broadcasts reads the same parameters.
    """

    owner: str
    rule: Rule
    parameters: np.ndarray
    topology: Topology
    classes: int
    rule_classes: int
    other_ways: tuple[int, ...]
    escape: int | None
    starts: tuple[int, ...]
    draws: int = 1
    numbers: int = 1
    written: np.ndarray | None = None
    is_unicast_only: bool = True

    @property
    def states(self) -> int:
        """Number of states that there are."""
        return self.topology.neighbours.size * self.rule_classes * self.labels

    @property
    def labels(self) -> int:
        """Destinations with which the rule may be called, see `Routing.labels`."""
        return self.topology.nodes * self.numbers

    def refusal(self, row: tuple[int, int, int, int], what: str) -> ConfigurationError:
        """Error for what the rule does in a state: router, input port, class and destination."""
        router, port, _, destination = row[0], row[1], row[2], row[3] % self.topology.nodes
        by = f"by port {self.topology.ports[port]}"
        if self.topology.is_local(port):
            by = "from its node"
        return ConfigurationError(
            f"{self.owner}: at router {router}, for a packet to {destination} {by}, {what}"
        )


def answers_to(
    use: RuleUse, call: RuleCall, destinations: np.ndarray, *, again: bool = False
) -> np.ndarray:
    """Answers of a rule to packets to some destinations, int16; the walks of all end.

    Parameters
    ----------
    use : RuleUse
        Rule.
    call : RuleCall
        What answers.
    destinations : ndarray
        Nodes, int64.
    again : bool
        Whether it is called a second time, and must return the same.

    Returns
    -------
    ndarray
        Of shape (routers, ports, classes, destinations), see `checking.CheckedRule`.
    """
    routers, ports = use.topology.neighbours.shape
    shape = (routers, ports, use.rule_classes, len(destinations))
    answers = np.full(shape, UNREACHED, np.int16)
    after = np.full(answers.size, -1, np.int32)  # state to which a packet goes on; -1 for none
    visited = np.zeros(answers.size, bool)
    node, start, column = np.indices((use.topology.nodes, len(use.starts), len(destinations)))
    router, port = (place[node] for place in use.topology.node_ports_table)
    vc_class = np.array(use.starts)[start]
    front = np.ravel_multi_index((router, port, vc_class, column), shape)
    front = front[_is_written(use, node, destinations[column])]
    while len(front):
        front = _with_other_ways(use, front, shape)
        front = _in_order(front[~visited[front]], answers.size)
        visited[front] = True
        router, port, vc_class, column = np.unravel_index(front, shape)
        states = States(router, port, vc_class, destinations[column])
        outputs, out_classes = call(states)
        _require_sound(use, states, outputs, out_classes)
        answers.flat[front] = table_entries(outputs, out_classes)
        goes = ~use.topology.is_local(outputs)
        link = states.router[goes], outputs[goes]
        reached = use.topology.neighbours[link], use.topology.peer_ports[link]
        then = np.ravel_multi_index((*reached, out_classes[goes], column[goes]), shape)
        after[front[goes]] = then
        front = then
    if again:
        _require_same(use, call, answers, destinations)
    _require_ends(use, after, answers, destinations)
    _require_ends_by_all_ways(use, after, answers, destinations)
    return answers


def _is_written(use: RuleUse, nodes: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Whether packets of nodes may have labels: their sources write the numbers."""
    if use.written is None:
        return np.full(labels.shape, True)
    numbers, ends = np.divmod(labels, use.topology.nodes)
    routers = use.topology.node_ports_table[0]
    return marked_numbers(np.asarray(use.written), use.numbers)[
        routers[nodes], routers[ends], numbers
    ]


def _in_order(numbers: np.ndarray, limit: int) -> np.ndarray:
    """Numbers below a limit in order, each once; by a mark for each where they are many."""
    if len(numbers) * _MANY < limit:
        return np.unique(numbers)
    marked = np.zeros(limit, bool)
    marked[numbers] = True
    return np.flatnonzero(marked)


def _with_other_ways(use: RuleUse, front: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """States, and those in which packets in them ask for their other ways."""
    if use.escape is None:
        return front
    router, port, vc_class, column = np.unravel_index(front, shape)
    may_choose = vc_class < use.escape
    places = router[may_choose], port[may_choose], column[may_choose]
    asks = [
        np.ravel_multi_index((*places[:2], np.full_like(places[0], way), places[2]), shape)
        for way in use.other_ways
    ]
    return np.concatenate([front, *asks])


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
        named = _port_text(use, row[0], int(outputs[place]))
        raise use.refusal(row, f"the port must have a link, not be {named}")
    wrong = (out_classes < 0) | (out_classes >= use.classes)
    if wrong.any():
        row, place = first_state(states, wrong)
        text = f"the class must be in 0..{use.classes - 1}, not {int(out_classes[place])}"
        raise use.refusal(row, text)
    there = states.destination % topology.nodes
    ends, ports_there = (place[there] for place in topology.node_ports_table)
    ejects = topology.is_local(outputs)
    away = ejects & ((states.router != ends) | (outputs != ports_there))
    if away.any():
        row, place = first_state(states, away)
        named = topology.ports[int(outputs[place])]
        raise use.refusal(row, f"the port must lead to {row[3] % topology.nodes}, not be {named}")
    if use.escape is not None:
        is_last_way = states.channel_class == use.other_ways[-1]
        inside = (states.channel_class >= use.escape) & (states.channel_class < use.classes)
        leaves = (is_last_way | inside) & (out_classes < use.escape) & ~ejects
        if leaves.any():
            row, place = first_state(states, leaves)
            rule = f"the class must stay {use.escape}, the escape class, not become "
            if use.escape < use.classes - 1:
                rule = f"the class must be at least {use.escape}, an escape class, not "
            raise use.refusal(row, rule + str(int(out_classes[place])))


def _require_same(
    use: RuleUse, call: RuleCall, answers: np.ndarray, destinations: np.ndarray
) -> None:
    """Refuse a rule that returns something else when it is called again.

    Backwards, so that a rule that alternates with each call is found whatever their number.
    """
    visited = np.nonzero(answers.ravel() != UNREACHED)[0]
    visited = visited[:: -max(1, len(visited) // _CALLED_AGAIN)]
    router, port, vc_class, column = np.unravel_index(visited, answers.shape)
    states = States(router, port, vc_class, destinations[column])
    before = np.divmod(answers.ravel()[visited], CLASSES)
    after = call(states)
    differs = (before[0] != after[0]) | (before[1] != after[1])
    if differs.any():
        row, place = first_state(states, differs)
        ports = use.topology.ports
        first, then = (
            f"{ports[output] if 0 <= output < len(ports) else output} in class {out_class}"
            for output, out_class in ((int(o[place]), int(c[place])) for o, c in (before, after))
        )
        raise use.refusal(
            row, f"the rule must return the same whenever it is called, not {first} and then {then}"
        )


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
    visited = np.nonzero(answers.ravel() != UNREACHED)[0]
    number = np.full(len(after) + 1, len(visited), np.int32)
    number[visited] = np.arange(len(visited), dtype=np.int32)
    way = np.append(
        number[after[visited]], np.int32(len(visited))
    )  # -1 is the last entry of `number`
    for _ in range(len(visited).bit_length()):  # each time twice as many hops as before
        way = way[way]
    endless = np.nonzero(way[:-1] < len(visited))[0]
    if len(endless):
        router, port, vc_class, column = np.unravel_index(visited[endless], answers.shape)
        first = int(np.argmin(port))  # a packet that its node sends, before one that escaped
        row = int(router[first]), int(port[first]), int(vc_class[first])
        target = int(destinations[column[first]]) % use.topology.nodes
        ring = int(visited[way[endless[first]]])
        turns = int(np.unravel_index(ring, answers.shape)[0])
        output = use.topology.ports[int(answers.flat[ring]) // CLASSES]
        loop = f"not round in a loop by port {output} of router {turns}"
        if use.topology.is_local(row[1]):
            source = int(use.topology.local_nodes[row[0], row[1]])
            raise ConfigurationError(
                f"{use.owner} must bring a packet from {source} to {target}, {loop}"
            )
        raise use.refusal(
            (*row, target), f"the rule must bring the packet to its destination, {loop}"
        )


def _require_ends_by_all_ways(
    use: RuleUse, after: np.ndarray, answers: np.ndarray, destinations: np.ndarray
) -> None:
    """Refuse ways between which a blocked packet could choose so that it goes round for ever."""
    if use.escape is None or len(use.other_ways) == 1:  # a single escape was walked as it is
        return
    # A row for each state of packets in the classes below, with what each of its ways leads to.
    visited = answers != UNREACHED
    places = np.argwhere(visited[:, :, : use.escape])
    router, port, vc_class, column = places.T
    ways = [vc_class, *(np.full_like(vc_class, way) for way in use.other_ways)]
    states = [np.ravel_multi_index((router, port, way, column), answers.shape) for way in ways]
    reached = np.stack([after[state] for state in states])
    row = np.full(answers.size + 1, -1, np.int32)  # of ejections and of escaped packets none
    row[states[0]] = np.arange(len(places))
    leads = row[reached]
    left = np.full(len(places) + 1, True)
    left[-1] = False
    while (goes_on := left[leads].any(axis=0)).sum() < left.sum():
        left[:-1] = goes_on
    if left.any():
        first = int(np.argmax(left))
        way = int(np.argmax(left[leads[:, first]]))
        output = use.topology.ports[int(answers.flat[states[way][first]]) // CLASSES]
        row_at = (int(router[first]), int(port[first]), int(vc_class[first]))
        raise use.refusal(
            (*row_at, int(destinations[column[first]])),
            f"no choice of ways must lead round in a loop, as one by port {output} does",
        )


TABLE_LIMIT = 2**23
"""States (router, input port, class, destination) up to which a rule is called in Python."""
WALK_LIMIT = 2**28
"""States up to which all pairs are walked, and tables made; above, `SAMPLES` destinations are."""
SAMPLES = 64
"""Destinations that stand for all in larger networks."""
_BLOCK = 2**22  # states whose walks advance together: bounds the memory
_COMPARED = 2**14  # states where a compiled rule is compared with the same in Python
_CALLED_AGAIN = 2**18  # states where a rule is called twice


class CheckedRule(NamedTuple):
    """Rule whose walks end, as compiled loops follow it.

    Members
    -------
    rule : callable
        Rule itself, guard_rule, or the lookup in its table.
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
        The rule raises, does not answer, answers with a port or class that is not there, or answers
        otherwise when it is called again; a walk ends at the wrong node, or goes round for ever.
        Names router, destination and port.
    """
    _require_numbers(use)
    if use.states <= TABLE_LIMIT:
        call = python_calls(use.rule, use.parameters, use.refusal)
        table = answers_to(use, call, np.arange(use.labels), again=True)
        if use.is_unicast_only:
            return CheckedRule(look_up, pack_table(table), table)
        return CheckedRule(use.rule, use.parameters, table)
    rule = guard_rule(use.rule, len(use.topology.ports), use.classes)
    call = compiled_calls(_address(use, rule), use.parameters)
    first = None
    for destinations in _blocks(use):
        answers = answers_to(use, call, destinations, again=True)
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
        call = python_calls(use.rule, use.parameters, use.refusal)
        return answers_to(use, call, np.arange(use.labels))
    call = compiled_calls(_address(use, use.rule), use.parameters)
    routers, ports = use.topology.neighbours.shape
    table = np.empty((routers, ports, use.rule_classes, use.labels), np.int16)
    for destinations in _blocks(use):
        table[..., destinations] = answers_to(use, call, destinations)
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
    if use.draws not in range(1, MOST_DRAWS + 1):
        raise ConfigurationError(
            f"{use.owner} must draw between 1 and {MOST_DRAWS} numbers, not {use.draws!r}"
        )
    _require_written(use)
    allowed = range(use.classes)
    for what, classes in (("escape", (use.escape,)), ("injection", use.starts)):
        for one in classes:
            if one is not None and one not in allowed:
                raise ConfigurationError(
                    f"{use.owner} must have its {what} class in 0..{use.classes - 1}, not {one!r}"
                )


def _require_written(use: RuleUse) -> None:
    """Refuse numbers that no header has."""
    if use.written is None:
        if use.numbers != use.draws:
            raise ConfigurationError(
                f"{use.owner} must have as many numbers as draws, or say which are written, not "
                f"{use.numbers!r} for {use.draws}"
            )
        return
    if use.numbers not in range(1, MOST_DRAWS + 1):
        raise ConfigurationError(
            f"{use.owner} must write between 1 and {MOST_DRAWS} numbers, not {use.numbers!r}"
        )
    try:
        table = np.asarray(use.written)
    except ValueError:  # rows of several lengths
        table = np.empty(0, object)
    shape = use.topology.routers, use.topology.routers, use.draws
    if table.shape != shape or table.dtype.kind not in "iu":
        raise ConfigurationError(
            f"{use.owner} must write integers of shape {shape}, by router, router and draw, not "
            f"{table.dtype} of {table.shape}"
        )
    if not (table >= 0).all() or not (table < use.numbers).all():
        wrong = table[(table < 0) | (table >= use.numbers)]
        raise ConfigurationError(
            f"{use.owner} must write numbers in 0..{use.numbers - 1}, not {int(wrong[0])}"
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
    chosen = np.arange(use.labels)
    if use.states > WALK_LIMIT:
        chosen = np.unique(np.linspace(0, use.labels - 1, SAMPLES).astype(np.int64))
    width = max(1, _BLOCK * use.labels // use.states)
    return (chosen[first : first + width] for first in range(0, len(chosen), width))


def _compare(use: RuleUse, answers: np.ndarray, destinations: np.ndarray) -> None:
    """Refuse a rule that answers otherwise in Python: it has a number beyond 64 bits, say."""
    visited = np.nonzero(answers.ravel() != UNREACHED)[0]
    visited = visited[:: max(1, len(visited) // _COMPARED)]
    router, port, vc_class, column = np.unravel_index(visited, answers.shape)
    states = States(router, port, vc_class, destinations[column])
    found = table_entries(*python_calls(use.rule, use.parameters, use.refusal)(states))
    differs = found != answers.ravel()[visited]
    if differs.any():
        row, _ = first_state(states, differs)
        raise use.refusal(
            row, "the compiled rule must return what plain Python returns, not something else"
        )
