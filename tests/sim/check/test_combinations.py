"""Options of packet routers in combination: all pairs, and a covering array of networks."""

import itertools

import pytest
from helpers.combinations import BASES, covering, goes, needed, possible, word_of
from knotwork import Network
from knotwork.errors import KnotworkError
from knotwork.parameters.options import OPTIONS, impossible_pairs
from knotwork_sim import simulate

# Networks and words of issue 51, and routings that choose.
NETWORKS = ("hypercube n=3", "moebius n=3", "wk w=3 levels=2", "mesh x=3 y=3")
WORDS = (
    *("pipeline=2", "pipeline=3", "parity=yes", "lanes", "classes=2", "nodes_per_router=2"),
    *("counters=yes", "watchdog=100", "tables=loaded", "routing=updown", "routing=shortest"),
    *("multicast=yes", "routing=spr vc_scheme=escape", "broadcast=label", "dead=0-1"),
    "buffer_depth=2",
)
OF_SOME = {
    "hypercube": ("multicast=yes",),
    "moebius": ("multicast=yes", "routing=spr vc_scheme=escape"),
    "wk": ("broadcast=label",),
    "mesh": (),
}
"""Options that only some networks have."""


def network_of(*words):
    """Network, resolved, free of deadlock and with its kinds of routers."""
    told = " ".join(words)
    if "lanes" in words:  # twice the virtual channels that the others need
        rest = [word for word in words if word != "lanes"]
        told = " ".join([*rest, f"virtual_channels={2 * network_of(*rest).virtual_channels}"])
    network = Network.from_words(told.split())
    network.require_deadlock_free()
    assert network.router_kinds
    return network


def option_of(name, words):
    """Name in the table of options of these words for a network."""
    if words == "lanes":
        return "lanes"
    if words == "routing=shortest" and name == "wk":
        return "shortest"  # its own
    key, _, value = words.split()[-1].partition("=")
    return next((o.name for o in OPTIONS if o.key == key and o.is_chosen_by(value)), key)


def pairs():
    for net in NETWORKS:
        name = net.split()[0]
        known = [word for word in WORDS if word in OF_SOME[name] or
                 word not in itertools.chain(*OF_SOME.values())]  # fmt: skip
        for one, other in itertools.combinations(known, 2):
            keys = [{word.partition("=")[0] for word in words.split()} for words in (one, other)]
            if not keys[0] & keys[1]:
                yield net, one, other


REASONS = {
    frozenset((one.name, other.name)): (one, other, reason)
    for one, other, reason in impossible_pairs()
}


def test_every_pair_of_options_works_or_is_impossible_in_principle():
    refused, wrong = [], []
    for net, *words in pairs():
        rule = REASONS.get(frozenset(option_of(net.split()[0], each) for each in words))
        try:
            network_of(net, *words)
            line = None
        except KnotworkError as error:
            line = str(error)
        if line is not None:
            refused.append((net, *words))
        if (line is None) != (rule is None):
            wrong.append((net, *words, line))
        elif rule is not None and line is not None:
            one, _, reason = rule
            if reason not in line or f"{one.key} must be " not in line or "\n" in line:
                wrong.append((net, *words, line))
    assert wrong == []
    assert len(refused) <= 26


WRITTEN = (
    *("mesh:x=3,y=2,routing=romm", "torus:x=3,y=3,routing=romm,pipeline=3"),
    *(
        "ccc:n=3,routing=romm,counters=yes",
        "mesh:x=2,y=2,nodes_per_router=2,classes=2,routing=romm",
    ),
    "mesh:x=3,y=2,dead=0-1,routing=romm,parity=yes",
)
"""Networks whose sources write what the array's do not: it has the numbers drawn."""

COMBINATIONS = [(base, picks) for base in BASES for picks in covering(base)]
IDS = [
    f"{base.word.partition(':')[0]}-{'+'.join(p.name for p in picks)}"
    for base, picks in COMBINATIONS
]
LOAD = {"packets": 300, "bubble": 0.2, "stall": 0.3}


def load_of(word):
    """Traffic that has all kinds of packets that a network carries, none longer than it takes."""
    network = Network.from_word(word)
    shares = {"broadcast_share": network.has_broadcast, "multicast_share": network.has_multicast}
    longest = network.longest_copied_packet - network.has_multicast  # a chain is one more
    length = (1, min(5, longest)) if longest > 0 else (1, 5)
    return LOAD | {"length": length} | {key: 0.1 for key, has_it in shares.items() if has_it}


def test_the_array_has_every_pair_and_a_share_of_the_triples():
    assert len(COMBINATIONS) >= 60
    assert len(BASES) == 8
    for base in BASES:
        picks = {pick for _, chosen in COMBINATIONS if _ is base for pick in chosen}
        sets = [set(chosen) for known, chosen in COMBINATIONS if known is base]
        for count, least in ((2, 1.0), (3, 0.25)):
            groups = [each for each in itertools.combinations(picks, count) if possible(base, each)]
            covered = [each for each in groups if any(set(each) <= chosen for chosen in sets)]
            assert len(covered) >= least * len(groups)
            assert len(groups) > 10
        assert all(needed(base, chosen) <= 8 for chosen in sets)
        assert all(goes(a, b) for chosen in sets for a in chosen for b in chosen if a is not b)


@pytest.mark.parametrize(("base", "picks"), COMBINATIONS, ids=IDS)
def test_what_is_combined_is_delivered(base, picks):
    word = word_of(base, picks)
    Network.from_word(word).require_deadlock_free()
    result = simulate(word, engine="model", **load_of(word))
    assert (result.lost, result.duplicated, result.misrouted) == (0, 0, 0)
    assert result.delivered > 0


@pytest.mark.slow
@pytest.mark.parametrize("word", WRITTEN)
def test_the_verilog_of_headers_that_sources_write_is_equal(word):
    result = simulate(f"{word},data_width=8", engine="both", **load_of(word))
    assert (result.mismatches, result.lost, result.misrouted) == (0, 0, 0)
    assert result.delivered > 0


@pytest.mark.slow
@pytest.mark.parametrize(("base", "picks"), COMBINATIONS, ids=IDS)
def test_the_verilog_of_what_is_combined_is_equal(base, picks):
    word = f"{word_of(base, picks)},data_width=8"
    result = simulate(word, engine="both", **load_of(word))
    assert (result.mismatches, result.lost, result.misrouted) == (0, 0, 0)
