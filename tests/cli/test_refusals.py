"""Lines that the commands refuse, and the words in which they do."""

import pytest
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import all_routings_of
from knotwork.routing.scheduling.messages import NAMES
from knotwork.topology import TOPOLOGIES
from knotwork_boards.table import BOARDS
from knotwork_sim.sweep.swept_keys import sweep_keys
from knotwork_sim.traffic.keys import Traffic
from knotwork_soc import SystemParameters

CUBE_ROUTINGS = ", ".join(all_routings_of("hypercube"))

NETWORKS = ", ".join(TOPOLOGIES)
PERMUTATIONS = ", ".join(NAMES)
SYSTEM = ", ".join([*SystemParameters.keys(), "node.*", "bus.*", "map.*"])
PACKET = ", ".join(ROUTER_PARAMETERS["packet"].keys())


REFUSED = {
    "describe": f"a network must be named: one of {NETWORKS}, or a .toml file",
    "describe x.toml:": "x.toml: must be a readable TOML file: No such file or directory",
    "draw hypercube n=3 petersen -o x.svg": "draw: -o must be used with one network, not 2: "
    "several are written to build/<name>.svg",
    "export moebius n=3 mesh:x=2,y=2 --edges a": "moebius: one network must be named here, not "
    "'mesh:x=2,y=2' too",
    "simulate moebius n=3 petersen": "moebius: one network must be named here, not 'petersen' too",
    "describe n=3 hypercube": "a key must follow its network, not come first, as 'n=3'",
    "generate hypercube n=3 hypercube:n=3": "networks must have different names, not "
    "hypercube_n3 twice",
    "compare moebius:n": "moebius: a parameter must be key=value, not 'n'",
    "route": "route: the arguments must be NET... SRC DST, a network and two nodes, not ''",
    "route moebius n=4 3": "route: the arguments must be NET... SRC DST, a network and two nodes, "
    "not 'moebius n=4 3'",
    "route moebius n=4 3 16": "moebius_n4_twist0: a node must be an index in 0..15 or @label, "
    "not '16'",
    "route hypercube n=13 --table": "hypercube_n13: nodes must be at most 4096 for --table, "
    "not 8192",
    "route moebius n=10 routing=approx_spr --table": "moebius_n10_twist0_approx_spr: nodes "
    "must be at most 512 for --table, not 1024",
    "draw moebius n=3 --route 0 8": "moebius_n3_twist0: a node must be an index in 0..7 or "
    "@label, not '8'",
    "draw moebius n=3 --multicast 0 1,,2": "moebius_n3_twist0: a node must be an index in 0..7 "
    "or @label, not ''",
    "draw moebius n=3 --multicast 0 1,0": "moebius_n3_twist0: a destination must be another "
    "node than the source, not 0",
    "draw hypercube n=3 --tree 0 --order xor": "draw: --order must be used with --multicast",
    "draw hypercube n=3 --labels name": "draw: --labels must be one of label, index, address, "
    "not 'name'",
    "draw hypercube n=3 --tree 0 --broadcast 0": "draw: at most one of --route, --multicast, "
    "--broadcast, --tree, --collectives, --permutation and --messages must be given, not several",
    "draw hypercube n=3 --collectives 0": "hypercube_n3: collectives must be yes for a tree to be "
    "drawn, not no",
    "draw hypercube n=3 collectives=yes --collectives 1": "hypercube_n3_collectivesyes: a group "
    "must be one of 0..0, not 1",
    "draw lcan d=2 u=2 levels=2 --unfolded --tree 0": "draw: --unfolded must be used with --route "
    "or alone",
    "draw lcan d=2 u=2 levels=2 --unfolded --permutation random": "draw: --unfolded must be used "
    "with --route or alone",
    "draw hypercube n=3 --unfolded": "draw: --unfolded must be used with a network whose circuits "
    "go up and down again, not hypercube with routing=ecube",
    "draw kyklos k=2 levels=3 --unfolded": "draw: --unfolded must be used with one copy of the "
    "levels (copies=1), not 2",
    "draw wk w=3 levels=2 --broadcast 9": "wk_w3_levels2: a node must be an index in 0..8 or "
    "@label, not '9'",
    "draw hypercube n=12": "hypercube_n12: routers must be at most 1024 to be drawn, not 4096",
    "draw moebius n=3 -o /dev/null/x.svg": "/dev/null/x.svg: the file must be writable: "
    "/dev/null is not a folder",
}


