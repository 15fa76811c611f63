"""Rules of a user's: refused in one line where a walk does not end at its node."""

import re
import sys

import numpy as np
import pytest
from helpers.circulant import FAR, NEXT, Circulant, Forward
from helpers.random_links import EscapingRandomRouting, RandomLinks, RandomRouting
from helpers.ring import CutRing, EscapingRingRouting, Ring
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.routing import Turn
from knotwork.routing.compiled import rule_check
from knotwork.routing.compiled.tables import CLASSES, UNREACHED

HERE = "circulant: routing=forward: at router 0, for a packet to 0 from its node, "


def of_rule(rule, kind=Forward, **members):
    return type("Wrong", (kind,), {"rule": staticmethod(rule), **members})


def refused(routing, topology=None):
    network = Network(topology or Circulant(), routing=routing)
    with pytest.raises(ConfigurationError) as refusal:
        _ = network.deadlock_report
    with pytest.raises(ConfigurationError):
        network.require_deadlock_free()
    return str(refusal.value)


def writes(parameters, *state):
    parameters[0] = 3
    return 0, 0


def never(parameters, *state):
    while True:
        try:
            while True:
                pass
        except Exception:
            continue


INTEGERS = "the rule must return two integers, a port and a class, not "


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (lambda *state: None, HERE + INTEGERS + "None"),
        (lambda *state: (1.0, 0), HERE + INTEGERS + "(1.0, 0)"),
        (lambda *state: (1, 0, 0), HERE + INTEGERS + "(1, 0, 0)"),
        (lambda *state: "ab", HERE + INTEGERS + "'ab'"),
        (lambda *state: ([], {}), HERE + INTEGERS + "([], {})"),
        (lambda *state: (10**40, 0), HERE + INTEGERS + "a number of 133 bits"),
        (lambda *state: 1 / 0, HERE + "the rule must return, not raise ZeroDivisionError: "
         "division by zero"),
        (lambda *state: sys.exit(3), HERE + "the rule must return, not raise SystemExit: 3"),
        (writes, HERE + "the rule must return, not raise ValueError: assignment destination is "
         "read-only"),
        (lambda state: (0, 0), HERE + "the rule must return, not raise TypeError: <lambda>() takes "
         "1 positional argument but 5 were given"),
        (lambda *state: (5, 0), HERE + "the port must have a link, not be 5, beyond the last port "
         "4"),
        (lambda *state: (-1, 0), HERE + "the port must have a link, not be -1"),
        (lambda *state: (1, 2), HERE + "the class must be in 0..1, not 2"),
        (lambda *state: (0, 0), "circulant: routing=forward: at router 0, for a packet to 1 from "
         "its node, the port must lead to 1, not be local"),
        (lambda *state: (1, 0), "circulant: routing=forward must bring a packet from 0 to 0, not "
         "round in a loop by port next of router 3"),
        (3, "circulant: routing=forward must have a function as its rule, not int"),
    ],
)  # fmt: skip
def test_rules_that_are_refused(rule, text):
    assert refused(of_rule(rule)) == text


def test_a_rule_that_never_answers(monkeypatch):
    monkeypatch.setattr("knotwork.routing.compiled.rule_check.PATIENCE", 0.2)
    assert refused(of_rule(never)) == HERE + "the rule must return within 0.2 seconds, not run on"


def test_a_fault_at_one_place_only():
    def rule(parameters, router, port, channel_class, destination):
        if (router, destination) == (7, 2):
            return 5, 0
        return Forward.rule(parameters, router, port, channel_class, destination)

    found = refused(of_rule(rule))
    assert found.startswith("circulant: routing=forward: at router 7, for a packet to 2")


def counting(period):
    """Rule that goes the other way round every few calls, and a list of what it was called with."""
    calls = []

    def rule(parameters, router, port, channel_class, destination):
        calls.append((router, port, destination))
        if router == destination:
            return 0, 0
        return 1 + (len(calls) % period == 0), 0

    return rule, calls


@pytest.mark.parametrize("period", [2, 3, 50])
def test_a_rule_that_returns_something_else_the_next_time(period):
    """On a ring of 6 each call would do by itself: both ways lead to the destination."""
    rule, calls = counting(period)
    found = refused(of_rule(rule, EscapingRingRouting, escape_class=None), Ring(nodes=6))
    line = re.fullmatch(
        r"loop: routing=escaping: at router (\d), for a packet to (\d) (from its node|by port "
        r"next|by port previous), the rule must return the same whenever it is called, not "
        r"(next|previous) in class 0 and then (next|previous) in class 0",
        found,
    )
    assert line is not None, found
    assert line[4] != line[5]
    port = ["from its node", "by port next", "by port previous"].index(line[3])
    assert calls.count((int(line[1]), port, int(line[2]))) >= 2


