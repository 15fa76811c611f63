import re

import pytest
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.monitoring import network_registers
from knotwork_sim.rtl.wrapper import wrapper_verilog
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
    assert with_upsets(network, plain) == (plain, 0)
    assert with_reader(network, plain["testbench.v"]) == plain["testbench.v"]


def test_every_link_and_every_buffer_can_be_upset():
    network, plain = sources("mesh:x=2,y=2,parity=yes,data_width=8,buffer_depth=4")
    upset, links = with_upsets(network, plain)
    assert links == 8
    text = upset[f"{network.name}.v"]
    places = re.findall(r"\(link_\w+_flit \^ \(upset_link == 16'd(\d+) ", text)
    assert sorted(map(int, places)) == list(range(1, 9))
    stores = re.findall(r"reg \[\d+:0\] (\w+) \[.*public_flat_rw", text)
    assert set(stores) >= {"ram", "turns"}


def test_the_testbench_reads_every_register():
    network, plain = sources("mesh:x=2,y=2,counters=yes,watchdog=9,data_width=8")
    text = with_reader(network, plain["testbench.v"])
    read = {int(place) for place in re.findall(r"monitor_words\[\d+\] = (\d+);", text)}
    registers = network_registers(network)
    assert read >= {*registers.registers.values()}
    for array in registers.arrays.values():
        assert {array.offset, array.offset + 4 * (array.count - 1)} <= read
