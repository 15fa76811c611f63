"""Rules that Numba compiles: their mark, and calls by their addresses."""

from random import Random

import numpy as np
import pytest
from knotwork import Moebius, Network, Tcpg, WkRecursive
from knotwork.routing.compiled import compilable as marks
from knotwork.routing.compiled import numba_compiler
from knotwork.routing.compiled.calls import (
    broadcast_rule_address,
    call_broadcast_rule,
    call_rule,
    kept_on_disk,
    rule_address,
)
from knotwork.routing.compiled.compilable import compilable, register_marked


def test_functions_are_registered_whether_marked_before_or_after(monkeypatch):
    monkeypatch.setattr(marks, "_marked", [])
    monkeypatch.setattr(marks, "_registrars", [])

    @compilable
    def before(number):
        return number + 1

    registered = []
    register_marked(registered.append)
    assert registered == [before]

    @compilable
    def after(number):
        return number + 2

    assert registered == [before, after]
    assert (before(1), after(1)) == (2, 3)


NETWORKS = [
    Network(Moebius(n=5), routing="spr"),
    Network(WkRecursive(w=3, levels=3)),
    Network(Tcpg(k=2, m=2)),
]


@kept_on_disk(_nrt=False)
def ask(address, parameters, router, port, channel_class, destination):
    return call_rule(address, parameters, router, port, channel_class, destination)


@kept_on_disk(_nrt=False)
def ask_for_copy(address, parameters, router, port, channel_class, label, source, output):
    return call_broadcast_rule(
        address, parameters, router, port, channel_class, label, source, output
    )


@pytest.mark.parametrize("network", NETWORKS, ids=lambda network: network.name)
def test_a_rule_called_by_its_address_says_what_it_says(network):
    routing, nodes, dice = network.routing, network.topology.nodes, Random(1)
    address, numbers = rule_address(routing.rule), np.ascontiguousarray(routing.parameters)
    for _ in range(300):
        source, destination = dice.randrange(nodes), dice.randrange(nodes)
        answer = ask(address, numbers.ctypes.data, source, 0, 0, destination)
        assert answer == tuple(routing.rule(numbers, source, 0, 0, destination))
    if routing.broadcast is None:
        return
    rule, ports = routing.broadcast.rule, len(network.topology.ports)
    for _ in range(300):
        source, output = dice.randrange(nodes), dice.randrange(1, ports)
        answer = ask_for_copy(
            broadcast_rule_address(rule), numbers.ctypes.data, source, 0, 0, 0, source, output
        )
        assert answer == tuple(rule(numbers, source, 0, 0, 0, source, output))


def test_a_users_rule_is_compiled_once_for_all_processes(monkeypatch, tmp_path):
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))
    compiled, compile_rule = [], numba_compiler.compile_rule

    def count(rule, signature):
        compiled.append(rule)
        return compile_rule(rule, signature)

    monkeypatch.setattr(numba_compiler, "compile_rule", count)

    def answer(step):
        """Answer of a rule that was defined anew, as in another process."""

        def rule(parameters, router, port, channel_class, destination):
            return router + step, destination - parameters[0]

        rule.__module__ = "mine"
        numbers = np.array([3])
        return ask(rule_address(rule), numbers.ctypes.data, 5, 0, 0, 9)

    assert (answer(1), answer(1), answer(2)) == ((6, 6), (6, 6), (7, 6))
    assert len(compiled) == 2
