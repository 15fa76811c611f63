"""The manifest of a network, and its other files."""

import json

import pytest
from helpers.emitted import module_ports, verilog_of
from helpers.long_links import network_of
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Network, __version__
from knotwork.emit import fusesoc_core, manifest, write_network
from knotwork.emit.verilog import lint_waivers
from knotwork.errors import ConfigurationError, DeadlockError

WORD = "moebius:n=3,twist=1,virtual_channels=3,data_width=8"


def test_the_manifest_has_the_fields_that_are_promised():
    network, _ = verilog_of(WORD)
    facts = manifest(network)
    assert facts["tool"] == "knotwork"
    assert facts["version"] == __version__
    assert facts["network"] == "moebius"
    assert facts["parameters"] == {
        "n": 3,
        "twist": 1,
        "routing": "dfr",
        "multicast": "no",
        "data_width": 8,
        "virtual_channels": 3,
        "buffer_depth": 16,
        "pipeline": 2,
        "allow_deadlock": "no",
    }
    name = "moebius_n3_twist1_data_width8_virtual_channels3"
    assert facts["top"] == network.name == name
    assert facts["files"] == [f"{name}.v"]
    assert facts["clock"] == {"port": "clk", "edge": "rising"}
    assert facts["reset"] == {"port": "rst", "active": "high", "synchronous": True}
    assert facts["in_order"] is True
    assert facts["nodes"][5] == {
        "index": 5,
        "label": "101",
        "address": 5,
        "inject": "s_axis_5",
        "eject": "m_axis_5",
        "refused": "refused_5",
    }
    assert [node["index"] for node in facts["nodes"]] == list(range(8))


@pytest.mark.parametrize(
    "word",
    [
        WORD,
        "hypercube:n=1,data_width=8",
        "hypercube:n=2,multicast=yes",
        "wk:w=2,levels=2",
        "ccc:n=3,routing=lc2",
        "lcan:d=3,u=2,levels=2,routing=scheduled",
        "hypercube:n=1,parity=yes,data_width=16",
        "torus:x=3,y=2,router=deflection,sequence_width=3",
        "torus:x=3,y=2,directions=one,router=deflection,source=no,data_width=28",
    ],
)
def test_the_manifest_names_the_verilogs_ports(word):
    network, text = verilog_of(word)
    facts, ports = manifest(network), module_ports(text, network.name)
    named = {facts[name]["port"] for name in ("clock", "reset")}
    assert [ports[name] for name in named] == [("input", 1)] * 2
    named |= {node["refused"] for node in facts["nodes"]}
    streams = [(node["inject"], "s_axis") for node in facts["nodes"]]
    streams += [(node["eject"], "m_axis") for node in facts["nodes"]]
    if "config" in facts:
        streams.append((facts["config"]["stream"], "s_axis_config"))
        named.add(facts["status"]["port"])
        assert ports[facts["status"]["port"]] == ("output", facts["status"]["width"])
    for prefix, widths in streams:
        named |= {f"{prefix}_tvalid", f"{prefix}_tready"}
        for name, width in facts["widths"][widths].items():
            named.add(f"{prefix}_{name}")
            way = "output" if widths == "m_axis" else "input"
            assert ports[f"{prefix}_{name}"] == (way, width)
    assert named == ports.keys()
    assert facts["widths"]["data"] == facts["widths"]["s_axis"]["tdata"]
    if network.has_source:
        assert facts["widths"]["address"] == facts["widths"]["m_axis"]["tid"]
    else:
        assert "tid" not in facts["widths"]["m_axis"]


def test_the_manifest_says_how_a_multicast_is_marked_and_what_it_may_be():
    network = Network.from_word("moebius:n=4,multicast=yes,max_packet=9")
    facts = manifest(network)
    assert facts["in_order"]  # the other packets of a flow are
    told = facts["multicast"]
    assert (told["max_destinations"], told["max_packet"], told["in_order"]) == (8, 9, False)
    assert "tuser" in told["mark"]
    assert facts["widths"]["s_axis"]["tuser"] == 1
    assert "multicast" not in manifest(Network.from_word("moebius:n=4"))


