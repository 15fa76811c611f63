import re

import pytest
from helpers.cases import slow
from helpers.emitted import module_ports, modules, verilog_of
from knotwork import Hypercube, Network
from knotwork.emit.modules import router_verilog
from knotwork.gateware.layouts import flit_layout
from knotwork.tools import run_tool

CONTROL = "S,EN,SRST,ARST,CLK,ADDR,RD_ADDR,WR_ADDR,WR_EN,RD_EN,WR_CLK,RD_CLK"


def data_sources(text, top, outputs, folder):
    """Inputs of a module from which data can come to each output, by the synthesised netlist.

    `outputs` has the bits of each that are looked at.
    """
    (folder / "router.v").write_text(text)
    script = ["read_verilog -DSYNTHESIS router.v", f"hierarchy -top {top}"]
    script += ["proc", "flatten", "opt_clean", "memory_collect"]
    script += ["splitnets -ports -format _", "splitcells"]
    for output, bits in outputs.items():
        script.append(f"select -set bits {' '.join(f'o:{output}_{bit}' for bit in bits)}")
        script.append(f"select -write {output}.txt @bits %ci*:-[{CONTROL}] i:* %i")
    (folder / "cone.ys").write_text("\n".join(script) + "\n")
    run_tool(["yosys", "-q", "cone.ys"], folder)
    found = {output: (folder / f"{output}.txt").read_text().split() for output in outputs}
    bit = re.compile(r".*/|_\d+$")
    return {output: {bit.sub("", line) for line in found[output]} for output in outputs}


NODE = {"address", "s_axis_tdata", "s_axis_tlast", "s_axis_tdest"}


@pytest.mark.parametrize("word", ["hypercube:n=4,data_width=8", "moebius:n=4,twist=1,pipeline=2"])
def test_a_dimension_is_fed_by_the_node_and_the_higher_ones_alone(word, tmp_path):
    """So dim3 has no path from dim0: routes fall, and no crosspoint is built for another."""
    network, text = verilog_of(word)
    layout = flit_layout(network)
    # The mark of a tail may come from the front, which all inputs of the router decide on.
    bits = [bit for bit in range(layout.size) if bit != layout["last"].offset]
    outputs = {f"dim{dimension}_o_flit": bits for dimension in range(4)}
    found = data_sources(text, network.module_name("router"), outputs, tmp_path)
    for dimension, output in enumerate(outputs):
        higher = {f"dim{i}_i_flit" for i in range(dimension + 1, 4)}
        # A RAM that has the mark is one cell with all other bits.
        assert found[output] | {"s_axis_tlast"} == NODE | higher


def test_a_switch_leads_nothing_back_up(tmp_path):
    """No crosspoint from B to D, in the names of the paper's section 2.1."""
    _, text = verilog_of("lcan:d=4,u=2,levels=3,data_width=8,max_packet=2,name=tree")
    found = data_sources(
        text, "tree_router_level1", {"d0_data": range(8), "d1_data": range(8)}, tmp_path
    )
    for sources in found.values():
        links = {source for source in sources if re.fullmatch(r"[ab]\d_data", source)}
        assert links == {f"a{c}_data" for c in range(4)}


@pytest.mark.parametrize(("d", "u"), [(2, 2), (3, 2), slow(4, 2), slow(4, 4)])
def test_a_switch_has_the_crosspoints_that_routes_can_close(d, u):
    """d^2 + 2 d u on level 0; above without the diagonal, and at the top with nothing above."""
    _, text = verilog_of(f"lcan:d={d},u={u},levels=3,data_width=8,max_packet=2,name=tree")
    for level, count in enumerate((d * d + 2 * d * u, d * d + 2 * d * u - d, d * d - d)):
        module = re.findall(
            rf"^module tree_router_level{level} .*?^endmodule", text, re.MULTILINE | re.DOTALL
        )
        registers = re.findall(
            r"^  reg (?:\[(\d+):0\] )?crosspoints_[cd]\d+\b", module[0], re.MULTILINE
        )
        assert sum(int(high or 0) + 1 for high in registers) == count


def test_ports_are_the_nodes_streams_and_a_link_each_way_a_port():
    network, text = verilog_of("moebius:n=2,virtual_channels=3,data_width=16")
    flit = 16 + 1 + 2 + 2
    expected = {
        "clk": ("input", 1),
        "rst": ("input", 1),
        "address": ("input", 2),
        "refused": ("output", 1),
    }
    for prefix, ahead, back, side in (
        ("s_axis", "input", "output", "tdest"),
        ("m_axis", "output", "input", "tid"),
    ):
        expected |= {
            f"{prefix}_tvalid": (ahead, 1),
            f"{prefix}_tready": (back, 1),
            f"{prefix}_tdata": (ahead, 16),
            f"{prefix}_tlast": (ahead, 1),
            f"{prefix}_{side}": (ahead, 2),
        }
    for port in ("dim0", "dim1"):
        for way, ahead, back in (("i", "input", "output"), ("o", "output", "input")):
            expected |= {
                f"{port}_{way}_valid": (ahead, 3),
                f"{port}_{way}_credit": (back, 3),
                f"{port}_{way}_flit": (ahead, flit),
            }
    assert module_ports(text, network.module_name("router")) == expected
    assert len(network.router_kinds) == 1


def test_modules_say_what_they_are_behind_the_name_of_the_file():
    network = Network(Hypercube(n=2))
    (kind,) = network.router_kinds
    text = router_verilog(network, kind)
    names = modules(text)
    assert all(name.startswith("hypercube_n2_router") for name in names)
    parts = ("injector", "input_buffer_3way_35bit", "matrix_arbiter_2way", "credit_count_16")
    for part in parts:
        assert f"hypercube_n2_router_{part}" in names
    assert names[-1] == "hypercube_n2_router"
    assert text == router_verilog(network, kind)


def test_each_constant_pin_of_a_network_of_one_router_is_a_port_of_it():
    """A number in a range of one has no bits, and no port in Verilog."""
    network, text = verilog_of("mesh:x=2,y=1,dead=0,data_width=8,tables=loaded")
    router = network.module_name("router")
    (pins,) = re.findall(rf"^  {router} \w+ \((.*?)\);", text, re.MULTILINE | re.DOTALL)
    named = re.findall(r"\.(\w+)\(", pins)
    ports = module_ports(text, router)
    assert sorted(named) == sorted(ports)
    assert ports["number"] == ("input", 1)
