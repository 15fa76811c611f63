"""One verdict on a system or a network, whichever verb is asked."""

import pytest
from helpers.emitted import system_words
from helpers.hostile import draws, fits, hold, network_words, run
from hypothesis import strategies as st

VERBS = {"check": [], "draw": ["-o", "-"], "export": ["--graphml", "x.graphml"], "generate": []}
"""Verbs that must say of every system what `describe` says, each with what else it needs."""

PAIR = "node.bus=none node.0.bus={} node.0.side=initiator node.1.bus=axi4 node.1.side=target"
RAM = "map.ram.base=0 map.ram.size=4K map.ram.node=1"


def refusals(words, folder):
    """What each verb refuses a system for; empty where it takes it."""
    first = run(["describe", *words], folder)
    assert first.status in (0, 2), first.err
    found = {"describe": first.refusal}
    checked = None
    for verb, more in VERBS.items():
        outcome = run([verb, *words, *more], folder)
        found[verb] = outcome.refusal
        if verb == "check":
            checked = outcome
        elif verb == "generate" and checked is not None and not first.refusal:
            # What can deadlock is described, and is not built; some rules are there to compare.
            told = checked.status == 1 or "must not be built" in outcome.refusal
            found[verb] = "" if told else outcome.refusal
    return found


def agree(words, folder):
    """Require one verdict of all verbs; whether the system is taken."""
    found = refusals(words, folder)
    assert len(set(found.values())) == 1, found
    return not found["describe"]


@pytest.mark.parametrize(
    ("words", "is_taken"),
    [
        (f"mesh x=2 y=1 {PAIR.format('apb')} {RAM} bus.data_width=128", False),
        (f"mesh x=2 y=1 {PAIR.format('axi_lite')} {RAM} bus.data_width=128", False),
        (f"mesh x=2 y=1 {PAIR.format('wishbone')} {RAM} bus.data_width=128", False),
        (f"mesh x=2 y=1 {PAIR.format('wishbone')} {RAM} bus.data_width=64 bus.burst=4", True),
        (
            "mesh x=2 y=1 classes=2 node.bus=none node.0.bus=axi4 node.0.side=initiator "
            "node.3.bus=axi4 node.3.side=target map.ram.base=0 map.ram.size=4K map.ram.node=3",
            False,
        ),
        ("moebius n=2 classes=2 routing=spr vc_scheme=escape", True),
    ],
)
def test_all_verbs_say_the_same_of_one(words, is_taken, tmp_path):
    assert agree(words.split(), tmp_path) == is_taken


@draws(5, 400)
def test_all_verbs_say_the_same_of_all(count, folders):
    small = network_words(odds=0, spread=1).filter(lambda words: fits(words, 9))
    taken = []
    hold(count, st.one_of(system_words(), small), lambda w: taken.append(agree(w, folders())))
    assert any(taken)
