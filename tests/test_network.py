"""Networks by their words and keys, what is refused, and their names."""

import re
from fractions import Fraction

import pytest
from helpers.long_links import network_of
from helpers.ring import Ring, RingRouting
from hypothesis import given
from hypothesis import strategies as st
from knotwork import FatTree, Mesh, Moebius, Network, with_classes
from knotwork.errors import ConfigurationError
from knotwork.network import join_name
from knotwork.parameters import IDENTIFIER, ROUTER_PARAMETERS, Limit, PacketParameters
from knotwork.parameters.kinds import LONGEST
from knotwork.routing import all_routings_of
from knotwork.topology import TOPOLOGIES

CUBE_ROUTINGS = ", ".join(all_routings_of("hypercube"))

NETWORKS = ", ".join(TOPOLOGIES)
MULTICAST = "multicast, max_packet"
SHOWN = "data_width, virtual_channels, buffer_depth, pipeline, allow_deadlock"
SILENT = (
    "parity, tables, counters, watchdog, class_limits, class_bursts, arbitration, class_weights"
)
COLLECTIVES = (
    "collectives, collective_width, groups, operations, element_width, collective_watchdog"
)
KEYS = SHOWN.replace("data_width", f"data_width, ports, {COLLECTIVES}", 1) + f", {SILENT}"
LAST = f"{KEYS}, nodes_per_router, dead, classes, name"


@given(
    n=st.integers(1, 20),
    twist=st.integers(0, 1),
    hardware=st.fixed_dictionaries(
        {
            "data_width": st.integers(8, 512),
            "virtual_channels": st.integers(1, 8),
            "buffer_depth": st.integers(5, 1024),
            "pipeline": st.integers(2, 3),
        }
    ),
)
def test_words_and_keywords_make_the_same_network(n, twist, hardware):
    keys = {"n": n, "twist": twist, "routing": "dfr"} | hardware
    words = [f"{key}={value}" for key, value in keys.items()]
    expected = Network(Moebius(n=n, twist=twist), routing="dfr", **hardware).parameters
    assert expected == keys | {"multicast": "no", "allow_deadlock": "no"}
    assert Network.from_words(["moebius", *words]).parameters == expected
    assert Network.from_word(f"moebius:{','.join(words)}").parameters == expected


def test_keys_and_lists_make_the_same_network_from_python():
    made = Network.from_word("fattree:r=4,2,2,u=2,3,4,data_width=64")
    words = ["fattree", "r=4,2,2", "u=2,3,4", "data_width=64"]
    assert made.parameters == Network.from_words(words).parameters
    assert (made.parameters["r"], made.parameters["u"]) == ((4, 2, 2), (2, 3, 4))
    assert made.name == "fattree_r4_2_2_u2_3_4_data_width64"
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_word("hypercube:n=4,5")
    assert str(refusal.value) == "hypercube: n must be an integer in 1..20, not '4,5'"
    words = Network.from_words(["moebius", "n=5", "routing=spr", "vc_scheme=escape"])
    assert Network(Moebius(n=5), routing="spr", vc_scheme="escape").parameters == words.parameters
    words = Network.from_words(["moebius", "n=5", "multicast=yes", "max_packet=6"])
    assert Network(Moebius(n=5), multicast="yes", max_packet=6).parameters == words.parameters
    # 255 destinations take eight rounds, which are all the virtual channels that there may be.
    for n, more in ((9, {"max_packet": 256}), (8, {"max_packet": 1024})):
        network = Network(Moebius(n=n), multicast="yes", **more)
        assert network.parameters["virtual_channels"] == 8


def test_defaults_are_resolved():
    network = Network.from_words(["hypercube", "n=3"])
    assert network.parameters == {
        "n": 3,
        "routing": "ecube",
        "multicast": "no",
        "data_width": 32,
        "virtual_channels": 1,
        "buffer_depth": 16,
        "pipeline": 2,
        "allow_deadlock": "no",
    }
    assert network.name == "hypercube_n3"
    ring = Network(Ring(nodes=6), routing=RingRouting)
    assert ring.parameters["virtual_channels"] == 2
    assert ring.name == "loop_nodes6_shortest"


