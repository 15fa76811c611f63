"""Networks of deflection routers, for tests of their golden model."""

HOPLITE = "torus:x=4,y=4,directions=one,router=deflection,data_width=28,source=no"
"""One-way torus, routed by the rule of HopliteRT."""

FAMILIES = (
    "torus:x=6,y=4,directions=one,ring_code=johnson,router=deflection",
    "torus:x=4,y=3,router=deflection",
    "mesh:x=4,y=3,router=deflection",
    "hypercube:n=4,router=deflection",
    "moebius:n=4,twist=1,router=deflection",
    "moebius:n=3,routing=spr,router=deflection",
    "ccc:n=3,router=deflection",
    "tcpg:k=1,m=1,router=deflection",
    "petersen:router=deflection",
    "rp:k=3,router=deflection",
)
"""One network per family and routing whose packets can be deflected, except `wk`."""
