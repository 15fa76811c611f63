"""The Verilog of a tree of collectives: its golden model in every cycle; faults in it are found."""

import json
from pathlib import Path

import pytest
from helpers.collectives import FAULTS
from helpers.emitted import lint, modules
from helpers.faults import changing
from knotwork import Network
from knotwork.emit.modules import module_verilog, planned_shell
from knotwork.errors import ToolError
from knotwork.gateware.collectives.plan import collective_module
from knotwork_sim.rtl.verilator import build_simulator

TESTBENCH = Path(__file__).parents[1] / "cocotb"
TOP = "noc_collective"
KEYS = "name=noc,collectives=yes,operations=sum,min,signed_max,xor,element_width=16"
QUIET = [
    *("-Wno-UNUSEDSIGNAL", "-Wno-DECLFILENAME"),
    *("-Wno-PROCASSINIT", "-Wno-PINCONNECTEMPTY"),
]
"""What is said of any network too, and why it is right: `emit.verilog`."""


def text_of(word):
    """Modules of a network's only group, the tree's last."""
    network = Network.from_word(word)
    (group,) = network.collective_groups
    module = collective_module(network, group)
    return module_verilog(planned_shell(network, module), module.name)


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Run Verilog beside its model; `edit` changes the text."""
    monkeypatch.syspath_prepend(TESTBENCH)

    def run(word, *, stall=0.3, rounds=12, edit=lambda text: text):
        word = f"{word},{KEYS}"
        sources = {
            f"{TOP}.v": edit(text_of(word)),
            "ports.vlt": f'`verilator_config\npublic_flat_rw -module "{TOP}" -var "*"\n',
        }
        facts = {"network": word, "seed": 1, "stall": stall, "rounds": rounds}
        environment = {"COLLECTIVE_FACTS": json.dumps(facts), "COCOTB_LOG_LEVEL": "WARNING"}
        simulator = build_simulator(sources, TOP)
        simulator.run("collective_testbench", tmp_path, environment=environment)

    return run


@pytest.mark.parametrize(
    "word",
    [
        "mesh:x=2,y=2,collective_watchdog=3",
        pytest.param("mesh:x=3,y=2", marks=pytest.mark.slow),
        pytest.param("mesh:x=4,y=4,groups=0,1,6,11,15", marks=pytest.mark.slow),
        pytest.param("torus:x=3,y=3", marks=pytest.mark.slow),
        pytest.param("ccc:n=3", marks=pytest.mark.slow),
        pytest.param("moebius:n=3", marks=pytest.mark.slow),
        pytest.param("hypercube:n=4", marks=pytest.mark.slow),
        pytest.param("wk:w=3,levels=2", marks=pytest.mark.slow),
        pytest.param("tcpg:k=1,m=1", marks=pytest.mark.slow),
        pytest.param("lcan:d=2,u=2,levels=3", marks=pytest.mark.slow),
        pytest.param("fattree:r=4,4,u=2,2", marks=pytest.mark.slow),
        pytest.param("mesh:x=3,y=3,dead=1-4", marks=pytest.mark.slow),
        pytest.param("mesh:x=2,y=2,nodes_per_router=2", marks=pytest.mark.slow),
    ],
)
def test_it_equals_its_model_in_every_cycle(run, word):
    run(word)


@pytest.mark.slow
@pytest.mark.fault
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_it_is_found(run, fault):
    with pytest.raises(ToolError):
        run("mesh:x=3,y=2", edit=changing(*FAULTS[fault]))


def test_each_module_stands_once_whatever_the_number_of_its_places():
    names = modules(text_of(f"mesh:x=8,y=8,{KEYS}"))
    assert len(names) == len(set(names)) == 14
    assert names[-1] == TOP
    assert all(name.startswith(TOP) for name in names)


def test_lint_finds_nothing_but_bits_that_are_not_read(tmp_path):
    file = tmp_path / f"{TOP}.v"
    file.write_text(text_of(f"lcan:d=2,u=2,levels=2,{KEYS}"))
    said = lint(file, top=TOP, options=QUIET)
    assert said == ""
