"""Outputs that flits from an input port can take, and the ways that packets have together."""

from typing import NamedTuple

import numpy as np

from .network import Network, RouterKind
from .routing import Turn
from .routing.compiled.tables import CLASSES, UNREACHED


class OutputClass(NamedTuple):
    """Output that a flit turns to, and its class there; it stays in its lane."""

    output: int
    out_class: int


def output_classes(network: Network, kind: RouterKind, port: int) -> list[OutputClass]:
    """Outputs, and classes there, that flits from an input port can take; sorted."""
    turns = [turn for turn in kind.turns if turn.input_port == port]
    return sorted({output_class_of(network, turn) for turn in turns})


def output_class_of(network: Network, turn: Turn) -> OutputClass:
    """Output of a turn, and its class there."""
    return OutputClass(turn.output_port, turn.output_vc % network.routing.classes)


def way_combinations(
    network: Network, kind: RouterKind, port: int
) -> tuple[tuple[OutputClass, ...], ...]:
    """Ways that packets from an input port of a router have together; each once.

    Of each packet its first way, and then its `other_ways`; at its node's router all are one. Of a
    packet that has escaped only the last is meant: there is a combination that ends with its way.
    """
    routing, topology = network.routing, network.topology
    members = np.nonzero(network.router_number == network.router_number[kind.router])[0]
    count, escape = 1 + len(routing.other_ways), routing.escape_class
    own = set(output_classes(network, kind, port))  # those of another class of traffic are not
    found, escaped = set[tuple[OutputClass, ...]](), set[OutputClass]()
    for vc in kind.input_vcs(port):
        number = vc % routing.classes
        chooses = escape is not None and number < escape
        numbers = [number, *(routing.other_ways if chooses else ())]
        answers = np.moveaxis(routing.answer_table[members, port][:, numbers], 1, 2)
        rows = answers[answers[..., 0] != UNREACHED]
        for row in np.unique(rows, axis=0).tolist():
            ways = [OutputClass(*divmod(one, CLASSES)) for one in row]
            if ways[0] not in own:
                continue
            if not chooses:
                escaped.add(ways[0])
            elif topology.is_local(ways[0].output):
                found.add((ways[0],) * count)
            else:
                found.add(tuple(ways))
        if (error := kind.error_turn(port, vc)) is not None:
            found.add((output_class_of(network, error),) * count)
    found |= {(way,) * count for way in escaped - {one[-1] for one in found}}
    return tuple(sorted(found))
