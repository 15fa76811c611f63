from knotwork.cli.checkup import Cache, Finding
from knotwork_sim import checkup


def test_what_simulation_needs_and_what_it_can_do_without():
    found = list(checkup.examine())
    tools = {each.name: each.needed for each in found if isinstance(each, Finding)}
    assert {name for name, needed in tools.items() if needed} == {
        *("verilator", "cocotb", "matplotlib", "c++", "make", "perl"),
    }
    assert {"distributed", "pyarrow", "ziglang", "iverilog", "gtkwave"} <= tools.keys()
    assert any(isinstance(each, Cache) for each in found)
