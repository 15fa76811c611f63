import re

import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.network_words import (
    Words,
    network_word,
    network_words,
    one_word,
    part_words,
    read_node,
    read_toml,
)
from knotwork.routing import all_routings_of
from knotwork.topology import Hypercube

CUBE_ROUTINGS = ", ".join(all_routings_of("hypercube"))


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ("petersen", ["petersen"]),
        ("petersen:", ["petersen"]),
        ("moebius:n=6,twist=1", ["moebius", "n=6", "twist=1"]),
        ("fattree:r=4,4,u=2,2,data_width=8", ["fattree", "r=4,4", "u=2,2", "data_width=8"]),
    ],
)
def test_one_word_stands_for_several(word, words):
    assert network_word(word) == words


@pytest.mark.parametrize(
    ("words", "word"),
    [
        ("petersen", "petersen"),
        ("moebius n=6 twist=1", "moebius:n=6,twist=1"),
        ("moebius:n=6 twist=1", "moebius:n=6,twist=1"),
        ("my.toml n=6", "my.toml:n=6"),
        ("fattree r=4,4 u=2,2 data_width=8", "fattree:r=4,4,u=2,2,data_width=8"),
    ],
)
def test_several_words_become_one(words, word):
    assert one_word(words.split()) == word
    assert network_word(word)[0] == words.split()[0].partition(":")[0]


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
    assert part_words(words.split(), own_keys={"rate"}) == Words(
        [network.split() for network in networks], keys
    )


def test_a_key_before_any_network_is_refused():
    with pytest.raises(
        ConfigurationError, match=r"^a key must follow its network, not come first, as 'n=3'$"
    ):
        part_words(["n=3", "hypercube"])


@pytest.mark.parametrize("word", ["mesh:x=3", "mesh"])
def test_both_forms_of_a_network_mix(word):
    words = [word, "y=4"] if ":" in word else [word, "x=3", "y=4"]
    assert network_words(words) == ("mesh", {"x": "3", "y": "4"})


def test_a_file_s_values_may_stand_behind_a_colon(tmp_path):
    file = tmp_path / "a:b" / "my.toml"
    file.parent.mkdir()
    file.write_text('network = "mesh"\nx = 3\ny = 4\n')
    assert network_words([str(file)]) == ("mesh", {"x": 3, "y": 4})
    beside = tmp_path / "my.toml"
    beside.write_text(file.read_text())
    assert network_words([f"{beside}:y=5"]) == ("mesh", {"x": 3, "y": "5"})


def test_words_follow_those_of_a_file(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('network = "mesh"\nx = 3\ny = 4\n')
    assert network_words([str(file), "y=5"]) == ("mesh", {"x": 3, "y": "5"})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("x = 3\n", "the key network must name one of hypercube, "),
        ("network = 3\n", "the key network must name one of hypercube, "),
        ("network = \n", "must be a readable TOML file: "),
    ],
)
def test_a_file_without_a_network_is_refused(tmp_path, text, words):
    file = tmp_path / "my.toml"
    file.write_text(text)
    with pytest.raises(ConfigurationError, match=f"^{re.escape(f'{file}: {words}')}"):
        read_toml(file)


def test_no_word_is_refused():
    with pytest.raises(ConfigurationError, match=r"^a network must be named: one of hypercube, "):
        network_words([])


def test_a_node_is_an_index_or_a_label():
    cube = Hypercube(n=3)
    labels = [f"@{cube.label(node)}" for node in range(8)]
    assert [read_node(label, cube, owner="cube") for label in labels] == [*range(8)]
    assert [read_node(str(node), cube, owner="cube") for node in range(8)] == [*range(8)]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("8", "a node must be an index in 0..7 or @label, not '8'"),
        ("-1", "a node must be an index in 0..7 or @label, not '-1'"),
        ("٣", "a node must be an index in 0..7 or @label, not '٣'"),
        ("@21", "a label must be one of @000..@111, not '@21'"),
    ],
)
def test_what_is_no_node_is_refused(text, rule):
    with pytest.raises(ConfigurationError, match=f"^{re.escape(f'cube: {rule}')}$"):
        read_node(text, Hypercube(n=3), owner="cube")


