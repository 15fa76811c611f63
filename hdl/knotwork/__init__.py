"""Knotwork: a generator of on-chip networks.

Each public name is imported from its module when it is first used, so that a topology loads no
hardware and ``knotwork --help`` loads neither. The stub beside this file gives their types.
"""

from importlib import import_module

from .notebook_display import draw_with, graph_with

_HOMES = {
    **dict.fromkeys(
        (
            *("Banyan", "Baseline", "Cm5", "CubeConnectedCycles", "FatTree", "Graph", "Hypercube"),
            *("Kyklos", "Lcan", "Mesh", "Moebius", "Petersen", "Ring", "Rp", "SwBanyan", "Tcpg"),
            *("Torus", "Trac", "WkRecursive"),
        ),
        "topology",
    ),
    # for networks of one's own
    **dict.fromkeys(("LOCAL", "GraphFile", "Topology"), "topology"),
    **dict.fromkeys(("Routing", "Turn"), "routing"),
    "UserOperation": "operations",
    **dict.fromkeys(("Choice", "Integer", "parameter"), "parameters"),
    "compilable": "routing.compiled.compilable",
    "RouteComputation": "gateware.parts.route",
    "Network": "network",
    **dict.fromkeys(("with_classes", "with_nodes", "without"), "topology.altered"),
    "Fabric": "gateware",
}
"""Module of each public name."""

# The stub says the same to type checkers.
__all__ = [*_HOMES, "__version__"]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]


def _draw(shown: object) -> str:
    """Drawing of a network or a topology, for a notebook."""
    return import_module(".drawing.svg", __name__).notebook_picture(shown)


def _graph(shown: object) -> object:
    """NetworkX's graph of a network or a topology."""
    return import_module(".drawing.graph_files", __name__).networkx_graph(shown)


draw_with(_draw)
graph_with(_graph)


def __getattr__(name: str) -> object:
    if name == "__version__":
        value: object = import_module(".version", __name__).installed_version()
    elif name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
