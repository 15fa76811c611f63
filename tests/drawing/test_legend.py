"""The legend: what it says of colours and dashes."""

from helpers.pictures import SVG, parsed, texts
from knotwork import CubeConnectedCycles, Hypercube, Moebius, Network


def test_twisted_links_are_dashed_and_the_legend_says_so():
    root = parsed(Network(Moebius(n=4, twist=1)))
    for path in root.iter(f"{SVG}path"):
        name = path.find(f"{SVG}title").text
        ends, _, kind = name.partition(": ")
        x, dimension = int(ends.split(" - ")[0], 2), int(kind.split()[0].removeprefix("dim"))
        above = (x | 1 << 4) >> (dimension + 1) & 1
        twisted = dimension > 0 and above == 1
        assert (path.get("stroke-dasharray") is not None) == twisted
        assert name.endswith("(twisted)") == twisted
    assert {"plain", "twisted", "dim0", "dim3"} <= set(texts(root))
    assert "twisted" not in texts(parsed(Network(Hypercube(n=4))))


def test_lateral_links_are_dashed_and_cycles_have_one_colour():
    root = parsed(Network(CubeConnectedCycles(n=5)))
    for path in root.iter(f"{SVG}path"):
        ends, _, kind = path.find(f"{SVG}title").text.partition(": ")
        a, b = (int(end, 2) for end in ends.split(" - "))
        lateral = a % 4 == b % 4
        assert kind == ("L (lateral)" if lateral else "F")
        assert (path.get("stroke-dasharray") is not None) == lateral
    assert {"plain", "lateral", "F", "L"} <= set(texts(root))
