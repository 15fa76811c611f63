"""Keys out of their ranges, and sizes that no network has: each refused in one line."""

import pytest

RANGES = {
    "hypercube n=3": {"n": (1, 20)},
    "moebius n=4 twist=0": {"n": (1, 20), "twist": (0, 1)},
    "ccc n=4": {"n": (2, 20)},
    "wk w=3 levels=2": {"w": (2, 16), "levels": (1, 16)},
    "tcpg k=1 m=1": {"k": (1, 16), "m": (1, 16)},
    "rp k=2": {"k": (1, 4096)},
    "ring n=5": {"n": (2, 4096)},
    "mesh x=4 y=4 z=1": {"x": (1, 1024), "y": (1, 1024), "z": (1, 1024)},
    "torus x=4 y=4 z=1": {"x": (1, 1024), "y": (1, 1024), "z": (1, 1024)},
    "lcan d=2 u=2 levels=2": {"d": (1, 16), "u": (1, 16), "levels": (1, 16)},
    "cm5 levels=2": {"levels": (2, 8)},
    "baseline levels=2": {"levels": (1, 16)},
    "sw_banyan f=2 s=2 levels=2": {"f": (2, 16), "s": (1, 16), "levels": (1, 16)},
    "trac levels=2": {"levels": (1, 12)},
    "banyan d=2 u=2 levels=2": {"d": (1, 16), "u": (1, 16), "levels": (1, 16)},
    "kyklos k=2 levels=2 copies=2": {"k": (2, 16), "levels": (1, 16), "copies": (1, 8)},
}


@pytest.mark.parametrize("words", RANGES)
def test_an_integer_just_outside_its_range_is_refused(refusal, words):
    network, *keys = words.split()
    for key, (low, high) in RANGES[words].items():
        others = " ".join(word for word in keys if not word.startswith(f"{key}="))
        for value in (low - 1, high + 1):
            assert refusal(f"describe {network} {key}={value} {others}") == (
                f"{network}: {key} must be an integer in {low}..{high}, not {value}"
            )


@pytest.mark.parametrize(
    ("words", "line"),
    {
        "wk w=4 levels=11": "w^levels must be at most 1048576 nodes, not 4^11 = 4194304",
        "torus x=1 y=1 z=1": "x, y and z must make 2..1048576 nodes, not 1",
        "torus x=1024 y=1024 z=2": "x, y and z must make 2..1048576 nodes, not 2097152",
        "torus x=6 y=5 ring_code=johnson": "y must be even with ring_code=johnson, because more "
        "than one bit changes from the last code of an odd ring to its first, not 5",
        "petersen petersen_code=gray": "petersen_code must be one of index, word, not 'gray'",
        "tcpg k=2": "m must be given: an integer in 1..16",
        "kyklos k=4 levels=10 copies=8": "switches must be 1..1048576, not 2796200",
        "banyan d=1 u=2 levels=2": "PEs must be 2..1048576, not 1",
        "banyan d=2 u=16 levels=6": "terminals must be at most 1048576, not 16777216",
        "cm5 levels=3 u=2,2": "u must have 3 entries, one per level, not 2",
        "cm5 levels=x": "levels must be an integer in 2..8, not 'x'",
        "cm5 levels=2 u=2,17": "u must be integers in 1..16 separated by commas, not (2, 17)",
        "fattree r=4,4 u=2": "r and u must have one entry per level each, not 2 and 1",
        "fattree r=4 u=2,2": "r and u must have one entry per level each, not 1 and 2",
        "fattree r=4,1 u=2,2": "r must be integers in 2..16 separated by commas, not (4, 1)",
        "fattree r=4,4 u=2,0": "u must be integers in 1..64 separated by commas, not (2, 0)",
        "fattree r=4,4 u=2,": "u must be integers in 1..64 separated by commas, not '2,'",
        "fattree r=2,16 u=8,1": "a switch must have at most 128 downers and uppers, not 128 + 1 "
        "on level 1",
        "fattree u=2,2": "r must be given: integers in 2..16 separated by commas",
        "lcan d=4 u=3 levels=2 interconnect=tree": "u must be a divisor of d where "
        "interconnect=tree, or downers stay unconnected, not 3 with d=4",
        "lcan d=2 u=4 levels=2 interconnect=tree": "u must be at most d where interconnect=tree, "
        "or level 1 has a fraction of a switch, not 4 with d=2",
        "lcan d=4 u=4 levels=2 interconnect=tree": "u must be less than d where interconnect=tree, "
        "or no level above 0 joins two subtrees, not 4 with d=4",
        "lcan d=1 u=2 levels=3": "PEs must be 2..1048576, not 1",
        "lcan d=16 u=2 levels=6": "PEs must be 2..1048576, not 16777216",
        "lcan d=2 u=16 levels=8": "switches must be 1..1048576, not 306783360",
        "lcan d=2 u=2": "levels must be given: an integer in 1..16",
        "lcan d=2 u=2 levels=2 interconnect=ring": "interconnect must be one of complete, tree, "
        "not 'ring'",
    }.items(),
)
def test_what_makes_no_network_is_refused(refusal, words, line):
    assert refusal(f"describe {words}") == f"{words.split()[0]}: {line}"