@pytest.mark.parametrize(
    ("words", "line"),
    {
        "": f"a network must be named: one of {NETWORKS}, or a .toml file",
        "moebuis": f"a network must be one of {NETWORKS}, not 'moebuis'; did you mean moebius?",
        "hypercube": "hypercube: n must be given: an integer in 1..20",
        "hypercube n=3 n=4": "hypercube: n must be named once, not twice",
        "hypercube 3": "hypercube: a parameter must be key=value, not '3'",
        "hypercube n=3 twist=1": "hypercube: a key must be one of n, routing, router, "
        f"{MULTICAST}, {LAST}, not 'twist'",
        "hypercube n=3 routing=dfr": f"hypercube: routing must be one of {CUBE_ROUTINGS}, not "
        "'dfr'",
        "moebius n=3 data_width=7": "packet router: data_width must be an integer in 8..512, not 7",
        "moebius n=3 virtual_channels=9": "packet router: virtual_channels must be an integer in "
        "1..8, not 9",
        "moebius n=3 buffer_depth=1": "packet router: buffer_depth must be an integer in 2..1024, "
        "not 1",
        "moebius n=3 pipeline=4": "packet router: pipeline must be an integer in 1..3, not 4",
        "mesh x=3 y=3 parity=odd": "packet router: parity must be one of yes, no, not 'odd'",
        "wk w=3 levels=2 parity=yes pipeline=1": "wk: parity must be no with pipeline=1, whose "
        "routers have no options, not yes; pipeline=2 has them all",
        "hypercube n=3 router=deflection parity=yes": "hypercube: a key must be one of n, routing, "
        f"router, data_width, ports, {COLLECTIVES}, source, sequence_width, name, not 'parity'; "
        "parity goes with router=packet",
        "moebius n=3 routing=spr multicast=yes": "moebius: a key must be one of n, twist, routing, "
        f"router, vc_scheme, {LAST}, "
        "not 'multicast'; multicast goes with routing=dfr",
        "moebius n=3 vc_scheme=escape": "moebius: a key must be one of n, twist, routing, router, "
        f"{MULTICAST}, {LAST}, "
        "not 'vc_scheme'; vc_scheme goes with routing=spr",
        "moebius n=3 routing=approx_spr vc_scheme=escape": "moebius: a key must be one of n, "
        "twist, "
        f"routing, router, {LAST}, not "
        "'vc_scheme'; vc_scheme goes with routing=spr",
        "moebius n=3 routing=spr vc_scheme=none": "routing: vc_scheme must be one of ascents, "
        "escape, not "
        "'none'",
        "moebius n=3 multicast=maybe": "routing: multicast must be one of yes, no, not 'maybe'",
        "moebius n=3 multicast=yes max_packet=1": "routing: max_packet must be an integer in "
        "2..1024, not "
        "1",
        "moebius n=3 max_packet=8": "moebius: max_packet must be used with multicast=yes, because "
        "other packets have any length, not 8 with multicast=no",
        "moebius n=9 multicast=yes data_width=8": "moebius: data_width must hold an address with "
        "multicast=yes, at least 9, not 8",
        "moebius n=9 multicast=yes max_packet=257": "moebius: max_packet must be at most 256 with "
        "multicast=yes, one virtual channel per round, not 257",
        "moebius n=4 multicast=yes virtual_channels=5": "moebius: virtual_channels must be a "
        "multiple of 4 "
        "for routing=dfr, not 5",
    }.items(),
)
def test_what_cannot_be_is_refused_in_one_line(words, line):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words(words.split())
    assert str(refusal.value) == line


@pytest.mark.parametrize(
    ("words", "options"),
    [
        ("n=4", {"multicast": "no"}),
        ("n=4 multicast=yes", {"multicast": "yes", "max_packet": 16}),
        ("n=4 multicast=yes buffer_depth=5", {"multicast": "yes", "max_packet": 5}),
        ("n=4 multicast=yes max_packet=9", {"multicast": "yes", "max_packet": 9}),
        ("n=4 routing=spr", {"vc_scheme": "ascents"}),
        ("n=4 routing=spr vc_scheme=escape", {"vc_scheme": "escape"}),
        ("n=11 routing=spr", {"vc_scheme": "escape"}),
        ("n=4 routing=approx_spr", {}),
    ],
)
def test_a_routings_own_keys_are_resolved_and_stand_behind_its_name(words, options):
    parameters = Network.from_words(["moebius", *words.split()]).parameters
    names = list(parameters)
    assert names[:3] == ["n", "twist", "routing"]
    assert names[3:] == [*options, *SHOWN.split(", ")]  # the others are silent
    assert {key: parameters[key] for key in options} == options


