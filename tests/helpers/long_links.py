"""Networks of graphs whose links take several cycles."""

from hypothesis import strategies as st
from knotwork import Graph, GraphFile, Network


def graph_of(links, *, nodes=None, directed=False):
    """Graph of links (router, router) or (router, router, latency)."""
    return Graph(file=GraphFile.of(links, nodes=nodes, directed=directed))


def network_of(links, *, nodes=None, directed=False, **keys):
    """Network of it."""
    return Network(graph_of(links, nodes=nodes, directed=directed), **keys)


@st.composite
def long_graphs(draw, most=7, longest=16):
    """Links of a strongly connected digraph with latencies, the first one above 1."""
    size = draw(st.integers(2, most))
    ends = st.integers(0, size - 1)
    ring = [(router, (router + 1) % size) for router in range(size)]
    more = draw(st.lists(st.tuples(ends, ends).filter(lambda e: e[0] != e[1]), max_size=size))
    latency = st.integers(1, longest)
    lengths = draw(st.lists(latency, min_size=size + len(more), max_size=size + len(more)))
    lengths[0] = max(2, lengths[0])
    return [(a, b, cycles) for (a, b), cycles in zip(ring + more, lengths, strict=True)]