def test_the_manifest_says_how_a_broadcast_is_marked_and_what_it_may_be():
    facts = manifest(Network.from_word("wk:w=3,levels=2,broadcast=mask,max_packet=9"))
    assert facts["in_order"]  # packets to one node are, and broadcasts among themselves
    told = facts["broadcast"]
    assert (told["rule"], told["max_packet"]) == ("mask", 9)
    assert told["mark"].startswith("tuser = 1 on the packet's first beat")
    assert told["in_order"]
    assert told.keys() >= {"delivered", "refused", "order"}
    assert facts["widths"]["s_axis"]["tuser"] == 1
    whole = manifest(Network.from_word("wk:w=3,levels=2,buffer_depth=5"))
    assert whole["broadcast"]["max_packet"] == 5
    without = manifest(Network.from_word("wk:w=3,levels=2,broadcast=no"))
    assert "broadcast" not in without
    assert "tuser" not in without["widths"]["s_axis"]


def test_the_manifest_says_how_batches_go():
    facts = manifest(Network.from_word("ccc:n=6,routing=lc2,words=8"))
    assert facts["config"]["stream"] == "s_axis_config"
    assert facts["config"]["beats"] == 6
    assert facts["widths"]["s_axis_config"] == {"tdata": 1 + 3, "tlast": 1}
    assert facts["batch"]["words"] == 8
    assert (facts["batch"]["steps"], facts["batch"]["cycles"]) == (20, 160)
    assert facts["widths"]["m_axis"]["tuser"] == 4
    assert facts["status"]["width"] == 5
    assert facts["flags"].keys() >= {"tuser", "WRONG", "F1", "F2", "F3"}


def test_the_manifest_says_how_circuits_are_set_up():
    facts = manifest(Network.from_word("lcan:d=4,u=3,levels=3,routing=scheduled,max_packet=8"))
    assert facts["circuit"]["max_packet"] == 8
    assert facts["circuit"]["network_cycle"] == 6 * 2 + 8 + 6
    assert facts["circuit"]["links"] == {
        "A": "a0..a3: from below, by downer",
        "B": "b0..b2: from above, by upper",
        "C": "c0..c3: to below, by downer",
        "D": "d0..d2: to above, by upper",
    }
    assert facts["widths"]["s_axis"]["tuser"] == 2 + 2
    assert "bits 3..2 the upper to take on level 1" in facts["circuit"]["word"]
    assert "network_cycle_ends" not in facts["circuit"]
    adaptive = manifest(Network.from_word("lcan:d=4,u=3,levels=3,cycle=adaptive"))["circuit"]
    assert "6 L + B + 6" in adaptive["network_cycle_ends"]
    assert adaptive["network_cycle"] == 6 * 2 + 16 + 6
    assert "word" not in manifest(Network.from_word("lcan:d=4,u=3,levels=3"))["circuit"]


def test_the_manifest_says_where_packets_overtake_and_why_addresses_are_refused():
    network = Network.from_word("moebius:n=3,routing=spr,vc_scheme=escape")
    assert manifest(network)["in_order"] is False
    network = Network(Ring(nodes=6), routing=CyclicRingRouting, allow_deadlock="yes")
    assert "no node" in manifest(network)["refused"]


def test_the_six_files(tmp_path):
    network, text = verilog_of(WORD)
    folder = tmp_path / "new" / "folder"
    paths = write_network(network, folder)
    names = [*(f"{network.name}.{kind}" for kind in ("v", "vlt", "core"))]
    names += [f"{network.name}_addresses.h", f"{network.name}_addresses.vh", "manifest.json"]
    assert paths == [folder / name for name in names]
    assert sorted(paths) == sorted(folder.iterdir())
    assert paths[0].read_text() == text
    assert paths[1].read_text() == lint_waivers(network)
    assert paths[2].read_text() == fusesoc_core(network)
    assert json.loads(paths[5].read_text()) == manifest(network)