CUBE_KEYS = (
    "hypercube: a key must be one of n, routing, router, multicast, max_packet, "
    f"{PACKET}, nodes_per_router, dead, classes, name, {SYSTEM}"
)
A_NETWORK = f"a network must be one of {NETWORKS}"
SLIPS = {
    "describe moebuis": f"{A_NETWORK}, not 'moebuis'; did you mean moebius?",
    "compare petersen mehs x=2": f"{A_NETWORK}, not 'mehs'; did you mean mesh?",
    "describe hypercube N=3": f"{CUBE_KEYS}, not 'N'; did you mean n?",
    "describe hypercube n=3 ROUTING=ecube": f"{CUBE_KEYS}, not 'ROUTING'; did you mean routing?",
    "simulate hypercube n=3 traffic=complement packet=5": f"{CUBE_KEYS}, "
    f"{', '.join(Traffic.keys())}, not 'packet'; did you mean packets?",
    "sweep hypercube n=3 lenght=5": f"{CUBE_KEYS}, {', '.join(sweep_keys())}, not 'lenght'; did "
    "you mean length?",
    "describe hypercube n=3 routing=ECube": f"hypercube: routing must be one of {CUBE_ROUTINGS}, "
    "not 'ECube'; did you mean ecube?",
    "describe torus:x=4,y=4,router=Deflection": "torus: router must be one of packet, deflection "
    "with routing=dimension_order, not 'Deflection'; did you mean deflection?",
    "describe hypercube n=3 parity=Yes": "packet router: parity must be one of yes, no, not 'Yes'; "
    "did you mean yes?",
    "describe lcan d=2 u=2 levels=2 interconnect=Tree": "lcan: interconnect must be one of "
    "complete, tree, not 'Tree'; did you mean tree?",
    "simulate hypercube n=3 --engine Model": "simulate: --engine must be one of both, rtl, model, "
    "netlist, bitstream, not 'Model'; did you mean model?",
    "sweep hypercube:n=3 --engine RTL": "sweep: --engine must be one of model, rtl, board, not "
    "'RTL'; did you mean rtl?",
    "sweep lcan d=2 u=2 levels=2-3 --permutation Reversal": "sweep: permutation must be one of "
    f"worst, random_routing, {PERMUTATIONS}, or destinations a,b,..., not 'Reversal'; did you mean "
    "reversal?",
    "schedule hypercube n=3 --permutation transposed": "schedule: --permutation must be one of "
    f"{PERMUTATIONS}, lc, destinations a,b,..., or a JSON file, not 'transposed'; did you "
    "mean transpose?",
    "broadcast wk w=3 levels=2 0 --rule Label": "wk_w3_levels2: a rule must be one of label, "
    "address, mask, corner, printed, stack, not 'Label'; did you mean label?",
    "bitstream hypercube n=3 --board ice_breaker": f"a board must be one of {', '.join(BOARDS)}, "
    "not 'ice_breaker'; did you mean icebreaker?",
    "networks Torus": f"{A_NETWORK}, not 'Torus'; did you mean torus?",
    "describe hypercube n=3 --JSON": "No such option: --JSON; did you mean --json?; see knotwork "
    "describe --help",
}


@pytest.mark.parametrize("line", [*REFUSED, *SLIPS])
def test_bad_input_is_refused_in_one_line(refusal, line):
    assert refusal(line) == {**REFUSED, **SLIPS}[line]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("describe hypercube --n 3", "n=3"),
        ("describe hypercube --n=3", "n=3"),
        ("describe mesh x=3 --data-width 64", "data_width=64"),
        ("simulate hypercube n=3 --rate 0.3 --json", "rate=0.3"),
        ("describe --n", "n=VALUE"),
    ],
)
def test_a_key_that_is_written_as_an_option_is_told_how_it_is_written(refusal, line, key):
    option = next(word for word in line.split() if word.startswith("--")).partition("=")[0]
    verb = line.split()[0]
    assert refusal(line) == f"No such option: {option}; write {key}; see knotwork {verb} --help"


def test_a_word_that_no_one_reads_loses_its_middle(refusal):
    assert refusal(f"describe hypercube n={900 * '1234567890'}") == (
        f"hypercube: n must be an integer in 1..20, not '{7 * '1234567890'}123456789..."
        "2345678901234567890'"
    )


@pytest.mark.parametrize(
    "line",
    [
        "generate moebius n=3 routing=approx_spr",
        "generate moebius n=2 routing=approx_spr allow_deadlock=yes -o out",
        "simulate moebius n=3 routing=approx_spr",
        "simulate moebius n=10 routing=approx_spr --engine model",
        "bitstream moebius n=3 routing=approx_spr --board ulx3s_85f -o out",
        "generate moebius n=3 routing=approx_spr router=deflection -o out",
    ],
)
def test_what_cannot_be_built_is_refused_and_nothing_written(refusal, line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert refusal(line) == (
        "moebius: routing=approx_spr must not be built in hardware: its path is found at the "
        "source, where the set of terms left would have to travel with the packet; use routing=spr"
    )
    assert list(tmp_path.iterdir()) == []
