import hashlib
import json
import stat
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from helpers.ring import CyclicRingRouting, Ring
from knotwork import CubeConnectedCycles, Hypercube, Lcan, Moebius, Network
from knotwork.errors import ConfigurationError, DeadlockError, ToolError
from knotwork_boards import flow
from knotwork_boards.build_plan import fingerprint, make_plan
from knotwork_boards.flow import build_bitstream
from knotwork_boards.table import board_named

NETWORK = Network(Moebius(n=2), data_width=8, buffer_depth=2, pipeline=1)
NAME = f"{NETWORK.name}_icebreaker"
LOGS = {"yosys.log", "nextpnr.log", "nextpnr.json"}

FAKE = """#!{python}
import json, os, sys
tool, arguments = sys.argv[0].rpartition("/")[2], sys.argv[1:]
failing, fmax, used = {failing!r}, {fmax!r}, {used!r}
assert not any(word.startswith("/") for word in arguments)
if tool == "yosys":
    open("top.rpt", "w").write("Yosys log\\n")
    open(sys.argv[0] + ".count", "a").write("x")
    cells = {{str(n): {{"type": "SB_DFFE"}} for n in range(7)}}
    dividers = dict.fromkeys(("DIVR", "DIVF", "DIVQ", "FILTER_RANGE"), "0" * 32)
    cells["pll"] = {{"type": "SB_PLL40_CORE", "parameters": dividers}}
    for bit in range(12):
        cells[f"bit_cycles_{{bit}}"] = {{"type": "SB_LUT4", "parameters": {{"LUT_INIT": "0" * 16}}}}
    top = {{"modules": {{"top": {{"attributes": {{"top": "1"}}, "cells": cells}}}}}}
    open("top.json", "w").write(json.dumps(top))
if tool == "nextpnr-ice40":
    assert arguments[arguments.index("--seed") + 1] == "1"
    print("Info: 	 ICESTORM_LC: %d/ 5280 0%%" % used, file=open("top.tim", "w"))
    if used > 5280:
        sys.exit("ERROR: Unable to place cell")
    clocks = {{"clk": {{"achieved": fmax, "constraint": 12.0}}}}
    cells = {{"ICESTORM_LC": {{"used": used, "available": 5280}}}}
    cells["ICESTORM_RAM"] = {{"used": 1, "available": 30}}
    open("report.json", "w").write(json.dumps({{"fmax": clocks, "utilization": cells}}))
    cells = json.load(open("top.json"))["modules"]["top"]["cells"]
    ones = [cells[f"bit_cycles_{{n}}"]["parameters"]["LUT_INIT"] == "1" * 16 for n in range(12)]
    cycles = sum(one << n for n, one in enumerate(ones))
    set_to = {{name: int(bits, 2) for name, bits in cells["pll"]["parameters"].items()}}
    frequency = arguments[arguments.index("--freq") + 1]
    open("top.asc", "w").write(json.dumps([frequency, cycles, set_to]) if cycles else "asc")
if tool == failing:
    sys.exit("ERROR: it fails")
if tool == "icepack":
    open(arguments[1], "w").write("bits of " + open(arguments[0]).read())
"""


@pytest.fixture(scope="module")
def plan():
    return make_plan(NETWORK, board_named("icebreaker"))


@pytest.fixture
def build(monkeypatch, tmp_path, plan):
    """Build with fake tools, into a temporary folder; nothing is elaborated but one plan."""

    def selftest(network, *, clock_hz, measure, tunable):
        del network, clock_hz, measure
        cycles_at = lambda hz: round(hz / 115200) - 1  # noqa: E731
        return SimpleNamespace(tunable=tunable, bit_cycles=range(12), bit_cycles_at=cycles_at)

    monkeypatch.setattr(flow, "SelfTest", selftest)
    monkeypatch.setattr(flow, "make_plan", lambda network, board, clock, *, selftest: plan)

    def run(
        *,
        report=None,
        failing="",
        fmax=20.0,
        used=2000,
        directory=tmp_path / "out",
        network=NETWORK,
        clock_mhz="board",
    ):
        for tool in ("yosys", "nextpnr-ice40", "icepack"):
            path = tmp_path / "tools" / tool
            path.parent.mkdir(exist_ok=True)
            path.write_text(
                FAKE.format(python=sys.executable, failing=failing, fmax=fmax, used=used)
            )
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
            monkeypatch.setenv(tool.upper().replace("-", "_"), str(path))
        board = board_named("icebreaker")
        return build_bitstream(network, board, directory, clock_mhz=clock_mhz, report=report)

    return run


