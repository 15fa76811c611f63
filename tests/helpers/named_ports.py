"""A graph whose nodes have names that begin each other, for networks with ``ports=names``."""

import json

NODES = {"hub": 2, "hub_w": 1, "cpu0": 1, "tdata": 1}
"""Nodes of each router, by its name."""

NAMES = ["hub_0", "hub_1", "hub_w", "cpu0", "tdata"]
"""What names the ports of each node."""


def write_graph(folder, labels=None):
    """Write the graph, or a ring of routers with these labels; words of a network of it."""
    nodes = NODES if labels is None else dict.fromkeys(labels, 1)
    count = len(nodes)
    graph = {
        "directed": False,
        "multigraph": False,
        "graph": {},
        "nodes": [
            {"id": number, "label": label, "nodes": each}
            for number, (label, each) in enumerate(nodes.items())
        ],
        "links": [{"source": n, "target": (n + 1) % count} for n in range(count)][: count - 1],
    }
    file = folder / "named.json"
    file.write_text(json.dumps(graph))
    return f"graph file={file} data_width=8 buffer_depth=2 name=soc ports=names"
