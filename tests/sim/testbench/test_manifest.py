"""Manifests that fit, and the line that refuses those that do not."""

import json

import knotwork
import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Network
from knotwork.emit import manifest as manifest_of
from knotwork.errors import ConfigurationError
from knotwork_sim.testbench import Manifest

WORDS = (
    "hypercube:n=2,multicast=yes",
    "fattree:r=2,2,u=1,2",
    "ccc:n=2,routing=lc2,words=2",
    "torus:x=3,y=2,router=deflection,sequence_width=3",
    "wk:w=2,levels=2,name=mine",
)


@pytest.fixture
def write(tmp_path):
    def write(network, **changes):
        path = tmp_path / "manifest.json"
        path.write_text(json.dumps(manifest_of(network) | changes))
        return path

    return write


@pytest.mark.parametrize("word", WORDS)
def test_it_makes_its_network_again(write, word):
    network = Network.from_word(word)
    made = Manifest.read(write(network), version=knotwork.__version__).network
    assert (made.name, made.parameters) == (network.name, network.parameters)


def test_it_names_every_port_of_the_design(write):
    ports = dict(Manifest.read(write(Network.from_word("ccc:n=2,routing=lc2"))).ports())
    # Of each of 4 nodes 5 signals in, 6 out (lc2 has four flags) and a refusal.
    assert (ports["clk"], ports["s_axis_3_tdest"], ports["m_axis_0_tuser"]) == (1, 2, 4)
    assert (ports["s_axis_config_tvalid"], ports["status"]) == (1, 5)
    assert len(ports) == 2 + 4 * (5 + 6 + 1) + 4 + 1


def line(path, **keys):
    with pytest.raises(ConfigurationError) as error:
        Manifest.read(path, **keys)
    assert "\n" not in str(error.value)
    return str(error.value).replace(str(path), "FILE")


def test_a_testbench_for_another_version_is_refused(write):
    here = write(Network(Hypercube(n=1)))
    assert line(here, version="0.0.9") == (
        "FILE: version must be 0.0.9, for which this testbench was written, not "
        f"{knotwork.__version__}"
    )
    other = write(Network(Hypercube(n=1)), version="7.0")
    assert line(other) == (
        f"FILE: version must be {knotwork.__version__}, that of the installed Knotwork, not 7.0"
    )


def test_a_manifest_that_contradicts_itself_is_refused(write):
    network = Network(Hypercube(n=1))
    widths = manifest_of(network)["widths"] | {"data": 64}
    assert line(write(network, widths=widths)).startswith(
        'FILE: widths must be that of hypercube_n1, {"data": 32'
    )
    assert line(write(network, nodes=[])).startswith("FILE: nodes must be that of hypercube_n1, [{")
    assert line(write(network, parameters={"n": 99})).startswith("FILE: hypercube: n must be")
    assert line(write(network, parameters=[])) == "FILE: network and parameters must be named"
    assert line(write(network), network=Network(Hypercube(n=2))).startswith(
        "FILE: parameters must be that of hypercube_n2"
    )


def test_a_file_that_is_no_manifest_is_refused(tmp_path):
    path = tmp_path / "manifest.json"
    assert "must be a readable JSON file" in line(path)
    path.write_text("[1]")
    assert line(path) == "FILE: must be a manifest that `knotwork generate` wrote"


def test_a_network_of_ones_own_goes_beside_its_manifest(write):
    network = Network(Ring(nodes=5), routing=RingRouting)
    path = write(network)
    assert "a network must be one of" in line(path)
    assert Manifest.read(path, network=network).network is network
