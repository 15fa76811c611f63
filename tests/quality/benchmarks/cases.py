"""Routers that `make bench-hw` measures: those that others compare, and those that pages print."""

from typing import NamedTuple

SEEDS = 10
"""Seeds of place and route of a router."""
NETWORK = "network"
"""Role of a network as a whole."""


class Case(NamedTuple):
    """Router that is measured.

    Members
    -------
    name, net : str
        Name of its row, and its network in one word.
    role : str or None
        Kind of router, or what the network has beside them, or `NETWORK`; None for the router
        with the most ports and turns.
    families : tuple of str
        Families on which it is measured.
    whole : bool
        Whether the whole network is placed too, which takes minutes per seed.
    placed : bool
        Whether it is placed for its frequency; only its cells are counted otherwise.
    seeds : int
        Most seeds of place and route.
    """

    name: str
    net: str
    role: str | None = None
    families: tuple[str, ...] = ("ecp5", "ice40")
    whole: bool = True
    placed: bool = True
    seeds: int = SEEDS


def _printed(name: str, net: str, role: str | None = None) -> Case:
    """Router of a page's table, which has no network's frequency."""
    return Case(name, net, role, families=("ecp5",), whole=False)


PIPELINES = (1, 2)
"""Pipelines with which a router is measured whose best is asked for."""
_DEEP = (*PIPELINES, 3)
"""The same where a buffer of eight flits holds a round of credits of each."""


def _piped(
    name: str, net: str, *, pipelines: tuple[int, ...] = PIPELINES, whole: bool = True
) -> list[Case]:
    """Router with each pipeline."""
    return [Case(f"{name}_p{each}", f"{net},pipeline={each}", whole=whole) for each in pipelines]


def _deep(name: str, net: str, *, whole: bool = True) -> list[Case]:
    """Router of eight flits per buffer with each pipeline."""
    net += ",buffer_depth=8"
    return _piped(f"{name}_depth8", net, pipelines=_DEEP, whole=whole)


def _counted(name: str, net: str, role: str | None = None) -> Case:
    """What a page tells the cells of, and no frequency."""
    return Case(name, net, role, families=("ecp5",), whole=False, placed=False)


def _compared(name: str, net: str) -> Case:
    """Router of many that a page compares, large ones among them, with fewer seeds."""
    return Case(name, net, families=("ecp5",), whole=False, seeds=3)


_MIDDLE = "router_level1"
_CORNER = "router_digit0_level1"

