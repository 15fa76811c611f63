"""Lines that the commands refuse, and the words in which they do."""

import pytest
from knotwork.topology import TOPOLOGIES

NETWORKS = ", ".join(TOPOLOGIES)


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("describe", f"a network must be named: one of {NETWORKS}, or a .toml file"),
        ("describe moebuis", f"a network must be one of {NETWORKS}, not 'moebuis'"),
        ("check moebius n=3 twist=2", "moebius: twist must be an integer in 0..1, not 2"),
        ("describe x.toml:", f"a network must be one of {NETWORKS}, not 'x.toml:'"),
        (
            "compare",
            "compare: networks must be named, each in one word like moebius:n=6,twist=1",
        ),
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
        ("draw moebius n=3 -o x.png", "draw: FILE must end in .svg, not 'x.png'"),
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
            "draw: there must be one of --route, --multicast and --broadcast, not several",
        ),
        (
            "draw wk w=3 levels=2 --route 0 1 --broadcast 0",
            "draw: there must be one of --route, --multicast and --broadcast, not several",
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
        ("check torus x=1 y=4", "torus: x must be an integer in 2..1024, not 1"),
        (
            "generate torus x=4 y=7 ring_code=johnson",
            "torus: y must be even with ring_code=johnson, because more than one bit "
            "changes from the last code of an odd ring to its first, not 7",
        ),
    ],
)
def test_bad_input_is_refused_in_one_line(refusal, line, complaint):
    assert refusal(line) == complaint


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
