"""Which package reads the words of a network, and that plain networks load no other."""

import subprocess
import sys

import pytest
from knotwork import Hypercube, Network
from knotwork.designs import Design, read_design, read_network, read_network_word
from knotwork.emit.package import network_files
from knotwork.errors import ConfigurationError
from knotwork_soc import designs
from knotwork_soc.designs import SystemDesign

NETWORK = Network(Hypercube(n=1))


def test_a_plain_design_is_its_network():
    design = read_design(["hypercube", "n=1"])
    assert type(design) is Design
    assert design.name == design.network.name == NETWORK.name
    assert design.is_plain
    assert design.bare_network() is design.network
    assert design.deadlock_report == NETWORK.deadlock_report
    assert (design.facts(), [*design.advice()]) == ({}, [])
    assert design.files(split=True) == network_files(NETWORK, split=True)


@pytest.mark.parametrize("words", ["node.width=32", "keep=no", "bus.timeout=20", "reset=high"])
def test_keys_of_systems_make_a_system(words):
    design = read_design(["hypercube", "n=1", words])
    assert isinstance(design, SystemDesign)
    assert design.is_plain
    assert design.files() == network_files(NETWORK)


def test_a_network_is_taken_out_of_its_system(monkeypatch):
    lines = []
    monkeypatch.setattr(designs, "report", lines.append)
    words = ["hypercube", "n=1", "node.1.clock=own"]
    assert read_network(words).name == "hypercube_n1"
    assert lines == [
        "hypercube_n1_node_1_clockown: the network alone, without its nodes' adapters "
        "(node.1.clock=own ...)"
    ]
    assert read_network_word("hypercube:n=2,data_width=32").name == "hypercube_n2"
    assert len(lines) == 1


def test_an_unknown_key_is_refused_with_those_of_systems_too():
    with pytest.raises(ConfigurationError) as refused:
        read_design(["hypercube", "n=1", "kep=yes"])
    known, _, told = str(refused.value).partition(", not ")
    assert known.startswith("hypercube: a key must be one of n, ")
    assert known.endswith("keep, user_width, reset, reset_style, node.*, bus.*, map.*")
    assert told == "'kep'; did you mean keep?"
    with pytest.raises(ConfigurationError, match=r"^hypercube: a table of keys must be one of"):
        read_design(["hypercube", "n=1", "nodes.width=8"])


@pytest.mark.parametrize(
    "words",
    [
        "generate mesh x=2 y=1 -o noc",
        "check mesh x=2 y=1",
        "describe mesh x=2 y=1",
        "simulate mesh x=2 y=1 packets=2 --engine model",
    ],
)
def test_a_plain_network_loads_no_other_package(words, tmp_path):
    program = (
        "import sys\nfrom knotwork.cli.entry import main\n"
        f"sys.argv[1:] = {words.split()!r}\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "assert not [name for name in sys.modules if name.startswith('knotwork_soc')]"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path, check=True, capture_output=True)
