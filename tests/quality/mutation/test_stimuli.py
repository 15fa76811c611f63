import re

import pytest
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.monitoring import network_registers
from knotwork_sim.rtl.wrapper import wrapper_verilog
from quality.mutation.mutants import switched_network
from quality.mutation.stimuli import with_reader, with_upsets


def sources(word):
    network = Network.from_word(word)
    return network, {
        f"{network.name}.v": network_verilog(network),
        "testbench.v": wrapper_verilog(network),
    }


@pytest.mark.parametrize("word", ["mesh:x=2,y=2", "mesh:x=2,y=2,pipeline=1"])
def test_a_network_without_options_stays_as_it_is(word):
    network, plain = sources(word)
    assert with_upsets(network, network.router_kinds[0].name, plain) == (plain, 0)
    assert with_reader(network, plain["testbench.v"]) == plain["testbench.v"]


def test_every_link_into_a_mutant_and_every_buffer_of_it_can_be_upset():
    network = Network.from_word("mesh:x=3,y=1,parity=yes,data_width=8,buffer_depth=4")
    name = network.module_name("router_L_R")
    upset, links = with_upsets(network, name, switched_network(network, name, []))
    assert links == 2
    text = upset[f"{network.name}.v"]
    places = re.findall(r"[LR]_i_flit\((link_\w+_flit) \^ \(upset_link == 16'd(\d+) ", text)
    assert [place for _, place in places] == ["1", "2"]
    into = {link for link, _ in places}
    assert len(into) == 2
    stores = re.findall(r"reg \[\d+:0\] \\?(\S+) .*public_flat_rw", text)
    assert {store.rpartition(".")[2] for store in stores} == {"ram", "turns", "kept"}
    assert sum("input_L." in store for store in stores) == 2


def test_the_testbench_reads_every_register():
    network, plain = sources("mesh:x=2,y=2,counters=yes,watchdog=9,data_width=8")
    text = with_reader(network, plain["testbench.v"])
    read = {int(place) for place in re.findall(r"monitor_words\[\d+\] = (\d+);", text)}
    registers = network_registers(network)
    assert read >= {*registers.registers.values()}
    for array in registers.arrays.values():
        assert {array.offset, array.offset + 4 * (array.count - 1)} <= read