def names(folder):
    return {path.name for path in folder.iterdir()}


def test_a_build_answers_and_leaves_bitstream_record_and_logs(build, tmp_path, plan):
    answer = build()
    out = tmp_path / "out"
    seconds, builds, sources = (answer.pop(name) for name in ("seconds", "builds", "sources"))
    assert seconds >= 0
    assert builds == 1
    assert sources == fingerprint(plan, board_named("icebreaker"))
    assert answer == {
        "name": NETWORK.name,
        "network": "moebius",
        "parameters": NETWORK.parameters,
        "board": "icebreaker",
        "bitstream": str(out / f"{NAME}.bin"),
        "fmax_mhz": 20.0,
        "clock_mhz": 12.0,
        "pll": None,
        "utilization": {
            "lut": {"used": 2000, "available": 5280},
            "block_ram": {"used": 1, "available": 30},
            "ff": {"used": 7, "available": 5280},
        },
    }
    assert names(out) == {f"{NAME}.bin", "bitstream.json", *LOGS}
    assert (out / f"{NAME}.bin").read_text() == "bits of asc"
    record = json.loads((out / "bitstream.json").read_text())
    assert record.pop("tool") == "knotwork"
    assert record.pop("version")
    assert record.pop("sources") == sources
    assert record == {**answer, "bitstream": f"{NAME}.bin"}


def test_a_report_is_written_beside_or_elsewhere(build, tmp_path, monkeypatch):
    asked = []

    def drawn(network, board, folder, resources):
        asked.append((network, board.name, (folder / "report.json").is_file(), resources))
        return {"report.html": "page", "a.svg": b"picture"}

    monkeypatch.setattr(flow, "report_files", drawn)
    assert "report" not in build()
    answer = build(report=tmp_path / "deep" / "report")
    assert answer["report"] == str(tmp_path / "deep" / "report" / "report.html")
    assert names(tmp_path / "deep" / "report") == {"report.html", "a.svg"}
    assert asked == [(NETWORK, "icebreaker", True, answer["utilization"])]


def test_no_report_appears_where_a_build_fails(build, tmp_path):
    with pytest.raises(ConfigurationError):
        build(fmax=11.0, report=tmp_path / "report")
    assert not (tmp_path / "report").exists()
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationError, match=r"file/report\.html: the file must be"):
        build(report=tmp_path / "file")
    assert names(tmp_path / "out") == LOGS  # of the first build: the second did not begin