@pytest.mark.parametrize(
    ("below", "reason"), [("", "{} is not a folder"), ("deep/er", "Not a directory")]
)
def test_a_folder_that_cannot_be_written_is_refused(tmp_path, below, reason):
    network, _ = verilog_of("hypercube:n=1,data_width=8")
    (tmp_path / "file").write_text("mine")
    folder = tmp_path / "file" / below
    with pytest.raises(ConfigurationError) as caught:
        write_network(network, folder)
    text = f"{folder / network.name}.v: the file must be writable: {reason.format(folder)}"
    assert str(caught.value) == text
    assert [path.name for path in tmp_path.rglob("*")] == ["file"]
    assert (tmp_path / "file").read_text() == "mine"


def test_a_network_that_can_deadlock_leaves_no_folder(tmp_path):
    network = Network(Ring(nodes=6), routing=CyclicRingRouting)
    with pytest.raises(DeadlockError):
        write_network(network, tmp_path / "new")
    assert list(tmp_path.iterdir()) == []


def test_the_manifest_says_what_deflection_promises():
    word = "torus:x=4,y=4,directions=one,router=deflection,sequence_width=5"
    facts = manifest(Network.from_word(word))
    assert facts["in_order"] is False
    assert facts["parameters"]["router"] == "deflection"
    assert (facts["deflection"]["max_packet"], facts["deflection"]["most_hops"]) == (1, 18)
    assert "modulo 32" in facts["deflection"]["sequence"]["tuser"]
    assert "clock 16 after" in facts["deflection"]["sequence"]["ready"]
    plain = manifest(Network.from_word("hypercube:n=3,router=deflection"))["deflection"]
    assert "sequence" not in plain
    assert plain["most_hops"] == 2 * 256 * 8  # a turn for each of 8 addresses, 24 flits x 8 nodes
    assert "deflection" not in manifest(Network.from_word("hypercube:n=3"))


def test_the_manifest_says_how_broken_packets_are_marked():
    facts = manifest(Network.from_word("hypercube:n=3,parity=yes"))
    assert facts["widths"]["m_axis"]["tuser"] == 1
    assert facts["parameters"]["parity"] == "yes"
    assert "bit 0 of m_axis_*_tuser" in facts["parity"]["tuser"]
    plain = manifest(Network.from_word("hypercube:n=3"))
    assert "parity" not in plain
    assert "tuser" not in plain["widths"]["m_axis"]
    assert plain["parameters"]["virtual_channels"] == 1  # it is resolved


def test_the_manifest_tells_of_links_that_take_several_cycles():
    network = network_of([(0, 1, 9), (1, 2), (2, 0, 2)], directed=True)
    rows = manifest(network)["long_links"]
    assert rows == [
        {"from": "0", "port": "link0", "to": "1", "latency": 9, "buffer_depth": 20},
        {"from": "2", "port": "link0", "to": "0", "latency": 2, "buffer_depth": 16},
    ]
    assert "long_links" not in manifest(network_of([(0, 1)]))
    json.dumps(rows)


def test_files_of_flows_lie_beside_the_others(tmp_path):
    network, text = verilog_of("hypercube:n=1,data_width=8")
    plain = write_network(network, tmp_path / "plain")
    paths = write_network(network, tmp_path / "more", flows=["fusesoc", "fusesoc"])
    assert {path.name for path in plain} < {path.name for path in paths}
    assert len(paths) == len(set(paths))
    assert (tmp_path / "more" / f"{network.name}.v").read_text() == text
    assert fusesoc_core(network) == (tmp_path / "plain" / f"{network.name}.core").read_text()
