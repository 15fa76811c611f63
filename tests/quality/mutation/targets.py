"""Modules that `make mutate` makes mutants of, each in a small network of its class."""

from pathlib import Path
from typing import NamedTuple

from knotwork.network import Network


class Target(NamedTuple):
    """Module, and the network in which its mutants run.

    Members
    -------
    name : str
        Name of the row.
    net : str
        Network, in one word.
    role : str
        Kind of router, or what the network has beside them; all of that kind in the network are
        the same mutant.
    whole : bool
        Whether the network is small enough for proofs about all of it.
    crowd : int
        Packets per node in the crowded runs, which must last for several phases of deflection.
    proofs : bool
        Whether the proofs about the router take minutes at most, so that mutants can try them.
    """

    name: str
    net: str
    role: str
    whole: bool = True
    crowd: int = 100
    proofs: bool = True

    @property
    def module(self) -> str:
        """Name of the module."""
        return Network.from_word(self.net).module_name(self.role)


_ADAPTIVE = "lcan:d=2,u=2,levels=2,data_width=8,max_packet=3,cycle=adaptive"
_LONGER = "lcan:d=2,u=2,levels=2,data_width=8,max_packet=5,cycle=adaptive"
"""Its network cycles can outlast the controller's count."""

_WHEEL = Path(__file__).with_name("wheel.json")
"""Routers with two nodes, one and none; this one is in the middle."""
_LONG = f"graph:file={Path(__file__).with_name('long.edges')},data_width=8,buffer_depth=4"
"""A link of three cycles, whose buffers are deeper than the others."""
_LANES = "mesh:x=3,y=2,nodes_per_router=2,data_width=8,buffer_depth=4,pipeline=2,virtual_channels=2"
"""Every link carries both lanes; with one node per router, many links of a small mesh carry one
alone."""
_CHAINS = "hypercube:n=3,multicast=yes,max_packet=8,data_width=8,buffer_depth=8,pipeline=2"
"""Copies name several nodes; in a network of four nodes, each names one at most."""

TARGETS = (
    Target("mesh", "mesh:x=3,y=3,data_width=8,buffer_depth=4", "router_L_R_U_D"),
    Target("hypercube", "hypercube:n=3,data_width=8,buffer_depth=2", "router"),
    Target("moebius", "moebius:n=3,routing=spr,data_width=8,buffer_depth=2", "router"),
    Target(
        "wk", "wk:w=3,levels=2,data_width=8,buffer_depth=3", "router_digit1_level1", False, 2500
    ),
    Target(
        "wk_stack",
        "wk:w=2,levels=3,data_width=8,buffer_depth=2,broadcast=stack",
        "router_digit0_level1",
        whole=False,
        crowd=2500,
    ),
    Target(
        "tcpg",
        "tcpg:k=1,m=1,data_width=8,buffer_depth=2",
        "router_LR_inner_UD_inner",
        whole=False,
        crowd=200,
        proofs=False,
    ),
    Target("mesh_credits", _LANES, "router_L_R_D"),
    Target(
        "stage_credits",
        "mesh:x=3,y=2,data_width=8,buffer_depth=8,pipeline=3",
        "router_L_R_D",
    ),
    Target(
        "served",
        "mesh:x=3,y=2,nodes_per_router=2,data_width=8,buffer_depth=2",
        "router_L_R_D",
    ),
    Target("table", "hypercube:n=3,routing=updown,data_width=8,buffer_depth=2", "router"),
    Target(
        "table_wk",
        "wk:w=3,levels=2,routing=updown,data_width=8,buffer_depth=2",
        "router_digit0_digit1_digit2",
        crowd=2500,
    ),
    Target(
        "nodeless",
        f"graph:file={_WHEEL},data_width=8,buffer_depth=2",
        "router_link0_link1_link2_link3",
    ),
    Target("long_link", _LONG, "link3", crowd=400),
    Target("at_long_link", _LONG, "router_at_0", crowd=400),
    Target(
        "wk_credits",
        # With w=2 the nodes form a line, where a router sees one value of many header bits.
        "wk:w=3,levels=2,data_width=8,buffer_depth=4,pipeline=2",
        "router_digit1_level1",
        whole=False,
        crowd=1000,
    ),
    Target("stores_credits", _CHAINS, "router", whole=False, crowd=400, proofs=False),
    Target(
        "escapes_credits",
        "moebius:n=3,routing=spr,vc_scheme=escape,data_width=8,buffer_depth=4,pipeline=2",
        "router",
        whole=False,
        crowd=400,
    ),
    Target("ccc_lc2", "ccc:n=4,routing=lc2,data_width=8,words=2", "router_place0"),
    Target(
        "ccc_lc2_shift", "ccc:n=4,routing=lc2,control=shift,data_width=8,words=3", "router_place0"
    ),
    Target(
        "ccc_lc2_distributed",
        "ccc:n=4,routing=lc2,sequencer=distributed,data_width=8,words=2",
        "router_place0",
    ),
    Target("lcan", "lcan:d=2,u=2,levels=3,data_width=8,max_packet=4", "router_level1"),
    Target("lcan_interface", _ADAPTIVE, "interface"),
    Target("lcan_controller", _LONGER, "controller"),
    Target("lcan_chooser", "kyklos:k=2,levels=3,data_width=8,max_packet=3", "chooser", whole=False),
    Target("banyan", "banyan:d=2,u=2,levels=3,data_width=8,max_packet=4", "router_level1"),
    Target("deflection", "hypercube:n=3,router=deflection,data_width=8", "router", crowd=5000),
    Target(
        "ring_deflection",
        "torus:x=3,y=3,directions=one,router=deflection,data_width=8",
        "router",
    ),
)