def test_a_compiled_rule_that_draws(monkeypatch):
    monkeypatch.setattr(rule_check, "TABLE_LIMIT", 0)

    def rule(parameters, router, port, channel_class, destination):
        if router == destination:
            return 0, 0
        return 1, int(np.random.random() < 0.5)  # noqa: NPY002 - the one that Numba compiles

    found = refused(of_rule(rule))
    assert "the rule must return the same whenever it is called, not next in class " in found


def ahead(parameters, router, port, channel_class, destination):
    return (0, 0) if router == destination else (1, 0)


def to_and_fro_in_class_1(parameters, router, port, channel_class, destination):
    if router == destination:
        return 0, 0
    if channel_class == 1 and router % 3:
        return (1, 1) if router % 3 == 1 else (2, 1)
    return 1, channel_class


@pytest.mark.parametrize(
    ("rule", "topology", "members", "words"),
    [
        (
            ahead, CutRing(nodes=6), {"escape_class": None},
            "loop: routing=escaping: at router 5, for a packet to 0 from its node, the port must "
            "have a link, not be next, which router 5 has not",
        ),
        (ahead, Ring(nodes=6), {}, "the class must stay 1, the escape class, not become 0"),
        (to_and_fro_in_class_1, Ring(nodes=6), {}, "not round in a loop by port"),
    ],
)  # fmt: skip
def test_rules_of_a_ring_that_are_refused(rule, topology, members, words):
    assert words in refused(of_rule(rule, EscapingRingRouting, **members), topology)


def test_turns_that_are_not_declared():
    routing = type("Wrong", (Forward,), {"class_turns": lambda self, router: {Turn(0, 0, 0, 0)}})
    assert refused(routing) == (
        "circulant: routing=forward must declare in class_turns the turn local (class 0) -> next "
        "(class 0) at router 0 and those of its group, because its rule takes it"
    )


@pytest.mark.parametrize("parameters", [[0.5], "ab", None, np.array([1j])])
def test_parameters_that_are_no_integers(parameters):
    found = refused(type("Wrong", (Forward,), {"parameters": parameters}))
    assert found.startswith("circulant: routing=forward must have an array of integers as its")


def test_the_table_is_the_rule_where_packets_come():
    network = Network(Circulant(n=30, step=7))
    routing, table = network.routing, network.routing.checked_rule.table
    for router, port, vc_class, destination in np.argwhere(table != UNREACHED).tolist():
        answer = routing.rule(routing.parameters, router, port, vc_class, destination)
        assert divmod(int(table[router, port, vc_class, destination]), CLASSES) == answer
    assert (table[:, 0, 0, :] != UNREACHED).all()
    assert not (table[:, [NEXT, FAR]] != UNREACHED).any()  # every step goes forward


@pytest.mark.parametrize("kind", [RandomRouting, EscapingRandomRouting])
def test_a_compiled_rule_is_checked_too(monkeypatch, kind, seed=1):
    monkeypatch.setattr(rule_check, "TABLE_LIMIT", 0)
    monkeypatch.setattr(rule_check, "_BLOCK", 500)
    network = Network(RandomLinks(size=8, more=4, links_seed=seed), routing=kind.drawn(seed, 2))
    assert network.routing.checked_rule.table is None
    assert (network.routing.walk_lengths() >= 0).all()
    kind = type("Wrong", (kind,), {"table": network.routing.table * 0 + 8 * 20})
    with pytest.raises(ConfigurationError, match="the port must have a link"):
        Network(network.topology, routing=kind).routing.require_sound()


@pytest.mark.parametrize("kind", [RandomRouting, EscapingRandomRouting])
def test_the_table_of_a_large_network_is_that_of_python(monkeypatch, kind):
    def table():
        network = Network(RandomLinks(size=8, more=4, links_seed=1), routing=kind.drawn(1, 2))
        return network.routing.answer_table

    in_python = table()
    monkeypatch.setattr(rule_check, "TABLE_LIMIT", 0)
    monkeypatch.setattr(rule_check, "_BLOCK", 500)
    monkeypatch.setattr(rule_check, "_MANY", 1)
    assert (table() == in_python).all()
    monkeypatch.setattr(rule_check, "_MANY", 10**9)
    assert (table() == in_python).all()


def test_a_network_too_large_for_a_table_needs_gates(refused, monkeypatch):
    monkeypatch.setattr(rule_check, "WALK_LIMIT", 100)
    network = Network(Circulant(n=11, step=3))
    monkeypatch.setattr(rule_check, "TABLE_LIMIT", 0)
    assert refused(lambda: rule_check.answer_table(network.routing.rule_use)) == (
        "circulant: routing=forward must have gates of its own in a network with more than 100 "
        "states (router, input port, class, destination), not a table of 1210"
    )


def test_a_rule_that_numba_cannot_compile_is_refused_where_it_must(monkeypatch):
    monkeypatch.setattr(rule_check, "TABLE_LIMIT", 0)

    def rule(parameters, router, port, channel_class, destination):
        return {"a": 0}, sorted(set(), key=str)

    found = refused(of_rule(rule))
    assert found.startswith("circulant: routing=forward must be a rule that Numba compiles in a")