CASES = (
    Case("mesh_4x4_depth2_p1", "mesh:x=4,y=4,data_width=23,buffer_depth=2"),
    Case("mesh_4x4_depth2_p2", "mesh:x=4,y=4,data_width=23,buffer_depth=2,pipeline=2"),
    Case("hypercube_n4_p1", "hypercube:n=4"),
    Case("hypercube_n4_p2", "hypercube:n=4,pipeline=2"),
    _printed("hypercube_n4_p3", "hypercube:n=4,pipeline=3"),
    Case("moebius_n4_p1", "moebius:n=4"),
    Case("moebius_n4_spr_p1", "moebius:n=4,routing=spr"),
    Case("ccc_n4_p1", "ccc:n=4"),
    Case("wk_w4_levels2_p1", "wk:w=4,levels=2"),
    Case("tcpg_k1_m1_p1", "tcpg:k=1,m=1"),
    Case("petersen_p1", "petersen"),
    Case(
        "torus_deflection",
        "torus:x=4,y=4,directions=one,router=deflection,data_width=28,source=no",
    ),
    *_piped("mesh_4x4_depth4", "mesh:x=4,y=4,data_width=23,buffer_depth=4"),
    *_piped("mesh_4x4_vcs2_depth4", "mesh:x=4,y=4,data_width=23,virtual_channels=2,buffer_depth=4"),
    *_piped("mesh_4x4_vcs4_depth4", "mesh:x=4,y=4,data_width=23,virtual_channels=4,buffer_depth=4"),
    *_deep("moebius_n4_spr", "moebius:n=4,routing=spr"),
    *_deep("ccc_n4", "ccc:n=4,routing=unicast"),
    *_piped("torus_4x4", "torus:x=4,y=4", pipelines=_DEEP),
    *_deep("torus_8x8", "torus:x=8,y=8", whole=False),
    *_deep("wk_w4_levels2_no", "wk:w=4,levels=2,broadcast=no"),
    *_deep("wk_w4_levels2_label", "wk:w=4,levels=2,broadcast=label"),
    *_deep("tcpg_k1_m1_no", "tcpg:k=1,m=1,broadcast=no", whole=False),
    *_deep("tcpg_k1_m1_ttl", "tcpg:k=1,m=1,broadcast=ttl", whole=False),
    Case("hypercube_n4_deflection", "hypercube:n=4,router=deflection"),
    _printed("hypercube_n4_parity", "hypercube:n=4,parity=yes"),
    _printed("mesh_4x4_p1", "mesh:x=4,y=4"),
    _printed("mesh_4x4_parity", "mesh:x=4,y=4,parity=yes"),
    Case("ccc_n4_lc2", "ccc:n=4,routing=lc2", whole=False),
    Case("ccc_n6_lc2", "ccc:n=6,routing=lc2", whole=False),
    Case("ccc_n8_lc2", "ccc:n=8,routing=lc2", whole=False),
    *(
        Case(f"ccc_n{n}_lc2_{key}", f"ccc:n={n},routing=lc2,{chosen}", whole=False)
        for n in (4, 6, 8)
        for key, chosen in (("shift", "control=shift"), ("distributed", "sequencer=distributed"))
    ),
    Case("hypercube_n4_lc1", "hypercube:n=4,routing=lc1", whole=False),
    Case(
        "hypercube_n4_lc1_distributed",
        "hypercube:n=4,routing=lc1,sequencer=distributed",
        whole=False,
    ),
    _counted("ccc_n4_lc2_controller", "ccc:n=4,routing=lc2", "controller"),
    _counted(
        "ccc_n4_lc2_distributed_controller",
        "ccc:n=4,routing=lc2,sequencer=distributed",
        "controller",
    ),
    _counted("ccc_n4_lc2_network", "ccc:n=4,routing=lc2", NETWORK),
    _counted("ccc_n4_lc2_shift_network", "ccc:n=4,routing=lc2,control=shift", NETWORK),
    _counted(
        "ccc_n4_lc2_distributed_network", "ccc:n=4,routing=lc2,sequencer=distributed", NETWORK
    ),
    _printed("lcan_d2_u2", "lcan:d=2,u=2,levels=3", _MIDDLE),
    _printed("lcan_d4_u2", "lcan:d=4,u=2,levels=3", _MIDDLE),
    _printed("lcan_d4_u4", "lcan:d=4,u=4,levels=3", _MIDDLE),
    _printed("banyan_d2_u2", "banyan:d=2,u=2,levels=3", _MIDDLE),
    _printed("banyan_d4_u2", "banyan:d=4,u=2,levels=3", _MIDDLE),
    *(
        _printed(f"lcan_{role}_{cycle}", f"lcan:d=2,u=2,levels=6,cycle={cycle}", role)
        for role in ("interface", "controller")
        for cycle in ("fixed", "adaptive")
    ),
    *(
        _compared(f"torus_{size}x{size}_{routing}", f"torus:x={size},y={size},routing={routing}")
        for size in (4, 8, 16)
        for routing in ("dimension_order", "updown", "shortest")
    ),
    *(
        _compared(
            f"mesh_{size}x{size}_nodes2_{routing}",
            f"mesh:x={size},y={size},nodes_per_router=2,routing={routing}",
        )
        for size in (4, 8, 16)
        for routing in ("dimension_order", "updown")
    ),
    _printed("kyklos_chooser", "kyklos:k=2,levels=6", "chooser"),
    *(
        _printed(
            f"wk_w4_levels{levels}_{rule}", f"wk:w=4,levels={levels},broadcast={rule}", _CORNER
        )
        for levels in (2, 3, 4)
        for rule in ("no", "address", "mask", "label", "stack")
    ),
)
