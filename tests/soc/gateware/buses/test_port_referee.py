"""Random bursts of cocotbext-axi's managers to its memories, over two planes of a network."""

import json
import shutil
from pathlib import Path

import pytest
from helpers.bus_network import BusNetwork, bus_network_verilog
from helpers.simulators import FAST, SIMULATOR
from knotwork import Network
from knotwork_sim.testbench.runner import run_tests
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.decoder import RegionOfNode

pytestmark = pytest.mark.slow  # each compiles its network with Verilator
PROGRAM = Path(__file__).parents[3] / "cocotb" / "bus_testbench.py"
SIZE = 0x2000


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a test of the testbench on a network with these nodes."""

    def run(word, bus, *, initiators, targets, test="random_bursts", **more):
        network = Network.from_word(f"{word},name=noc")
        addresses = [network.topology.address(node) for node in targets]
        regions = [RegionOfNode(n * SIZE, SIZE, one) for n, one in enumerate(addresses)]
        top = BusNetwork(network, bus, regions, initiators, targets)
        (tmp_path / "noc.v").write_text(bus_network_verilog(top, "noc"))
        facts = {
            "initiators": initiators,
            "targets": [(node, len(targets) * SIZE) for node in targets],
            "regions": [
                {"base": one.base, "size": one.size, "node": node}
                for one, node in zip(regions, targets, strict=True)
            ],
            "data_width": bus.data_width,
            "id_width": bus.id_width,
            "burst": bus.burst,
        }
        monkeypatch.setenv("BUS_FACTS", json.dumps(facts | more))
        shutil.copy(PROGRAM, tmp_path / "test_noc.py")
        monkeypatch.chdir(tmp_path)
        return run_tests(
            sources=[tmp_path / "noc.v"],
            top="noc",
            tests="test_noc",
            arguments=[SIMULATOR, "--test", test],
            build_args=FAST,
        )

    return run


@pytest.mark.parametrize(("flit_width", "stall"), [(36, 0), (16, 0.4)])
def test_memories_hold_what_was_written(run, flit_width, stall):
    status = run(
        f"mesh:x=2,y=2,data_width={flit_width},buffer_depth=4",
        BusParameters(burst=16, outstanding=4, id_width=2),
        initiators=[0, 3],
        targets=[1, 2],
        threads=4,
        bursts=30,
        stall=stall,
        seed=1,
    )
    assert status == 0


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        ("torus:x=3,y=3", {"data_width": 64, "burst": 256}),
        ("hypercube:n=3", {"data_width": 8, "burst": 4, "outstanding": 1}),
        ("mesh:x=2,y=2", {"data_width": 128, "burst": 65, "outstanding": 16, "id_width": 1}),
    ],
)
def test_buses_of_all_widths(run, word, keys):
    status = run(
        f"{word},data_width=40,buffer_depth=4",
        BusParameters(**keys),
        initiators=[0, 3],
        targets=[1, 2],
        threads=3,
        bursts=40,
        stall=0.2,
        seed=2,
    )
    assert status == 0