def test_a_network_outside_the_registry_has_generated_routings_and_a_name():
    network = Network(Ring(nodes=6))
    assert network.routing.name == "updown"
    assert network.deadlock_report.deadlock_free
    with pytest.raises(ConfigurationError) as refusal:
        Network(Ring(nodes=6), routing="forward")
    assert str(refusal.value) == (
        "loop: routing must be one of updown, shortest, balanced, table, adaptive, valiant, romm, "
        "not 'forward'"
    )
    assert Network(Ring(nodes=6), routing=RingRouting).name == "loop_nodes6_shortest"
    named = Network(Ring(nodes=6), routing=RingRouting, name="ours")
    assert (named.name, named.parameters["name"]) == ("ours", "ours")


@pytest.mark.parametrize(
    ("word", "expected"),
    {
        "hypercube:n=3": "Network(Hypercube(n=3))",
        "hypercube:n=3,data_width=64": "Network(Hypercube(n=3), data_width=64)",
        "moebius:n=4,twist=1,routing=spr,name=mine": "Network(Moebius(n=4, twist=1), "
        "routing='spr', name='mine')",
        "mesh:x=3,y=2,router=deflection": "Network(Mesh(x=3, y=2, z=1), router='deflection')",
    }.items(),
)
def test_the_repr_of_a_network_makes_it_again(word, expected):
    network = Network.from_word(word)
    assert repr(network) == expected
    classes = {each.__name__: each for each in (*TOPOLOGIES.values(), Network)}
    again = eval(expected, classes)
    assert (again.parameters, again.name) == (network.parameters, network.name)


def test_the_repr_of_a_routing_tells_its_topology_and_channels():
    routing = Network.from_word("moebius:n=3,twist=0,routing=spr").routing
    assert repr(routing) == "<routing spr of Moebius(n=3, twist=0), virtual_channels=2>"


HARDWARE = st.fixed_dictionaries(
    {},
    optional={
        "data_width": st.sampled_from([16, 32, 64]),
        "virtual_channels": st.sampled_from([1, 4, 8]),
        "buffer_depth": st.sampled_from([8, 16]),
        "pipeline": st.integers(1, 2),
        "allow_deadlock": st.booleans(),
        "multicast": st.booleans(),
        "max_packet": st.sampled_from([8, 16]),
    },
)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("hypercube n=3", "hypercube_n3"),
        ("hypercube n=3 data_width=64", "hypercube_n3_data_width64"),
        ("hypercube n=3 routing=ecube virtual_channels=1 buffer_depth=16", "hypercube_n3"),
        ("hypercube n=3 virtual_channels=2", "hypercube_n3_virtual_channels2"),
        ("torus x=5 y=4 virtual_channels=2", "torus_x5_y4"),  # what its routing needs
        ("torus x=4 y=4 virtual_channels=4", "torus_x4_y4_virtual_channels4"),
        ("torus x=4 y=4 directions=one", "torus_x4_y4_directionsone"),
        ("hypercube n=3 multicast=yes", "hypercube_n3_multicastyes"),
        (
            "hypercube n=3 multicast=yes max_packet=8 buffer_depth=8",
            "hypercube_n3_multicastyes_buffer_depth8",
        ),
        (
            "hypercube n=3 multicast=yes max_packet=16 buffer_depth=8",
            "hypercube_n3_multicastyes_max_packet16_buffer_depth8",
        ),
        ("wk w=3 levels=2", "wk_w3_levels2"),
        ("wk w=3 levels=2 broadcast=mask", "wk_w3_levels2_broadcastmask"),
        ("moebius n=4 routing=spr", "moebius_n4_twist0_spr"),
        ("moebius n=4 routing=spr vc_scheme=escape", "moebius_n4_twist0_spr_vc_schemeescape"),
        (
            "hypercube n=3 router=deflection source=no data_width=28",
            "hypercube_n3_deflection_data_width28_sourceno",
        ),
        ("hypercube n=3 name=my_noc data_width=64", "my_noc"),
    ],
)
def test_the_name_tells_what_is_not_default(words, name):
    network = Network.from_words(words.split())
    assert network.name == name
    assert {kind.name for kind in network.router_kinds} == {
        f"{name}_{kind.role}" for kind in network.router_kinds
    }


