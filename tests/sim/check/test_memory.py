import subprocess
import sys

from helpers.refusals import refuses
from knotwork.network import Network
from knotwork_sim.check import memory
from knotwork_sim.check.memory import point_bytes, require_memory
from knotwork_sim.traffic.keys import Traffic

CUBE = Network.from_word("hypercube:n=4")
CYCLES = 30_000


def test_longer_runs_and_larger_networks_need_more():
    base = point_bytes(CUBE, Traffic(), 0.1, CYCLES)
    assert point_bytes(CUBE, Traffic(), 0.2, CYCLES) > base
    assert point_bytes(CUBE, Traffic(), 0.1, 2 * CYCLES) > base
    assert point_bytes(CUBE, Traffic(length=(4, 4)), 0.1, CYCLES) < base
    large = point_bytes(Network.from_word("hypercube:n=12"), Traffic(), 0.1, CYCLES)
    assert large - base > 100 * (2**12 - 2**4) * 0.1 * CYCLES  # bytes per packet
    deep = Network.from_word("hypercube:n=14,buffer_depth=1024")
    assert point_bytes(deep, Traffic(), 0.0001, 300) > 2**14 * 15 * 1024 * 8


def test_a_run_takes_no_more_than_was_said():
    script = (
        "import re\n"
        "from pathlib import Path\n"
        "from knotwork.network import Network\n"
        "from knotwork_sim.sweep.load_result import Window\n"
        "from knotwork_sim.sweep.point import measure_point\n"
        "from knotwork_sim.traffic.keys import Traffic\n"
        "network = Network.from_word('hypercube:n=6')\n"
        "measure_point(network, Traffic(), 0.5, window=Window(measure=4000))\n"
        # Not `ru_maxrss`, which begins with the peak of the process that started this one.
        "status = Path('/proc/self/status').read_text()\n"
        "print(int(re.search(r'VmHWM:\\s+(\\d+) kB', status)[1]) * 1024)\n"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    network = Network.from_word("hypercube:n=6")
    said = point_bytes(network, Traffic(), 0.5, 3 * 4000)
    # A run that finds the model compiled takes a sixth of one that compiles it.
    assert said / 8 < int(done.stdout) < said


def test_what_does_not_fit_is_refused_before_it_is_allocated(monkeypatch):
    monkeypatch.setattr(memory, "usable_memory", lambda: 3 * 2**30)
    network = Network.from_word("hypercube:n=20")
    gigabytes = point_bytes(network, Traffic(), 0.1, CYCLES) / 2**30
    with refuses(
        f"hypercube_n20: a point must fit into the 3.0 GiB of free memory, not take "
        f"{gigabytes:.1f} GiB at rate 0.1; a shorter --measure takes less"
    ):
        require_memory(network, Traffic(), 0.1, CYCLES)
    assert "neighbours" not in vars(network.topology)
    fitting = require_memory(CUBE, Traffic(), 0.1, CYCLES)
    assert fitting == 3 * 2**30 // point_bytes(CUBE, Traffic(), 0.1, CYCLES) > 1


def test_a_simulation_too_large_is_refused_before_it_is_allocated(monkeypatch):
    monkeypatch.setattr(memory, "usable_memory", lambda: 2 * 2**30)
    small, large = CUBE, Network.from_word("hypercube:n=20")
    memory.require_memory_to_simulate(small, Traffic(packets=100_000))
    with refuses(
        "hypercube_n20: a simulation must fit into the 2.0 GiB of free memory, not take "
        f"{memory.simulation_bytes(large, Traffic()) / 2**30:.1f} GiB"
    ):
        memory.require_memory_to_simulate(large, Traffic())
    alone, more = (
        memory.simulation_bytes(small, Traffic(packets=count)) for count in (1000, 2_001_000)
    )
    assert 100 * 2_000_000 < more - alone < 1000 * 2_000_000
