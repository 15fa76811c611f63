"""Facts of a system, and how `describe` shows them."""

import json

from click.testing import CliRunner
from knotwork.cli.verbs.describe import describe
from knotwork.system import System
from knotwork.system.facts import system_facts

WORDS = (
    "mesh x=2 y=2 name=chip node.1.width=64 node.1.clock=own node.2.bus=axi4 node.2.side=target "
    "node.3.bus=axi4 node.3.side=initiator map.ram.base=0x1000 map.ram.size=4K map.ram.node=2"
)


def test_nodes_planes_and_addresses_are_told():
    told = system_facts(System.from_words(WORDS.split()))
    assert told["planes"] == [
        {"name": name, "data_width": 32} for name in ("streams", "requests", "responses")
    ]
    assert told["at"][1] == {
        "node": 1,
        "label": "0.1",
        "bus": "stream",
        "side": None,
        "width": 64,
        "clock": "own",
    }
    assert told["map"] == [{"name": "ram", "base": 4096, "size": 4096, "node": 2}]
    assert told["bus"]["data_width"] == 32


def test_a_network_alone_has_nothing_to_tell():
    assert system_facts(System.from_words(["mesh", "x=2", "y=2"])) == {}


def test_describe_shows_them():
    shown = CliRunner().invoke(describe, WORDS.split()).output
    assert "0x1000..0x1fff" in shown
    assert "initiator" in shown
    told = json.loads(CliRunner().invoke(describe, [*WORDS.split(), "--json"]).output)
    assert told["system"]["top"] == "chip"
    alone = json.loads(CliRunner().invoke(describe, ["mesh", "x=2", "y=2", "--json"]).output)
    assert "system" not in alone
