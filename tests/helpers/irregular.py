"""Graphs of about 64 routers on which made routings are measured: drawn, the same every time."""

import numpy as np
import rustworkx as rx

from .digraphs import linked


def connected(size, links):
    graph = rx.PyGraph()
    graph.add_nodes_from(range(size))
    graph.add_edges_from_no_data(list(links))
    return rx.is_connected(graph)


def random_regular(size, degree, seed):
    """Random graph in which each router has `degree` links: stubs joined, bad pairs exchanged."""
    rng = np.random.default_rng([seed, degree])
    while True:
        stubs = rng.permutation(np.repeat(np.arange(size), degree)).reshape(-1, 2)
        links, bad = set(), []
        for a, b in np.sort(stubs, axis=1).tolist():
            (bad.append if a == b or (a, b) in links else links.add)((a, b))
        for _ in range(1000):
            if not bad:
                break
            a, b = bad.pop()
            c, d = sorted(links)[rng.integers(len(links))]
            new = {(min(a, c), max(a, c)), (min(b, d), max(b, d))}
            if a == c or b == d or len(new) < 2 or new & links:
                bad.append((a, b))
                continue
            links = links - {(c, d)} | new
        if not bad and connected(size, links):
            return linked(size, links)


def mesh_with_dead(dead, seed, x=8, y=8):
    """Mesh without some routers that are drawn, numbered anew."""
    rng = np.random.default_rng([seed, dead])
    while True:
        gone = set(rng.choice(x * y, dead, replace=False).tolist())
        number = {r: i for i, r in enumerate(r for r in range(x * y) if r not in gone)}
        pairs = [(r, r + 1) for r in range(x * y) if r % x < x - 1]
        pairs += [(r, r + x) for r in range(x * (y - 1))]
        links = [(number[a], number[b]) for a, b in pairs if a in number and b in number]
        if connected(len(number), links):
            return linked(len(number), links)


def small_world(size, seed, near=2, share=0.2):
    """Ring with links to the next routers, of which a share leads elsewhere (Watts, Strogatz)."""
    rng = np.random.default_rng([seed, size])
    while True:
        links = set()
        for a in range(size):
            for step in range(1, near + 1):
                b = (a + step) % size
                while rng.random() < share or b == a or (min(a, b), max(a, b)) in links:
                    b = int(rng.integers(size))
                links.add((min(a, b), max(a, b)))
        if connected(size, links):
            return linked(size, links)


def hundred_graphs():
    """Random regular of degree 3 to 5, meshes with 1 to 3 dead routers, small worlds."""
    for seed in range(100):
        kind, more = seed % 3, seed // 3 % 3
        if kind == 0:
            yield f"regular {3 + more}", random_regular(64, 3 + more, seed)
        elif kind == 1:
            yield f"mesh - {1 + more}", mesh_with_dead(1 + more, seed)
        else:
            yield "small world", small_world(64, seed)
