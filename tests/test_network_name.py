import re

import pytest
from helpers.ring import Ring, RingRouting
from hypothesis import given
from hypothesis import strategies as st
from knotwork import FatTree, Moebius, Network
from knotwork.errors import ConfigurationError
from knotwork.network_name import joined_name
from knotwork.parameters import IDENTIFIER
from knotwork.parameters.identifier import LONGEST

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
        ("hypercube n=3 data_width=32", "hypercube_n3"),
        ("hypercube n=3 data_width=64", "hypercube_n3_data_width64"),
        ("hypercube n=3 routing=ecube virtual_channels=1 buffer_depth=16", "hypercube_n3"),
        ("hypercube n=3 virtual_channels=2", "hypercube_n3_virtual_channels2"),
        ("torus x=5 y=4 virtual_channels=2", "torus_x5_y4"),  # what its routing needs
        ("torus x=4 y=4 virtual_channels=4", "torus_x4_y4_virtual_channels4"),
        ("torus x=4 y=4 directions=one", "torus_x4_y4_directionsone"),
        ("hypercube n=3 multicast=yes", "hypercube_n3_multicastyes"),
        ("hypercube n=3 multicast=yes max_packet=16", "hypercube_n3_multicastyes"),
        ("hypercube n=3 multicast=yes max_packet=8", "hypercube_n3_multicastyes_max_packet8"),
        (
            "hypercube n=3 multicast=yes max_packet=8 buffer_depth=8",
            "hypercube_n3_multicastyes_buffer_depth8",
        ),
        (
            "hypercube n=3 multicast=yes max_packet=16 buffer_depth=8",
            "hypercube_n3_multicastyes_max_packet16_buffer_depth8",
        ),
        ("wk w=3 levels=2", "wk_w3_levels2"),
        ("wk w=3 levels=2 broadcast=label max_packet=16", "wk_w3_levels2"),
        ("wk w=3 levels=2 broadcast=mask", "wk_w3_levels2_broadcastmask"),
        ("moebius n=4 routing=spr", "moebius_n4_twist0_spr"),
        ("moebius n=4 routing=spr vc_scheme=ascents", "moebius_n4_twist0_spr"),
        ("moebius n=4 routing=spr vc_scheme=escape", "moebius_n4_twist0_spr_vc_schemeescape"),
        (
            "hypercube n=3 router=deflection source=no data_width=28",
            "hypercube_n3_deflection_data_width28_sourceno",
        ),
        ("hypercube n=3 parity=yes", "hypercube_n3_parityyes"),
        ("hypercube n=3 name=my_noc data_width=64", "my_noc"),
        ("hypercube n=3 name=hypercube_n3", "hypercube_n3"),
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
    names = [joined_name(tree.instance_name, ["scheduled"], told) for tree in trees]
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
    name = joined_name(topology, [], {})
    assert name.startswith(begins)
    assert IDENTIFIER.accepts(name)


def test_a_network_outside_the_registry_has_a_name_too():
    assert Network(Ring(nodes=6), routing=RingRouting).name == "loop_nodes6_shortest"
    named = Network(Ring(nodes=6), routing=RingRouting, name="ours")
    assert (named.name, named.parameters["name"]) == ("ours", "ours")