def made(keys):
    """Network of these keys; None where they do not go together."""
    try:
        return Network(Moebius(n=3), **keys)
    except ConfigurationError:
        return None


@given(HARDWARE, HARDWARE)
def test_names_differ_exactly_where_networks_do(one, other):
    first, second = made(one), made(other)
    if first is not None and second is not None:
        assert (first.name == second.name) == (first.parameters == second.parameters)


@given(HARDWARE, st.sampled_from([None, "my_noc"]))
def test_the_parameters_make_the_network_again_with_its_name(keys, name):
    network = made({**keys, "name": name})
    if network is not None:
        again = Network.from_texts("moebius", network.parameters)
        assert (again.name, again.parameters) == (network.name, network.parameters)
        assert ("name" in network.parameters) == (name is not None)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("moebius:n=3,multicast=yes,virtual_channels=1", "moebius:n=3,multicast=yes,max_packet=2"),
        ("wk:w=3,levels=2,max_packet=20", "wk:w=3,levels=2,buffer_depth=20"),
        ("wk:w=3,levels=2,tables=loaded", "wk:w=3,levels=2,tables=loaded,broadcast=no"),
    ],
)
def test_a_network_has_one_name_whichever_of_its_keys_were_named(one, other):
    first, second = Network.from_word(one), Network.from_word(other)
    assert first.parameters == second.parameters
    assert first.name == second.name