def test_the_folder_has_a_name_by_itself(build, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert build(directory=None)["bitstream"] == f"build/{NAME}/{NAME}.bin"


@pytest.mark.parametrize(
    ("failing", "logs", "where"),
    [
        ("yosys", {"yosys.log"}, "; see {out}/yosys.log"),
        ("nextpnr-ice40", LOGS, "; see {out}/nextpnr.log"),
        ("icepack", LOGS, ""),
    ],
)
def test_a_tool_that_fails_is_reported_and_leaves_only_logs(build, tmp_path, failing, logs, where):
    out = tmp_path / "out"
    with pytest.raises(ToolError) as failed:
        build(failing=failing)
    where = where.format(out=out)
    assert str(failed.value) == f"{failing}: must succeed: ERROR: it fails{where}"
    assert failed.value.status == 2
    assert names(out) == logs


def test_a_failure_leaves_earlier_results(build, tmp_path):
    build()
    before = (tmp_path / "out" / "bitstream.json").read_text()
    with pytest.raises(ToolError):
        build(failing="icepack")
    assert names(tmp_path / "out") == {f"{NAME}.bin", "bitstream.json", *LOGS}
    assert (tmp_path / "out" / "bitstream.json").read_text() == before


def test_a_missing_tool_is_reported_before_anything_is_made(build, tmp_path, monkeypatch):
    monkeypatch.setattr(flow, "find_tool", lambda name: (_ for _ in ()).throw(ToolError(name)))
    with pytest.raises(ToolError, match=r"^yosys$"):
        build()
    assert not (tmp_path / "out").exists()


def test_a_network_that_does_not_fit_is_refused_with_the_numbers(build, tmp_path):
    with pytest.raises(ConfigurationError) as refused:
        build(used=6751)
    assert str(refused.value) == (
        f"{NETWORK.name}: the network must fit icebreaker, but needs 6751 of 5280 ICESTORM_LC; "
        "take --board ice40_hx8k_b_evn, which has 7680"
    )
    assert names(tmp_path / "out") == {"yosys.log", "nextpnr.log"}


def test_a_network_that_is_too_slow_is_refused_with_the_numbers(build, tmp_path):
    with pytest.raises(ConfigurationError) as refused:
        build(fmax=11.987)
    assert str(refused.value) == (
        f"{NETWORK.name}: Fmax must be at least the 12 MHz of the clock that icebreaker makes, "
        "not 11.99 MHz; take clock_mhz=auto or pipeline=2 or a smaller network"
    )
    assert names(tmp_path / "out") == LOGS


def test_the_clock_is_what_the_network_reaches(build, tmp_path):
    answer = build(fmax=20.0, clock_mhz="auto")
    assert answer["builds"] == 2
    assert 0.9 * 20 < answer["clock_mhz"] < 20
    r, f, q = (answer["pll"][name] for name in ("DIVR", "DIVF", "DIVQ"))
    assert answer["clock_mhz"] == pytest.approx(12 / (r + 1) * (f + 1) / 2**q)
    # It was synthesised once; the netlist that was placed the second time is for this clock.
    assert (tmp_path / "tools" / "yosys.count").read_text() == "x"
    bits = Path(answer["bitstream"]).read_text().removeprefix("bits of ")
    frequency, cycles, dividers = json.loads(bits)
    assert frequency == f"{answer['clock_mhz']:.3f}"
    assert cycles == round(answer["clock_mhz"] * 1e6 / 115200) - 1
    assert dividers == answer["pll"]


def test_a_clock_that_no_pll_makes_is_the_boards_own(build):
    answer = build(fmax=15.0, clock_mhz="auto")
    assert (answer["clock_mhz"], answer["pll"]) == (12.0, None)  # the PLL makes no 15 MHz


def test_a_given_clock_that_is_not_reached_is_refused(build):
    assert build(fmax=24.0, clock_mhz=24.0)["clock_mhz"] == 24.0
    with pytest.raises(ConfigurationError) as refused:
        build(fmax=23.9, clock_mhz=24.0)
    assert str(refused.value) == (
        f"{NETWORK.name}: Fmax must be at least the 24 MHz of the clock that icebreaker makes, "
        "not 23.90 MHz; take clock_mhz=auto or pipeline=2 or a smaller network"
    )
    with pytest.raises(ConfigurationError) as refused:
        build(fmax=11.9, clock_mhz="auto")
    assert str(refused.value) == (
        f"{NETWORK.name}: Fmax must be at least that of a clock that icebreaker makes, "
        "not 11.90 MHz; take pipeline=2 or a smaller network"
    )


def test_stages_are_not_advised_to_a_network_that_has_them(build):
    network = Network(Moebius(n=2), data_width=8, buffer_depth=4, pipeline=2)
    with pytest.raises(ConfigurationError) as refused:
        build(network=network, fmax=11.9)
    assert str(refused.value) == (
        f"{network.name}: Fmax must be at least the 12 MHz of the clock that icebreaker makes, "
        "not 11.90 MHz; take clock_mhz=auto or a smaller network"
    )


@pytest.mark.parametrize(
    ("network", "key"),
    [
        (Network(Hypercube(n=2), routing="lc1", data_width=32), "data_width=8"),
        (Network(Lcan(d=2, u=1, levels=1), data_width=8), "max_packet=[0-9]+"),
    ],
)
def test_only_keys_that_a_network_has_are_advised(build, network, key):
    with pytest.raises(ConfigurationError, match=f"; (take )?{key} "):
        build(network=network, used=6751)
    with pytest.raises(ConfigurationError, match=r"MHz; take clock_mhz=auto or a smaller network$"):
        build(network=network, fmax=11.987)


def test_a_folder_that_cannot_be_written_is_refused(build, tmp_path):
    (tmp_path / "file").write_text("")
    folder = tmp_path / "file" / "out"
    with pytest.raises(ConfigurationError) as refused:
        build(directory=folder)
    assert str(refused.value) == f"{folder}: the file must be writable: Not a directory"


def test_a_network_that_does_not_fit_is_refused_before_any_tool_runs(tmp_path):
    began = time.monotonic()
    with pytest.raises(ConfigurationError, match="must fit icebreaker"):
        build_bitstream(Network(Hypercube(n=4)), board_named("icebreaker"), tmp_path / "out")
    assert time.monotonic() - began < 30  # synthesis took minutes
    assert not (tmp_path / "out").exists()


def test_deadlock_and_narrow_data_are_refused_first():
    cyclic = Network(Ring(nodes=5), routing=CyclicRingRouting)
    with pytest.raises(DeadlockError):
        build_bitstream(cyclic, board_named("icebreaker"))
    with pytest.raises(ConfigurationError, match="data_width must be at least 10"):
        build_bitstream(Network(Hypercube(n=6), data_width=8), board_named("icebreaker"))


@pytest.mark.parametrize("builds", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_small_network_becomes_a_bitstream(tmp_path, builds):
    network = Network(Hypercube(n=1), data_width=8, buffer_depth=2)
    sums = set()
    for _ in range(builds):  # the same bits each time
        answer = build_bitstream(network, board_named("icebreaker"), tmp_path, clock_mhz="board")
        assert answer["fmax_mhz"] >= 12
        assert 300 < answer["utilization"]["lut"]["used"] < 2000
        sums.add(hashlib.sha256(Path(answer["bitstream"]).read_bytes()).hexdigest())
    assert len(sums) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("board", "network"),
    [
        ("ulx3s_85f", Network(Moebius(n=3))),
        ("ulx3s_85f", Network(CubeConnectedCycles(n=4), routing="lc2")),
        ("ulx3s_85f", Network(Lcan(d=2, u=2, levels=3), max_packet=4)),
        ("icebreaker", NETWORK),
        ("icebreaker", Network(Hypercube(n=2), routing="lc1", data_width=8)),
        ("icebreaker", Network(Hypercube(n=1), data_width=8, buffer_depth=2, collectives=True)),
        ("icesugar", NETWORK),
        ("ice40_hx8k_b_evn", NETWORK),
        ("icepi_zero", Network(Hypercube(n=1))),
        ("orangecrab_25f", NETWORK),
        ("ecp5_5g_evn", NETWORK),
        ("icesugar_pro", NETWORK),
        ("tang_nano_9k", NETWORK),
        ("tang_nano_20k", NETWORK),
        ("tang_primer_20k", NETWORK),
    ],
)
def test_networks_meet_their_boards_clocks(tmp_path, board, network):
    began = time.monotonic()
    answer = build_bitstream(network, board_named(board), tmp_path)
    assert answer["fmax_mhz"] >= answer["clock_mhz"]
    assert answer["seconds"] <= time.monotonic() - began + 0.05  # it is rounded
    for use in answer["utilization"].values():
        assert 0 <= use["used"] <= use["available"]
