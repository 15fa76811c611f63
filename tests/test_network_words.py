import re

import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.network_words import (
    SplitWords,
    join_words,
    network_word,
    network_words,
    split_networks,
)
from knotwork.routing import all_routings_of

CUBE_ROUTINGS = ", ".join(all_routings_of("hypercube"))


@pytest.mark.parametrize(
    ("words", "word"),
    [
        ("petersen", "petersen"),
        ("moebius n=6 twist=1", "moebius:n=6,twist=1"),
        ("my.toml n=6", "my.toml:n=6"),
        ("fattree r=4,4 u=2,2 data_width=8", "fattree:r=4,4,u=2,2,data_width=8"),
    ],
)
def test_several_words_are_one_word(words, word):
    assert join_words(words.split()) == word
    assert network_word(word) == words.split()


def test_words_may_follow_one_word_or_none_is_refused():
    assert join_words(["moebius:n=6", "twist=1"]) == "moebius:n=6,twist=1"
    assert network_word("petersen:") == ["petersen"]
    for words in (["mesh:x=3", "y=4"], ["mesh", "x=3", "y=4"]):
        assert network_words(words) == ("mesh", {"x": "3", "y": "4"})
    with pytest.raises(ConfigurationError) as refusal:
        split_networks(["n=3", "hypercube"])
    assert str(refusal.value) == "a key must follow its network, not come first, as 'n=3'"
    with pytest.raises(ConfigurationError, match=r"^a network must be named: one of hypercube, "):
        network_words([])


@pytest.mark.parametrize(
    ("words", "networks", "keys"),
    [
        ("", [], []),
        ("hypercube n=3 moebius n=3", ["hypercube n=3", "moebius n=3"], []),
        ("hypercube:n=3 twist=1 petersen", ["hypercube:n=3 twist=1", "petersen"], []),
        ("a.toml n=4 b.toml:n=5", ["a.toml n=4", "b.toml:n=5"], []),
        ("runs=a/x.toml n=4", ["runs=a/x.toml n=4"], []),
        ("rate=1 mesh x=2 rate=2 y=3", ["mesh x=2 y=3"], ["rate=1", "rate=2"]),
        ("graph:file=x.toml", ["graph:file=x.toml"], []),
    ],
)
def test_words_are_parted_at_networks(words, networks, keys):
    parts = split_networks(words.split(), verb_keys={"rate"})
    assert parts == SplitWords([network.split() for network in networks], keys)


@pytest.fixture
def toml(tmp_path):
    """Writes a file, and tells its name."""

    def toml(text, name="my.toml"):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return str(file)

    return toml


def test_words_stand_above_those_of_a_file_whose_values_are_the_same(toml):
    file = toml('network = "mesh"\nx = 3\ny = 4\n')
    assert network_words([file]) == ("mesh", {"x": 3, "y": 4})
    assert network_words([file, "y=5"]) == ("mesh", {"x": 3, "y": "5"})
    assert network_words([f"{file}:y=5"]) == ("mesh", {"x": 3, "y": "5"})
    assert network_words([toml('network = "mesh"\nx = 3\n', "a:b/my.toml")]) == ("mesh", {"x": 3})
    file = toml('network = "fattree"\nr = [4, 2]\nu = [2, 3]\n')
    assert Network.from_words([file]).parameters["u"] == (2, 3)
    file = toml('network = "moebius"\nn = 4\nrouting = "spr"\nvc_scheme = "escape"\n')
    assert Network.from_words([file]).parameters["vc_scheme"] == "escape"
    assert Network.from_words([file, "vc_scheme=ascents"]).parameters["vc_scheme"] == "ascents"


@pytest.mark.parametrize(
    ("content", "reason"),
    {
        b"network = moebius\n": "must be a valid TOML file: Invalid value",
        b"network = \n": "must be a valid TOML file: ",
        b"\xff\xfe": "must be a readable TOML file: 'utf-8' codec can't decode",
        b"network = 'mesh'\nx = " + b"9" * 5000: "must be a valid TOML file: Exceeds the limit",
        b"network = 'mesh'\nx = " + b"[" * 5000: "must be a valid TOML file: maximum recursion",
        b"network = 'mesh'\nx = 0x" + b"f" * 5000: "a number must have at most 128 bits, not 20000",
        b"network = 'mesh'\nx = "
        + b"[" * 17
        + b"]" * 17: "tables and lists must be nested at most",
        b"network = 'mesh'\nx" + b".a" * 90 + b" = 1": "tables and lists must be nested at most",
        b"network = 'mesh'\nx" + b".a" * 200_000 + b" = 1": "a key must have at most 100 dots",
        b"network = 'mesh'\n[x" + b" . a" * 200_000 + b"]\n": "a key must have at most 100 dots",
        b"n = 3\n": "the key network must name one of hypercube, moebius",
        b"network = 3\n": "the key network must name one of hypercube, moebius",
    }.items(),
)
def test_a_file_that_names_no_network_is_refused(toml, content, reason):
    file = toml(content)
    with pytest.raises(ConfigurationError, match=f"^{re.escape(f'{file}: {reason}')}"):
        Network.from_words([file])


@pytest.mark.parametrize(
    ("line", "reason"),
    {
        "n = 21": "n must be an integer in 1..20, not 21",
        "n = 3.0": "n must be an integer in 1..20, not 3.0",
        "n = [3]": "n must be an integer in 1..20, not [3]",
        "n = 3\nrouting = 1": f"routing must be one of {CUBE_ROUTINGS}, not 1",
        "n = 3\nrouting = ['a']": f"routing must be one of {CUBE_ROUTINGS}, not ['a']",
    }.items(),
)
def test_values_of_a_file_obey_the_same_rules(toml, line, reason):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words([toml(f'network = "hypercube"\n{line}\n')])
    assert str(refusal.value) == f"hypercube: {reason}"


def test_a_missing_file_is_refused():
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words(["no-such.toml"])
    assert str(refusal.value) == (
        "no-such.toml: must be a readable TOML file: No such file or directory"
    )


def test_nodes_are_named_by_index_or_label():
    network = Network(Moebius(n=4))
    for node in range(16):
        assert network.node(str(node)) == network.node(f"@{node:04b}") == node
    assert Network(Ring(nodes=6), routing=RingRouting).node("@101") == 5


@pytest.mark.parametrize(
    "text", ["16", "-1", "x", "", "1.0", "٣", "9" * 5000, "@", "@110", "@00000", "@abcd"]
)
def test_what_no_node_has_is_refused(text):
    with pytest.raises(ConfigurationError) as refusal:
        Network(Moebius(n=4)).node(text)
    rule = "a node must be an index in 0..15 or @label"
    if text.startswith("@"):
        rule = "a label must be one of @0000..@1111"
    assert str(refusal.value) == f"moebius_n4_twist0: {rule}, not {text!r}"
