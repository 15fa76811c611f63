"""C++ of a live network: its ports, channels and traffic patterns, for the harness in the page."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from knotwork.emit.ports import (
    eject_prefix,
    eject_widths,
    inject_prefix,
    link_members,
    link_names,
    refused_port,
)
from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.topology import Topology

from ..traffic.keys import STANDALONE, Traffic
from ..traffic.packets import node_addresses, packet_lengths
from ..traffic.patterns import make_law

_ONE = 1 << 32


class Choices(NamedTuple):
    """Destinations from which sources draw with a number of 32 bits.

    Members
    -------
    names : tuple of str
        Patterns, by number.
    first : ndarray
        First choice of each pattern and node, pattern by pattern, and the total, int64.
    destination : ndarray
        Node of each choice, int64.
    end : ndarray
        Largest number with which each choice is drawn, int64: a source takes the first choice that
        reaches as far as its number.
    """

    names: tuple[str, ...]
    first: np.ndarray
    destination: np.ndarray
    end: np.ndarray


def pattern_choices(topology: Topology) -> Choices:
    """Choices under all patterns of `knotwork simulate` that the network has and need no key."""
    names: list[str] = []
    counts, destinations, ends = [np.zeros(1, np.int64)], [], []
    for name in STANDALONE:
        try:
            law = make_law(topology, Traffic(traffic=name), np.random.default_rng(0))
        except ConfigurationError:
            continue  # a pattern for powers of two, or for nodes in rows
        names.append(name)
        for node in range(topology.nodes):
            found, shares = law.shares(node)
            found, shares = found[shares > 0], shares[shares > 0]
            end = np.round(np.cumsum(shares) * _ONE).astype(np.int64) - 1
            end[-1:] = _ONE - 1
            counts.append(np.array([len(found)]))
            destinations.append(found.astype(np.int64))
            ends.append(end)
    return Choices(
        tuple(names),
        np.cumsum(np.concatenate(counts)),
        np.concatenate(destinations),
        np.concatenate(ends),
    )


LONGEST = 4096
"""Beats of the longest packet that sources make, where the network takes longer ones too."""


class Channel(NamedTuple):
    """Direction of a link between two routers.

    Members
    -------
    router, port : int
        Router that sends, and its port.
    to, into : int
        Router that receives, and its port.
    """

    router: int
    port: int
    to: int
    into: int


def channels(network: Network) -> list[Channel]:
    """Channels between routers, by router and port that send."""
    topology = network.topology
    found = np.argwhere(topology.neighbours >= 0).tolist()
    return [
        Channel(
            router,
            port,
            int(topology.neighbours[router, port]),
            int(topology.peer_ports[router, port]),
        )
        for router, port in found
    ]


def lengths(network: Network) -> tuple[int, int]:
    """Fewest and most beats of the packets that sources make."""
    least, most = packet_lengths(network)
    return least, min(most, LONGEST)


CROSSINGS: dict[frozenset[str], Callable[[str], str]] = {
    frozenset({"valid", "ready", "flit"}): lambda pin: (
        f"*output({pin}__valid) & *output({pin}__ready)"
    ),
    frozenset({"valid", "flit", "credit"}): lambda pin: f"*output({pin}__valid)",
    frozenset({"valid", "packet"}): lambda pin: f"*output({pin}__valid)",
    # `Kind.FLIT` and `Kind.LAST`; headers of circuits are no flits.
    frozenset({"kind", "data", "back"}): lambda pin: f"*output({pin}__kind) & 2",
}
"""Expression that is not 0 in a cycle in which a flit crosses a link, by the link's signals.

It reads the pins of the router that sends; `pin` is what their names begin with.
"""


def mangled(name: str) -> str:
    """Name that CXXRTL gives to a Verilog identifier of letters, digits and underscores."""
    return "p_" + name.replace("_", "__")


def design_header(network: Network, choices: Choices) -> str:
    """Header `design.h` of the harness: the design's class, its ports, links and tables."""
    topology, links = network.topology, channels(network)
    least, most = lengths(network)
    crossing = CROSSINGS[frozenset(link_members(network))]
    constants = {
        "kNodes": topology.nodes,
        "kLinks": len(links),
        "kPatterns": len(choices.names),
        "kShortest": least,
        "kLongest": most,
    }
    has_source = "tid" in eject_widths(network)
    lines = [
        '#include "network.cc"',
        f"using Design = cxxrtl_design::{mangled(network.name)};",
        *(f"constexpr uint32_t {name} = {value};" for name, value in constants.items()),
        f"constexpr bool kHasSource = {str(has_source).lower()};",
        _array("uint32_t kAddress", node_addresses(topology)),
        _array("uint32_t kFirstChoice", choices.first),
        _array("uint16_t kChoice", choices.destination),
        _array("uint32_t kChoiceEnd", choices.end),
        _PORTS,
    ]
    for node in range(topology.nodes):
        lines += _node_pointers(network, node, has_source)
    lines += ["    }", "    uint32_t crosses(uint32_t link) const {", "        switch (link) {"]
    for number, link in enumerate(links):
        router = mangled(f"router_{topology.router_identifier(link.router)}")
        out = mangled(link_names(network, link.port)[1])
        crosses = crossing(f"design->cell_{router}.{out}")
        lines.append(f"        case {number}: return ({crosses}) != 0;")
    return "\n".join([*lines, "        default: return 0;", "        }", "    }", "};", ""])


_PORTS = """\
// Word of an input that the harness sets, and of an output or a link's signal that it reads.
template <size_t Bits>
uint32_t* input(cxxrtl::value<Bits>& given) {
    static_assert(Bits <= 32);
    return given.data;
}
template <size_t Bits>
const uint32_t* output(const cxxrtl::value<Bits>& given) {
    static_assert(Bits <= 32);
    return given.data;
}
template <size_t Bits>
const uint32_t* output(const cxxrtl::wire<Bits>& given) {
    return output(given.curr);
}

struct Ports {
    uint32_t *s_tvalid[kNodes], *s_tdata[kNodes], *s_tdest[kNodes], *s_tlast[kNodes];
    uint32_t* m_tready[kNodes];
    const uint32_t *s_tready[kNodes], *refused[kNodes];
    const uint32_t *m_tvalid[kNodes], *m_tdata[kNodes], *m_tlast[kNodes], *m_tid[kNodes];
    Design* design;

    void connect(Design& given) {
        design = &given;"""


def _node_pointers(network: Network, node: int, has_source: bool) -> Iterable[str]:
    """Statements that point to a node's ports."""
    into, out = inject_prefix(network, node), eject_prefix(network, node)
    inputs = [("s", into, name) for name in ("tvalid", "tdata", "tdest", "tlast")]
    inputs += [("m", out, "tready")]
    outputs = [("s", into, "tready"), *(("m", out, name) for name in ("tvalid", "tdata", "tlast"))]
    if has_source:
        outputs.append(("m", out, "tid"))
    for direction, pins in (("input", inputs), ("output", outputs)):
        for side, prefix, name in pins:
            port = mangled(f"{prefix}_{name}")
            yield f"        {side}_{name}[{node}] = {direction}(given.{port});"
    yield f"        refused[{node}] = output(given.{mangled(refused_port(network, node))});"


def _array(declared: str, values: Sequence[int] | np.ndarray) -> str:
    """Constant array, in lines of some values each."""
    texts = [f"{value}u" for value in np.asarray(values).tolist()] or ["0u"]
    rows = [", ".join(texts[place : place + 12]) for place in range(0, len(texts), 12)]
    return f"constexpr {declared}[] = {{\n    " + ",\n    ".join(rows) + "};"