def test_a_list_in_a_toml_file(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('network = "fattree"\nr = [4, 2]\nu = [2, 3]\n')
    assert Network.from_words([str(file)]).parameters["u"] == (2, 3)


def test_a_toml_file_names_the_network_and_words_override_it(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('network = "moebius"\nn = 5\ntwist = 1\ndata_width = 64\n')
    parameters = Network.from_words([str(file), "n=4"]).parameters
    assert (parameters["n"], parameters["twist"], parameters["data_width"]) == (4, 1, 64)


@pytest.mark.parametrize(
    ("content", "rest"),
    [
        (b"network = moebius\n", "must be a readable TOML file: Invalid value"),
        (b"\xff\xfe", "must be a readable TOML file: 'utf-8' codec can't decode"),
        (
            b"network = 'mesh'\nx = " + b"9" * 5000,
            "must be a readable TOML file: Exceeds the limit",
        ),
        (
            b"network = 'mesh'\nx = " + b"[" * 5000,
            "must be a readable TOML file: maximum recursion",
        ),
        (b"n = 3\n", "the key network must name one of hypercube, moebius"),
        (b"network = 3\n", "the key network must name one of hypercube, moebius"),
    ],
)
def test_a_toml_file_that_says_nothing_is_refused(tmp_path, content, rest):
    file = tmp_path / "my.toml"
    file.write_bytes(content)
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words([str(file)])
    assert str(refusal.value).startswith(f"{file}: {rest}")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("n = 21", "hypercube: n must be an integer in 1..20, not 21"),
        ("n = 3.0", "hypercube: n must be an integer in 1..20, not 3.0"),
        ("n = [3]", "hypercube: n must be an integer in 1..20, not [3]"),
        ("n = 3\nrouting = 1", f"hypercube: routing must be one of {CUBE_ROUTINGS}, not 1"),
        (
            "n = 3\nrouting = ['ecube']",
            f"hypercube: routing must be one of {CUBE_ROUTINGS}, not ['ecube']",
        ),
    ],
)
def test_values_of_a_toml_file_obey_the_same_rules(tmp_path, line, reason):
    file = tmp_path / "my.toml"
    file.write_text(f'network = "hypercube"\n{line}\n')
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words([str(file)])
    assert str(refusal.value) == reason


def test_a_missing_toml_file_is_refused():
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words(["no-such.toml"])
    assert str(refusal.value) == (
        "no-such.toml: must be a readable TOML file: "
        "[Errno 2] No such file or directory: 'no-such.toml'"
    )


def test_a_toml_file_gives_a_routing_its_keys(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('network = "moebius"\nn = 4\nrouting = "spr"\nvc_scheme = "escape"\n')
    assert Network.from_words([str(file)]).parameters["vc_scheme"] == "escape"
    changed = Network.from_words([str(file), "vc_scheme=ascents"])
    assert changed.parameters["vc_scheme"] == "ascents"
    file.write_text('network = "hypercube"\nn = 4\nmulticast = "yes"\nmax_packet = 8\n')
    parameters = Network.from_words([str(file)]).parameters
    assert (parameters["multicast"], parameters["max_packet"]) == ("yes", 8)


def test_nodes_are_named_by_index_or_label():
    network = Network(Moebius(n=4))
    assert network.node("12") == 12
    assert network.node("@0110") == 6
    assert Network(Ring(nodes=6), routing=RingRouting).node("@101") == 5


@pytest.mark.parametrize("text", ["16", "-1", "x", "", "1.0", "٣", "9" * 5000])
def test_an_index_that_no_node_has_is_refused(text):
    with pytest.raises(ConfigurationError) as refusal:
        Network(Moebius(n=4)).node(text)
    assert str(refusal.value) == (
        f"moebius_n4_twist0: a node must be an index in 0..15 or @label, not {text!r}"
    )


@pytest.mark.parametrize("text", ["@", "@110", "@00000", "@abcd"])
def test_a_label_that_no_node_has_is_refused(text):
    with pytest.raises(ConfigurationError) as refusal:
        Network(Moebius(n=4)).node(text)
    assert str(refusal.value) == (
        f"moebius_n4_twist0: a label must be one of @0000..@1111, not {text!r}"
    )