def test_a_toml_file_names_it_and_a_word_names_it_otherwise(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('network = "hypercube"\nn = 3\nname = "ours"\n')
    assert Network.from_words([str(file)]).name == "ours"
    assert Network.from_words([str(file), "name=theirs"]).name == "theirs"
    file.write_text('network = "hypercube"\nn = 3\nname = 3\n')
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words([str(file)])
    assert str(refusal.value) == f"hypercube: name must be {IDENTIFIER.rule}, not 3"


@pytest.mark.parametrize("name", ["3d", "endmodule", "top", "TOP", "", "a b", "../up", "x" * 129])
def test_a_name_that_no_module_can_have_is_refused_in_one_line(name):
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_words(["hypercube", "n=3", f"name={name}"])
    assert str(refusal.value) == (
        "hypercube: name must be an identifier of at most 128 letters, digits and _, not a "
        f"Verilog keyword and not selftest, std, testbench, top or TOP, not {name!r}"
    )


def test_long_names_end_with_a_digest_and_stay_different():
    trees = [FatTree(r=(2,) * 15, u=(1,) * 14 + (last,)) for last in (1, 2)]
    told = {"data_width": 512, "max_packet": 1024, "network_seed": 10**9}
    few = Network(FatTree(r=(2, 2), u=(1, 2))).name
    assert few == "fattree_r2_2_u1_2"
    names = [join_name(tree.instance_name, ["scheduled"], told) for tree in trees]
    for name in names:
        assert len(name) == LONGEST
        assert IDENTIFIER.accepts(name)
        assert re.fullmatch(r"fattree_r2_2_\w*_[0-9a-f]{8}", name)
    assert len(set(names)) == 2


@pytest.mark.parametrize(
    ("topology", "begins"),
    [("3d_mesh_x2", "_3d_mesh_x2_"), ("table", "table_"), ("ring_filea/b.json", "ring_filea_b_")],
)
def test_a_default_name_is_an_identifier_whatever_the_topology_is_called(topology, begins):
    name = join_name(topology, [], {})
    assert name.startswith(begins)
    assert IDENTIFIER.accepts(name)


@pytest.mark.parametrize(
    ("word", "answers"),
    [
        ("moebius:n=4,routing=spr,pipeline=2", {"virtual_channels": 2, "cycles_per_hop": 2}),
        ("hypercube:n=3,parity=yes", {"has_parity": True, "flag_width": 1}),
        ("hypercube:n=3,multicast=yes", {"has_multicast": True, "virtual_channels": 3}),
        ("wk:w=3,levels=2", {"has_broadcast": True, "has_multicast": False}),
        ("wk:w=3,levels=2,broadcast=no", {"has_broadcast": False}),
        ("ccc:n=4,routing=lc2,words=3", {"router_class": "batch", "longest_packet": 3}),
        ("lcan:d=2,u=2,levels=2", {"router_class": "circuit", "longest_packet": 16}),
        ("mesh:x=2,y=2,router=deflection,source=no", {"has_source": False, "longest_packet": 1}),
        ("mesh:x=2,y=2,router=deflection,sequence_width=5", {"sequence_width": 5}),
        ("mesh:x=2,y=2,allow_deadlock=yes", {"allows_deadlock": True, "longest_packet": None}),
    ],
)
def test_answers(word, answers):
    network = Network.from_word(word)
    assert {name: getattr(network, name) for name in answers} == answers
    assert network.router_class in ROUTER_PARAMETERS


def test_networks_are_resolved_and_buffers_hold_a_round_of_credits():
    network = Network(Moebius(n=4, twist=0))
    hardware = PacketParameters.of(network.hardware)
    assert hardware.virtual_channels == network.virtual_channels == 1
    assert network.parameters["virtual_channels"] == 1
    assert Network(Moebius(n=8, twist=0), routing="spr").parameters["virtual_channels"] == 3
    network = network_of([(0, 1, 5), (1, 2)], buffer_depth=6)
    assert (network.latency(0, 1), network.latency(1, 2)) == (5, 1)
    assert (network.depth_behind(0, 1), network.depth_at(0, 1)) == (12, 12)
    assert (network.depth_behind(1, 2), network.depth_at(1, 2), network.depth_at(1, 0)) == (6, 6, 6)
    assert (network.deepest_buffer, network.buffer_depth_over(16)) == (12, 34)
    plain = Network(Moebius(n=4, twist=0))
    assert (plain.latency(0, 1), plain.depth_at(0, 1), plain.depth_behind(0, 1)) == (1, 16, 16)
    assert (plain.deepest_buffer, plain.buffers_behind) == (16, None)
    network = network_of([(0, 1, 5), (1, 2)], buffer_depth=5, pipeline=3)
    assert (network.depth_behind(0, 1), network.depth_behind(1, 2)) == (13, 5)


def test_long_links_need_credits():
    with pytest.raises(ConfigurationError) as error:
        network_of([(0, 1, 5), (1, 2)], pipeline=1)
    assert str(error.value) == (
        "graph: latency must be 1 with pipeline=1, whose routers have no options, not 5; "
        "pipeline=2 has them all"
    )


@pytest.mark.parametrize(
    ("word", "cycles"), [("mesh:x=3,y=2,pipeline=1", 1), ("hypercube:n=3", 2),
                         ("hypercube:n=3,pipeline=3", 2), ("mesh:x=3,y=2,router=deflection", 2)]
)  # fmt: skip
def test_a_cycle_of_the_crossbar_is_not_on_the_way_to_a_node(word, cycles):
    network = Network.from_word(word)
    assert network.cycles_to_node == cycles
    assert network.has_crossbar_stage == (network.cycles_per_hop == 3)


@pytest.mark.parametrize(
    ("keys", "line"),
    {
        "pipeline=1": "mesh: classes must be 1 with pipeline=1, whose routers have no options, "
        "not 2; pipeline=2 has them all",
        "class_limits=1/4": "mesh: class_limits must be 2 numbers, one for each class, not 1/4",
        "class_limits=1,1/4,class_bursts=1,2,3": "mesh: class_bursts must be 2 numbers, one for "
        "each class, not 1,2,3",
        "class_bursts=1,2": "mesh: class_bursts must be used with class_limits, not alone as 1,2",
        "class_limits=1,1/257": "packet router: class_limits must be fractions above 0 and up to "
        "1, with denominators of at most 256, separated by commas, not '1,1/257'",
        "class_limits=1,1/0": "packet router: class_limits must be fractions above 0 and up to 1, "
        "with denominators of at most 256, separated by commas, not '1,1/0'",
        "arbitration=weighted,class_weights=1,2,3": "mesh: class_weights must be 2 numbers, one "
        "for each class, not 1,2,3",
        "class_weights=3,1": "mesh: class_weights must be used with arbitration=weighted, not with "
        "strict as 3,1",
        "arbitration=weighted,class_weights=0,16": "packet router: class_weights must be integers "
        "in 1..15 separated by commas, not (0, 16)",
        "arbitration=lottery": "packet router: arbitration must be one of strict, weighted, not "
        "'lottery'",
    }.items(),
)
def test_classes_need_credits(keys, line):
    with pytest.raises(ConfigurationError) as error:
        Network.from_word(f"mesh:x=3,y=2,classes=2,{keys}")
    assert str(error.value) == line
    network = Network.from_word("mesh:x=3,y=2,classes=2")
    assert (network.cycles_per_hop, network.traffic_classes) == (2, 2)


@pytest.mark.parametrize("key", ["class_limits=1/4", "class_bursts=4", "class_weights=4"])
def test_limits_are_of_classes(key):
    with pytest.raises(ConfigurationError) as error:
        Network.from_word(f"mesh:x=3,y=2,{key}")
    name, _, told = key.partition("=")
    assert str(error.value) == (
        f"mesh: {name} must be left unset without classes of traffic, not {told}"
    )


def test_limits_of_each_class():
    network = Network.from_word("mesh:x=3,y=2,classes=3,class_limits=1,0.25,1/9,class_bursts=1,2,3")
    assert network.injection_limits == (
        None, Limit(Fraction(1, 4), 2), Limit(Fraction(1, 9), 3),
    )  # fmt: skip
    assert Network.from_word("mesh:x=3,y=2").injection_limits == (None,)
    assert Network.from_word("mesh:x=2,y=2,router=deflection").injection_limits == (None,)
    again = Network(with_classes(Mesh(x=3, y=2), 2), class_limits=[1, "1/20"])
    assert again.injection_limits == (None, Limit(Fraction(1, 20), 1))
    assert again.parameters["class_limits"] == "1,1/20"
    assert again.name == "mesh_x3_y2_classes2_class_limits1_1in20"


def test_weights_of_each_class():
    word = "mesh:x=3,y=2,classes=3"
    assert Network.from_word(word).class_weights == ()
    assert Network.from_word(f"{word},arbitration=strict").parameters.get("arbitration") is None
    even = Network.from_word(f"{word},arbitration=weighted")
    assert even.class_weights == (1, 1, 1)
    network = even.changed(class_weights="3,1,15")
    assert network.class_weights == (3, 1, 15)
    told = {key: network.parameters[key] for key in ("arbitration", "class_weights")}
    assert told == {"arbitration": "weighted", "class_weights": (3, 1, 15)}
    assert network.name == "mesh_x3_y2_classes3_arbitrationweighted_class_weights3_1_15"
    again = Network(with_classes(Mesh(x=3, y=2), 2), arbitration="weighted", class_weights=[3, 1])
    assert again.class_weights == (3, 1)
    assert Network.from_word("mesh:x=2,y=2,router=deflection").class_weights == ()
    with pytest.raises(ConfigurationError) as error:
        Network.from_word("mesh:x=3,y=2,arbitration=weighted")
    assert str(error.value) == (
        "mesh: arbitration must be strict without classes of traffic, not weighted"
    )


def test_a_network_by_another_routing_keeps_its_hardware_but_no_key_of_the_first():
    words = "moebius:n=4,routing=spr,virtual_channels=4,data_width=64,buffer_depth=8"
    other = Network.from_word(words).with_routing("dfr")
    assert other.name == Network.from_word("moebius:n=4,data_width=64,buffer_depth=8").name
    batch = Network.from_word("hypercube:n=3,data_width=64,buffer_depth=8").with_routing("lc1")
    assert (
        batch.parameters == Network.from_word("hypercube:n=3,routing=lc1,data_width=64").parameters
    )
    with pytest.raises(ConfigurationError, match="moebius: routing must be one of dfr, spr, "):
        other.with_routing("ecube")


@pytest.mark.parametrize(
    ("keys", "capacity"),
    # A channel sends its buffer once per round of credits: 4 cycles by default, 5 with pipeline=3.
    [("", 1), ("pipeline=3,buffer_depth=2", 0.4), ("pipeline=3,buffer_depth=2,lanes", 0.8)],
)
def test_channels_fill_a_link_together(keys, capacity):
    keys = keys.replace("lanes", "virtual_channels=2")
    assert Network.from_word(f"mesh:x=2,y=2,{keys}").link_capacity == pytest.approx(capacity)
