"""Hostile topologies and rules of a user's: each is refused in one line, or works."""

import numpy as np
import pytest
from helpers.circulant import Circulant, Forward
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from knotwork import Network
from knotwork.errors import KnotworkError
from knotwork_sim.model.run import run_log
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

SOME = 200
"""Topologies and rules."""

NUMBERS = st.integers(-3, 14) | st.sampled_from([2**31, -(2**63), 10**30])
RUBBISH = st.sampled_from([None, 1.5, "x", b"", [], {}, (), object(), True, float("nan"), print])
ARRAYS = ("neighbours", "peer_ports", "attached")


def changed_array(name, changes, kind):
    """Member that is the circulant's array with entries changed, as lists, or of another type."""

    def member(self):
        table = getattr(super(type(self), self), name).astype(object)
        for place, value in changes:
            table[place] = value
        try:
            return table.tolist() if kind is list else table.astype(kind)
        except OverflowError:
            return table

    return property(member)


def raising(error):
    def member(self, *rest):
        raise error

    return member


@st.composite
def topologies(draw):
    """Circulant of 7 nodes with some members wrong."""
    members = {}
    for name in draw(st.lists(st.sampled_from(ARRAYS), max_size=2, unique=True)):
        places = st.tuples(st.integers(0, 6), st.integers(0, 4))
        changes = draw(st.lists(st.tuples(places, NUMBERS), max_size=2))
        kind = draw(st.sampled_from([np.int32] * 6 + [np.int64, np.float32, object, list]))
        members[name] = changed_array(name, changes, kind)
    plain = ("nodes", "routers", "ports", "address_width", "is_one_way", "name", "routings")
    for name in draw(st.lists(st.sampled_from(plain), max_size=1)):
        members[name] = draw(RUBBISH | NUMBERS)
    asked = ("address", "node_at", "label", "router_label", "router_of")
    for name in draw(st.lists(st.sampled_from(asked), max_size=1)):
        answer = draw(RUBBISH | NUMBERS | st.sampled_from(["raise", "exit"]))
        errors = {"raise": RuntimeError("a\nb"), "exit": SystemExit(3)}
        is_error = isinstance(answer, str) and answer in errors
        member = raising(errors[answer]) if is_error else lambda self, x, answer=answer: answer
        members[name] = member
    return type("Hostile", (Circulant,), members), members


@st.composite
def rules(draw):
    """Forward's rule but for some states, where it does something else."""
    odds = draw(st.sampled_from([1, 2, 10, 60]))
    places = draw(st.sets(st.integers(0, odds), min_size=0, max_size=2))
    what = draw(st.sampled_from(["pair", "rubbish", "raise", "stop", "write", "class", "eject"]))
    pair = draw(st.tuples(NUMBERS | RUBBISH, NUMBERS | RUBBISH))
    rubbish = draw(RUBBISH)

    def rule(parameters, router, port, channel_class, destination):
        answer = Forward.rule(parameters, router, port, channel_class, destination)
        if (router * 7 + destination + port) % (odds + 1) not in places:
            return answer
        if what == "raise":
            raise KeyError(router)
        if what == "stop":
            raise SystemExit
        if what == "write":
            parameters[0] = 1
        if what == "class":
            return answer[0], answer[1] + 1
        return {"pair": pair, "rubbish": rubbish, "eject": (0, 0)}.get(what, answer)

    members = {"rule": staticmethod(rule)}
    if draw(st.booleans()):
        members["parameters"] = draw(RUBBISH | st.just(np.array([7, 3])))
    return type("Hostile", (Forward,), members), {"what": what, "odds": odds, **members}


def refused_or_works(make):
    """Whether a network works; a refusal must be one line."""
    try:
        network = make()
        network.require_deadlock_free()
    except KnotworkError as refusal:
        assert "\n" not in str(refusal)
        assert " must " in str(refusal)
        return False
    packets = make_packets(network, Traffic(packets=100, rate=0.3))
    run = run_log(network, Traffic(packets=100, rate=0.3), packets, clocks=10_000)
    assert len(run.log.packet) == 100
    assert (packets.destination[run.copies.origin[run.log.packet]] == run.log.node).all()
    return True


SETTINGS = settings(
    max_examples=SOME // 2, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)


@pytest.mark.timeout(900)
def test_hostile_topologies():
    seen = []

    @SETTINGS
    @given(topologies())
    def one(drawn):
        kind, _ = drawn
        seen.append(refused_or_works(lambda: Network(kind(n=7), buffer_depth=2)))

    one()
    assert len(seen) >= SOME // 2
    assert 5 < sum(seen) < len(seen) - 30  # both happen


@pytest.mark.timeout(900)
def test_hostile_rules():
    seen = []

    @SETTINGS
    @given(rules())
    def one(drawn):
        routing, _ = drawn
        seen.append(refused_or_works(lambda: Network(Circulant(n=7), routing=routing)))

    one()
    assert len(seen) >= SOME // 2
    assert 5 < sum(seen) < len(seen) - 30
