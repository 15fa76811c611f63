"""Manifests that fit, the ports that they name, and the line that refuses others."""

import json
from itertools import product
from types import SimpleNamespace

import knotwork
import pytest
from helpers.refusals import refuses
from helpers.ring import Ring, RingRouting
from knotwork import Hypercube, Network
from knotwork.emit import manifest as manifest_of
from knotwork.emit.testbench import contents_files
from knotwork.errors import ConfigurationError
from knotwork.version import public
from knotwork_sim.testbench.manifest import Manifest
from knotwork_sim.testbench.ports import bind

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
    again = Manifest.read(write(network), version=knotwork.__version__).network
    assert (again.name, again.parameters) == (network.name, network.parameters)


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


def test_a_manifest_of_another_version_or_that_contradicts_itself_is_refused(write):
    network, here = Network(Hypercube(n=1)), knotwork.__version__
    assert line(write(network), version="0.0.9") == (
        f"FILE: version must be 0.0.9, for which this testbench was written, not {here}"
    )
    assert line(write(network, version="7.0")) == (
        f"FILE: version must be {here}, that of the installed Knotwork, not 7.0"
    )
    of_another_commit = f"{public(here)}+0123456789ab"
    found = Manifest.read(write(network, version=of_another_commit), version=here)
    assert found.network.parameters == network.parameters
    said = line(write(network, widths=manifest_of(network)["widths"] | {"data": 64}))
    assert said.startswith('FILE: widths must be that of hypercube_n1, {"data": 32')
    assert line(write(network, nodes=[])).startswith("FILE: nodes must be that of hypercube_n1, [{")
    assert line(write(network, parameters={"n": 99})).startswith("FILE: hypercube: n must be")
    assert line(write(network, parameters=[])) == "FILE: network and parameters must be named"
    assert line(write(network, files=["other.v"])) == (
        'FILE: files must be names of Verilog files, one of them hypercube_n1.v, not ["other.v"]'
    )
    split = ["hypercube_n1_router.v", "hypercube_n1.v"]
    assert Manifest.read(write(network, files=split)).content["files"] == split
    said = line(write(network), network=Network(Hypercube(n=2)))
    assert said.startswith("FILE: parameters must be that of hypercube_n2")


def test_files_of_another_kind_are_refused(tmp_path, write):
    path = tmp_path / "manifest.json"
    assert "must be a readable JSON file" in line(path)
    path.write_text("[1]")
    assert line(path) == "FILE: must be a manifest that `knotwork generate` wrote"
    path = write(Network(Hypercube(n=1)))
    for text in ('{"file": {}}', "[]", '{"n": 3}', '{"data_width": {}}'):
        (tmp_path / "contents.json").write_text(text)
        assert line(path) == (
            f"{tmp_path}/contents.json: it must be what knotwork generate --testbench wrote, not "
            "another file"
        )


def test_a_network_of_ones_own_goes_beside_its_manifest(write):
    network = Network(Ring(nodes=5), routing=RingRouting)
    path = write(network)
    assert "a network must be one of" in line(path)
    assert Manifest.read(path, network=network).network is network


def test_it_needs_no_file_of_which_the_network_was_made(tmp_path):
    (tmp_path / "a.edges").write_text("0 1 3\n1 2\n2 0\n")
    (tmp_path / "rates.csv").write_text("0,1,0\n0,0,2\n1,0,0\n")
    (tmp_path / "table.csv").write_text(
        "router,destination,port,vc\n" + "".join(
            f"{a},{b},{'local' if a == b else 'dim0'},0\n" for a in (0, 1) for b in (0, 1)
        )
    )  # fmt: skip
    words = [
        f"graph:file={tmp_path}/a.edges,dead=0-2",
        f"graph:file={tmp_path}/a.edges,routing=balanced,routing_matrix={tmp_path}/rates.csv",
        f"hypercube:n=1,routing=table,table_file={tmp_path}/table.csv",
    ]
    networks = [Network.from_word(word) for word in words]
    for file in tmp_path.iterdir():
        file.unlink()
    for network in networks:
        (tmp_path / "manifest.json").write_text(json.dumps(manifest_of(network)))
        for name, text in contents_files(network).items():
            (tmp_path / name).write_text(text)
        made = Manifest.read(tmp_path / "manifest.json").network
        assert (made.name, made.parameters) == (network.name, network.parameters)
        assert (made.topology.neighbours == network.topology.neighbours).all()
        pairs = list(product(range(network.topology.nodes), repeat=2))
        ways = [[list(each.routing.hops(*pair)) for pair in pairs] for each in (network, made)]
        assert ways[0] == ways[1]


class Handle:
    def __init__(self, width):
        self.width = width

    def __len__(self):
        return self.width


@pytest.fixture
def manifest(write):
    return Manifest.read(write(Network(Hypercube(n=1))))


@pytest.fixture
def scope(manifest):
    handles = {name: Handle(width) for name, width in manifest.ports()}
    return SimpleNamespace(_path="chip.noc", **handles)


def test_every_stream_has_its_signals(scope, manifest):
    ports = bind(scope, manifest)
    assert ports.clock is scope.clk
    assert ports.inject[1].tdest is scope.s_axis_1_tdest
    assert ports.eject[0].tid is scope.m_axis_0_tid
    assert (ports.inject[0].tuser, ports.config, ports.status) == (None, None, None)


@pytest.mark.parametrize(
    ("port", "width", "line"),
    [
        ("m_axis_1_tready", 0, "chip.noc: must have the port m_axis_1_tready, which FILE names"),
        ("s_axis_0_tdata", 64, "chip.noc.s_axis_0_tdata: must have 32 bits, as FILE says, not 64"),
        ("s_axis_2_tvalid", 1, "FILE: must name node 2, as chip.noc has the port s_axis_2_tvalid"),
    ],
)
def test_a_port_that_does_not_fit_is_named(scope, manifest, port, width, line):
    setattr(scope, port, Handle(width))
    if not width:
        delattr(scope, port)
    with refuses(line.replace("FILE", manifest.where)):
        bind(scope, manifest)
