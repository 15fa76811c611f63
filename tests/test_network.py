import pytest
from hypothesis import given
from hypothesis import strategies as st
from knotwork import Hypercube, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.topology import LOCAL
from ring import Ring, RingRouting

KEYS = "data_width, virtual_channels, buffer_depth, pipeline, allow_deadlock"


@given(
    n=st.integers(1, 20),
    twist=st.integers(0, 1),
    hardware=st.fixed_dictionaries(
        {
            "data_width": st.integers(8, 512),
            "virtual_channels": st.integers(1, 8),
            "buffer_depth": st.integers(2, 1024),
            "pipeline": st.integers(1, 2),
        }
    ),
)
def test_words_and_keywords_make_the_same_network(n, twist, hardware):
    keys = {"n": n, "twist": twist, "routing": "dfr"} | hardware
    words = [f"{key}={value}" for key, value in keys.items()]
    expected = Network(Moebius(n=n, twist=twist), routing="dfr", **hardware).parameters
    assert expected == keys | {"allow_deadlock": "no"}
    assert Network.from_words(["moebius", *words]).parameters == expected
    assert Network.from_word(f"moebius:{','.join(words)}").parameters == expected


def test_defaults_are_resolved():
    network = Network.from_words(["hypercube", "n=3"])
    assert network.parameters == {
        "n": 3,
        "routing": "ecube",
        "data_width": 32,
        "virtual_channels": 1,
        "buffer_depth": 16,
        "pipeline": 1,
        "allow_deadlock": "no",
    }
    assert network.name == "hypercube_n3"
    ring = Network(Ring(nodes=6), routing=RingRouting)
    assert ring.parameters["virtual_channels"] == 2
    assert ring.name == "ring_nodes6_shortest"


def test_a_toml_file_names_the_network_and_words_override_it(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('network = "moebius"\nn = 5\ntwist = 1\ndata_width = 64\n')
    parameters = Network.from_words([str(file), "n=4"]).parameters
    assert (parameters["n"], parameters["twist"], parameters["data_width"]) == (4, 1, 64)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], "a network must be named: one of hypercube, moebius, or a .toml file"),
        (["moebuis"], "a network must be one of hypercube, moebius, not 'moebuis'"),
        (["hypercube"], "hypercube: n must be given: an integer in 1..20"),
        (["hypercube", "n=21"], "hypercube: n must be an integer in 1..20, not 21"),
        (["hypercube", "n=3", "n=4"], "hypercube: n must be named once, not twice"),
        (["hypercube", "3"], "hypercube: a parameter must be key=value, not '3'"),
        (
            ["hypercube", "n=3", "twist=1"],
            f"hypercube: a key must be one of n, routing, {KEYS}, not 'twist'",
        ),
        (
            ["hypercube", "n=3", "routing=dfr"],
            "hypercube: routing must be one of ecube, not 'dfr'",
        ),
        (
            ["moebius", "n=3", "data_width=7"],
            "packet router: data_width must be an integer in 8..512, not 7",
        ),
        (
            ["moebius", "n=3", "virtual_channels=9"],
            "packet router: virtual_channels must be an integer in 1..8, not 9",
        ),
        (
            ["moebius", "n=3", "buffer_depth=1"],
            "packet router: buffer_depth must be an integer in 2..1024, not 1",
        ),
        (
            ["moebius", "n=3", "pipeline=3"],
            "packet router: pipeline must be an integer in 1..2, not 3",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(words, line):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words(words)
    assert str(refusal.value) == line


@pytest.mark.parametrize(
    ("content", "rest"),
    [
        (b"network = moebius\n", "must be a readable TOML file: Invalid value"),
        (b"\xff\xfe", "must be a readable TOML file: 'utf-8' codec can't decode"),
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
        ("n = 3\nrouting = 1", "hypercube: routing must be one of ecube, not 1"),
        ("n = 3\nrouting = ['ecube']", "hypercube: routing must be one of ecube, not ['ecube']"),
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


def test_a_network_outside_the_registry_needs_a_class_of_routing():
    with pytest.raises(ConfigurationError) as refusal:
        Network(Ring(nodes=6))
    assert str(refusal.value) == (
        "ring: routing must be a class of your own, not None, for a network outside the registry"
    )


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


def test_a_cube_has_one_kind_of_router():
    network = Network(Hypercube(n=3), virtual_channels=2)
    (kind,) = network.router_kinds
    assert kind.name == "hypercube_router"
    assert kind.ports == (LOCAL, 1, 2, 3)
    assert (network.router_number == 0).all()
    assert kind.input_vcs(1) == [0, 1]
    assert kind.output_vcs(LOCAL) == [0]
    # e-cube falls: what came in by dimension 0 can only leave to the node.
    assert {turn.output_port for turn in kind.turns if turn.input_port == 1} == {LOCAL}
    assert {turn.output_port for turn in kind.turns if turn.input_port == 3} == {LOCAL, 1, 2}
