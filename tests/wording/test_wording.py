"""Numbers in words, and what a user may have meant."""

import pytest
from knotwork.errors import ConfigurationError
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.topology import TOPOLOGIES
from knotwork.wording import closest, did_you_mean, entry_named, not_one_of, plural

KEYS = [*ROUTER_PARAMETERS["packet"].keys(), "n", "k", "routing", "router"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("hypercub", "hypercube"),
        ("Hypercube", "hypercube"),
        ("HYPERCUBE", "hypercube"),
        ("hyprecube", "hypercube"),
        ("möbius", "moebius"),
        ("mobius", "moebius"),
        ("Torus", "torus"),
        ("mehs", "mesh"),
        ("fat-tree", "fattree"),
        ("sw-banyan", "sw_banyan"),
        ("hypercube", None),  # known
        ("xyzzy", None),
        ("", None),
        ("7", None),
        (7, None),
        (None, None),
        ("hypercube" * 1000, None),
    ],
)
def test_the_network_that_may_be_meant(given, meant):
    assert closest(given, TOPOLOGIES) == meant


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("N", "n"),
        ("K", "k"),
        ("datawidth", "data_width"),
        ("data-width", "data_width"),
        ("Routing", "routing"),
        ("ROUTER", "router"),
        ("vcs", None),
        ("depth", None),
        ("bufferdepth", "buffer_depth"),
    ],
)
def test_the_key_that_may_be_meant(given, meant):
    assert closest(given, KEYS) == meant


def test_each_slip_of_one_letter_is_understood():
    for name in TOPOLOGIES:
        if len(name) < 4:
            continue
        for place in range(len(name)):
            assert closest(name[:place] + name[place + 1 :], TOPOLOGIES) == name
            assert closest(name[:place] + "#" + name[place:], TOPOLOGIES) == name


def test_ends_of_lines_and_numbers():
    assert did_you_mean("Mesh", TOPOLOGIES) == "; did you mean mesh?"
    assert did_you_mean("xyzzy", TOPOLOGIES) == ""
    assert not_one_of("torus: code", ["binary", "johnson"], "jonson") == (
        "torus: code must be one of binary, johnson, not 'jonson'; did you mean johnson?"
    )
    assert not_one_of("a board", ["icesugar"], 3, rule="what `boards` lists") == (
        "a board must be what `boards` lists, not 3"
    )
    assert [plural(number, "hop") for number in (0, 1, 2)] == ["0 hops", "1 hop", "2 hops"]


def test_an_entry_is_found_by_its_name_alone():
    registry = {"mesh": 1, "torus": 2}
    assert entry_named(registry, "a network", "torus") == 2
    for wrong, end in (
        ("mehs", "'mehs'; did you mean mesh?"),
        (["mesh"], "['mesh']"),
        (None, "None"),
    ):
        with pytest.raises(ConfigurationError) as refusal:
            entry_named(registry, "a network", wrong)
        assert str(refusal.value) == f"a network must be one of mesh, torus, not {end}"
