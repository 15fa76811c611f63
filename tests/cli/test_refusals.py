"""Lines that the commands refuse, and the words in which they do."""

import pytest
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import all_routings_of
from knotwork.routing.scheduling.permutations import NAMES
from knotwork.system import SystemParameters
from knotwork.topology import TOPOLOGIES
from knotwork_boards.table import BOARDS
from knotwork_sim.sweep.swept_keys import sweep_keys
from knotwork_sim.traffic.keys import Traffic

CUBE_ROUTINGS = ", ".join(all_routings_of("hypercube"))

NETWORKS = ", ".join(TOPOLOGIES)
PERMUTATIONS = ", ".join(NAMES)
SYSTEM = ", ".join([*SystemParameters.keys(), "node.*", "bus.*", "map.*"])
PACKET = ", ".join(ROUTER_PARAMETERS["packet"].keys())


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("describe", f"a network must be named: one of {NETWORKS}, or a .toml file"),
        ("check moebius n=3 twist=2", "moebius: twist must be an integer in 0..1, not 2"),
        (
            "describe x.toml:",
            "x.toml: must be a readable TOML file: [Errno 2] No such file or directory: 'x.toml'",
        ),
        (
            "draw hypercube n=3 petersen -o x.svg",
            "draw: -o must go with one network, not 2: several are written to build/<name>.svg",
        ),
        (
            "export moebius n=3 mesh:x=2,y=2 --edges a",
            "moebius: one network must be named here, not 'mesh:x=2,y=2' too",
        ),
        (
            "simulate moebius n=3 petersen",
            "moebius: one network must be named here, not 'petersen' too",
        ),
        ("describe n=3 hypercube", "a key must follow its network, not come first, as 'n=3'"),
        (
            "generate hypercube n=3 hypercube:n=3",
            "networks must have different names, not hypercube_n3 twice",
        ),
        ("compare", f"a network must be named: one of {NETWORKS}, or a .toml file"),
        ("compare moebius:n", "moebius: a parameter must be key=value, not 'n'"),
        (
            "route moebius n=4",
            "route: the words must be NET... SRC DST, a network and two nodes, not 'moebius n=4'",
        ),
        ("route", "route: the words must be NET... SRC DST, a network and two nodes, not ''"),
        (
            "route moebius n=4 3",
            "route: the words must be NET... SRC DST, a network and two nodes, not 'moebius n=4 3'",
        ),
        (
            "route moebius n=4 3 16",
            "moebius_n4_twist0: a node must be an index in 0..15 or @label, not '16'",
        ),
        (
            "route hypercube n=13 --table",
            "hypercube_n13: nodes must be at most 4096 for --table, not 8192",
        ),
        (
            "route moebius n=10 routing=approx_spr --table",
            "moebius_n10_twist0_approx_spr: nodes must be at most 512 for --table, not 1024",
        ),
        (
            "draw moebius n=3 -o x.xyz",
            "draw: FILE must be - or end in .svg, .png or .pdf, not 'x.xyz'",
        ),
        (
            "draw moebius n=3 --route 0 8",
            "moebius_n3_twist0: a node must be an index in 0..7 or @label, not '8'",
        ),
        (
            "draw moebius n=3 --multicast 0 1,,2",
            "moebius_n3_twist0: a node must be an index in 0..7 or @label, not ''",
        ),
        (
            "draw moebius n=3 --multicast 0 1,0",
            "moebius_n3_twist0: a destination must be another node than the source, not 0",
        ),
        (
            "draw moebius n=3 --route 0 1 --multicast 0 1,2",
            "draw: there must be one of --route, --multicast, --broadcast, --tree, --permutation "
            "and --messages, not several",
        ),
        (
            "draw wk w=3 levels=2 --route 0 1 --broadcast 0",
            "draw: there must be one of --route, --multicast, --broadcast, --tree, --permutation "
            "and --messages, not several",
        ),
        (
            "draw hypercube n=3 --tree 0 --order xor",
            "draw: --order must go with --multicast",
        ),
        (
            "draw hypercube n=3 --tree 0 --broadcast 0",
            "draw: there must be one of --route, --multicast, --broadcast, --tree, --permutation "
            "and --messages, not several",
        ),
        (
            "draw lcan d=2 u=2 levels=2 --unfolded --tree 0",
            "draw: --unfolded must go with --route or alone",
        ),
        (
            "draw lcan d=2 u=2 levels=2 --unfolded --permutation random",
            "draw: --unfolded must go with --route or alone",
        ),
        (
            "draw hypercube n=3 --unfolded",
            "draw: --unfolded must have a network whose circuits go up and down again, not "
            "hypercube with routing=ecube",
        ),
        (
            "draw kyklos k=2 levels=3 --unfolded",
            "draw: --unfolded must go with one copy of the levels (copies=1), not 2",
        ),
        (
            "draw wk w=3 levels=2 --broadcast 9",
            "wk_w3_levels2: a node must be an index in 0..8 or @label, not '9'",
        ),
        (
            "draw hypercube n=12",
            "hypercube_n12: routers must be at most 1024 to be drawn, not 4096",
        ),
        (
            "draw moebius n=3 -o /dev/null/x.svg",
            "/dev/null/x.svg: the file must be writable: /dev/null is not a folder",
        ),
        ("describe tcpg k=0 m=2", "tcpg: k must be an integer in 1..16, not 0"),
        ("simulate tcpg k=2 m=-1", "tcpg: m must be an integer in 1..16, not -1"),
        ("describe tcpg k=2", "tcpg: m must be given: an integer in 1..16"),
        ("check rp k=0", "rp: k must be an integer in 1..4096, not 0"),
        ("check torus x=0 y=4", "torus: x must be an integer in 1..1024, not 0"),
        (
            "generate torus x=4 y=7 ring_code=johnson",
            "torus: y must be even with ring_code=johnson, because more than one bit "
            "changes from the last code of an odd ring to its first, not 7",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(refusal, line, complaint):
    assert refusal(line) == complaint


CUBE_KEYS = (
    "hypercube: a key must be one of n, routing, router, multicast, max_packet, "
    f"{PACKET}, nodes_per_router, dead, classes, name, {SYSTEM}"
)


@pytest.mark.parametrize(
    ("line", "rule", "given", "meant"),
    [
        ("describe moebuis", f"a network must be one of {NETWORKS}", "moebuis", "moebius"),
        ("describe Moebius n=3", f"a network must be one of {NETWORKS}", "Moebius", "moebius"),
        ("compare petersen mehs x=2", f"a network must be one of {NETWORKS}", "mehs", "mesh"),
        ("describe hypercube N=3", CUBE_KEYS, "N", "n"),
        ("describe hypercube:N=3", CUBE_KEYS, "N", "n"),
        ("describe hypercube n=3 ROUTING=ecube", CUBE_KEYS, "ROUTING", "routing"),
        (
            "simulate hypercube n=3 traffic=complement packet=5",
            f"{CUBE_KEYS}, {', '.join(Traffic.keys())}",
            "packet",
            "packets",
        ),
        (
            "sweep hypercube n=3 lenght=5",
            f"{CUBE_KEYS}, {', '.join(sweep_keys())}",
            "lenght",
            "length",
        ),
        (
            "describe hypercube n=3 routing=ECube",
            f"hypercube: routing must be one of {CUBE_ROUTINGS}",
            "ECube",
            "ecube",
        ),
        (
            "describe torus:x=4,y=4,router=Deflection",
            "torus: router must be one of packet, deflection with routing=dimension_order",
            "Deflection",
            "deflection",
        ),
        (
            "describe hypercube n=3 parity=Yes",
            "packet router: parity must be one of yes, no",
            "Yes",
            "yes",
        ),
        (
            "describe lcan d=2 u=2 levels=2 interconnect=Tree",
            "lcan: interconnect must be one of complete, tree",
            "Tree",
            "tree",
        ),
        (
            "simulate hypercube n=3 --engine Model",
            "simulate: --engine must be one of both, rtl, model, netlist, bitstream",
            "Model",
            "model",
        ),
        (
            "sweep hypercube:n=3 --engine RTL",
            "sweep: --engine must be one of model, rtl, board",
            "RTL",
            "rtl",
        ),
        (
            "sweep lcan d=2 u=2 levels=2-3 --permutation Reversal",
            "sweep: permutation must be one of worst, random_routing, "
            f"{PERMUTATIONS}, or destinations a,b,...",
            "Reversal",
            "reversal",
        ),
        (
            "schedule hypercube n=3 --permutation transposed",
            f"schedule: --permutation must be one of {PERMUTATIONS}, lc, or a JSON file",
            "transposed",
            "transpose",
        ),
        (
            "broadcast wk w=3 levels=2 0 --rule Label",
            "wk_w3_levels2: a rule must be one of label, address, mask, corner, printed, stack",
            "Label",
            "label",
        ),
        (
            "bitstream hypercube n=3 --board ice_breaker",
            f"a board must be one of {', '.join(BOARDS)}",
            "ice_breaker",
            "icebreaker",
        ),
    ],
)
def test_a_slip_is_refused_with_what_would_be_right(refusal, line, rule, given, meant):
    assert refusal(line) == f"{rule}, not {given!r}; did you mean {meant}?"


@pytest.mark.parametrize("option", ["--JSON", "--jsn", "--Json"])
def test_a_slip_in_an_option_is_refused_with_the_right_one(refusal, option):
    assert refusal(f"describe hypercube n=3 {option}") == (
        f"No such option: {option}; did you mean --json?; see knotwork describe --help"
    )


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
        "moebius: routing=approx_spr must not be built: its path is found at the source, where the "
        "set of terms left would have to travel with the packet; use routing=spr"
    )
    assert list(tmp_path.iterdir()) == []
