"""Pieces of the routers of each router class, with their numbers."""

from collections import Counter
from collections.abc import Mapping, Sequence

from ..network import Network, RouterKind
from ..output_ways import way_combinations
from ..router_kind import by_class
from ..routing.batch import BatchRouting
from ..routing.deflection import Deflection, exchanges
from ..topology.lcan import LeastCommonAncestor
from .pieces import (
    RAM_DEPTH,
    RAM_WIDTH,
    Crossbar,
    Sizes,
    added,
    mux_luts,
    other_way_nodes,
    over_one,
    pointer_bits,
    ram_cells,
    route_nodes,
)


class PacketPieces:
    """Pieces of a packet router.

    Parameters
    ----------
    network : Network
        One of packet routers.
    kind : RouterKind
        Router.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network, self._kind = network, kind
        self._crossbar = Crossbar(network, kind)
        self._address = network.topology.address_width
        self._depth = network.hardware.input_buffer
        broadcast = network.routing.broadcast
        destination = max(self._address, 0 if broadcast is None else broadcast.label_width)
        self._flit = network.hardware.data_width + 1 + destination + self._address
        self._flit += network.has_broadcast + network.has_multicast + 5 * network.has_parity
        self._flit += network.loads_tables
        if kind.traffic_class is not None:  # both addresses tell the class, which is known there
            self._flit -= 2 * (network.traffic_classes - 1).bit_length()
        self._branching = len(self._crossbar.branches) * self._flit

    def sizes(self) -> Mapping[str, Sizes]:
        """Sizes by figure: ``lut4``, ``dpr``, ``ff`` and ``ns``."""
        of_kind = self._with_credits if self._network.has_credits else self._plain
        return of_kind()

    def _plain(self) -> dict[str, Sizes]:
        """Pieces of a plain router."""
        bar, common, depth = self._crossbar, self._common, self._depth
        stored = [
            self._flit - bar.known_bits(port) + (turns if turns > 1 else 0)
            for (port, _), turns in bar.choices.items()
        ]
        registers = sum(stored) if depth <= 2 else 0
        in_ram = depth > 2
        gates = (
            common
            | self._columns()
            | {
                "requests": over_one(bar.requesters, 2),
                "registers of buffers": registers,
                "banks": sum(stored) * (-(-depth // RAM_DEPTH) - 1) * in_ram,
            }
        )
        flip_flops = common | {
            "request lines": over_one(bar.requesters),
            "registers of buffers": registers,
        }
        cells = sum(ram_cells(bits, depth) for bits in stored) * in_ram
        return {"lut4": gates, "dpr": {"cells": cells}, "ff": flip_flops}

    def _with_credits(self) -> dict[str, Sizes]:
        """Pieces where the channels of an input share a memory, and outputs count credits."""
        bar, kind = self._crossbar, self._kind
        links = [port for port, _ in bar.outputs if port not in kind.node_ports]
        behind = [self._network.depth_behind(kind.router, port) for port in links]
        entries = {
            port: channels * self._network.depth_at(kind.router, port)
            for port, channels in bar.input_channels.items()
        }
        bits = {port: self._flit - bar.known_bits(port) for port in entries}
        parity = self._network.has_parity
        ways = sum(bar.choices.values())
        escapes = self._escapes(len(links))
        common = self._common | {
            "credits": len(links),
            "bits of credits": sum(map(pointer_bits, behind)),
            "fans": over_one(bar.fans.values(), 2),
        }
        gates = (
            common
            | self._columns()
            | {
                "request lines": over_one(bar.requesters),
                "banks": sum(bits[port] * (-(-entries[port] // RAM_DEPTH) - 1) for port in entries),
                "parity of flits": parity * len(entries) * self._flit,
                "parity of ways": parity * ways,
                "parity of nodes": parity * len(kind.node_ports) * self._flit,
            }
            | escapes
        )
        flip_flops = (
            common
            | {
                "parity": parity * len(bar.inputs),
                "parity of ways": parity * ways,
                "flits of turns": sum(bar.fans[port] * size for port, size in self._widths.items()),
                "flits of outputs": sum(self._widths.values()),
                "flits before the crossbar": crossing_bits(bar, bits, self._widths),
            }
            | escapes
        )
        return {"lut4": gates, "dpr": {"cells": memories(bar, self._flit)}, "ff": flip_flops}

    def _escapes(self, links: int) -> dict[str, float]:
        """What lets blocked packets escape: the other ways of each, and empty buffers behind.

        Where packets have several other ways, those that they have together are numbered.
        """
        network, bar = self._network, self._crossbar
        others = len(network.routing.other_ways)
        several, choosing = others > 1, 0
        combinations: list[int] = []
        if several:
            escape = network.routing.escape_class or 0
            choosing = sum(vc % network.routing.classes < escape for _, vc in bar.inputs)
            combinations = [
                len(way_combinations(network, self._kind, port)) for port in bar.input_channels
            ]
        return {
            "escapes": (not several) * others * len(bar.inputs),
            "empty buffers": (others > 0) * links,
            "ways that escape": (not several) * others * sum(bar.choices.values()),
            "routes of escapes": other_way_nodes(network, self._kind),
            "inputs that choose": choosing,
            "combinations of ways": sum(combinations),
            "pairs of combinations": over_one(combinations, 2),
            "combinations that are open": network.routing.selection.prefers_open
            * sum(combinations),
        }

    @property
    def _common(self) -> dict[str, float]:
        """Pieces of node, buffers and branches, which have gates and flip-flops."""
        bar, kind, nodes = self._crossbar, self._kind, len(self._kind.node_ports)
        depths = [self._network.depth_at(kind.router, port) for port, _ in bar.inputs]
        branches, pointer = sum(bar.branches), pointer_bits(self._depth)
        waiting = len(kind.node_ports) * self._network.has_credits
        return {
            "nodes": nodes,
            "addresses of nodes": nodes * self._address,
            "lanes": nodes * self._address * (self._network.routing.lanes > 1),
            "bits to nodes": waiting * (self._network.hardware.data_width + self._address + 1),
            "buffers": len(bar.inputs),
            "pointers": sum(map(pointer_bits, depths)),
            "branches": branches,
            "pointers of branches": branches * pointer,
            "branching buffers": len(bar.branches),
        }

    @property
    def _widths(self) -> dict[int, int]:
        """Bits that each output port carries: those of links, or of a node's beats."""
        bar = self._crossbar
        return {
            port: self._flit
            - bar.known_bits(port, leaving=True)
            - (self._address + 1) * (port in self._kind.node_ports)
            for port in bar.fans
        }

    def _columns(self) -> dict[str, float]:
        """Multiplexers, the routes, and what chooses among channels."""
        bar, widths = self._crossbar, self._widths
        several = {port for port, channels in bar.input_channels.items() if channels > 1}
        return {
            "crossbar": sum(mux_luts(bar.fans[port]) * size for port, size in widths.items()),
            "channels": sum(
                mux_luts(channels) * (self._flit - bar.known_bits(port))
                for port, channels in bar.input_channels.items()
            ),
            "channels in the crossbar": sum(
                len(bar.senders[port] & several) * size
                for port, size in widths.items()
                if bar.fans[port] > 1
            ),
            "turns": over_one(bar.choices.values()),
            "routes": route_nodes(self._network, self._kind),
            "links of several channels": over_one(bar.output_channels.values(), 2),
            "branching": self._branching,
        }


def memories(bar: Crossbar, flit_bits: int) -> int:
    """Cells of the memories of input ports with credits: of their flits, and of what these turn to.

    The channels of a port share them. Where another channel's head may come to the front, or the
    same head by another way, the entries have a second memory. With parity each entry has three
    copies. Where packets can escape it has several ways, as one number if these are more than two.

    Parameters
    ----------
    bar : Crossbar
        Counts of the router.
    flit_bits : int
        Bits of a flit.
    """
    network, kind, cells = bar.network, bar.kind, 0
    for port, channels in bar.input_channels.items():
        known = network.known_header(kind, port)
        stored = flit_bits - known.destination.mask.bit_count() - known.source.mask.bit_count()
        copies = 3 if network.has_parity else 1
        # An entry has the mark of a tail too; a flit is stored without it where that saves a cell.
        stored -= copies == 1 and stored % RAM_WIDTH == 1
        entry = copies * (_entry_bits(bar, port) + 1)
        depth = network.depth_at(kind.router, port)
        places = 1 << pointer_bits(depth) + (channels - 1).bit_length()
        twins = 2 if channels > 1 or network.routing.other_ways else 1
        cells += ram_cells(stored, places) + twins * ram_cells(entry, places)
    return cells


def _entry_bits(bar: Crossbar, port: int) -> int:
    """Bits of a flit's ways in an entry."""
    others = len(bar.network.routing.other_ways)
    if others > 1:
        return (len(way_combinations(bar.network, bar.kind, port)) - 1).bit_length()
    return (1 + others) * _way_bits(bar, port)


def _way_bits(bar: Crossbar, port: int) -> int:
    """Bits of a flit's way in an entry: its number, or one for each way where packets branch."""
    kind, classes = bar.kind, bar.network.routing.classes
    ways = {
        (turn.output_port, turn.output_vc % classes)
        for turn in kind.turns
        if turn.input_port == port
    }
    if any(kind.branches(port, vc) for vc in kind.input_vcs(port)):
        return len(ways)
    return (len(ways) - 1).bit_length()


def crossing_bits(bar: Crossbar, bits: Mapping[int, int], widths: Mapping[int, int]) -> int:
    """Bits of registers before the crossbar: of what inputs store, what links carry on.

    Parameters
    ----------
    bar : Crossbar
        Counts of the router.
    bits, widths : mapping
        Bits of a flit that an input port stores, and that an output port carries.
    """
    if not bar.network.has_crossbar_stage:
        return 0
    links = {port: size for port, size in widths.items() if port not in bar.kind.node_ports}
    return sum(
        min(stored, max((size for to, size in links.items() if port in bar.senders[to]), default=0))
        for port, stored in bits.items()
    )


def delays(bar: Crossbar) -> Sizes:
    """Pieces of the longest path, which a packet takes through arbiter and crossbar."""
    network, channels = bar.network, max(bar.input_channels.values())
    return {
        "path": 1,
        "requests": (max(bar.requesters) - 1).bit_length(),
        "fan": (max(bar.fans.values()) - 1).bit_length(),
        "channels": (channels - 1).bit_length(),
        "ports": len(bar.kind.ports) - 1,
        "turns": (max(bar.choices.values()) - 1).bit_length(),
        "address": network.topology.address_width,
        "several channels": channels > 1,
        "branches": len(bar.branches) > 0,
        "parity": network.has_parity,
        "pointers": pointer_bits(network.hardware.input_buffer),
        "width": network.hardware.data_width / 32,
        "crossbar in the cycle of grants": network.has_credits and not network.has_crossbar_stage,
        "escapes": network.routing.escape_class is not None,
        "open ways": network.routing.selection.prefers_open,
        "classes": (network.traffic_classes - 1).bit_length(),
        "weights": len(network.class_weights),
        "tables": network.loads_tables,
        "stores": network.has_multicast and network.routing.classes,
    }


def shared_links(network: Network, kinds: Sequence[RouterKind], flit_bits: int) -> dict[str, float]:
    """Pieces of the links that several classes share.

    Parameters
    ----------
    network : Network
        One of packet routers.
    kinds : sequence of RouterKind
        A router's turns of each class.
    flit_bits : int
        Bits of a flit.
    """
    sharing = Counter(
        port
        for kind in kinds
        for port in {turn.output_port for turn in kind.turns}.difference(kind.node_ports)
    )
    shared, weights = {port: n for port, n in sharing.items() if n > 1}, network.class_weights
    counters = len(shared) * sum(weight.bit_length() for weight in weights)
    return {
        "shared links": sum(shared.values()),
        "bits of shared links": sum(n - 1 for n in shared.values()) * flit_bits,
        "weights": counters,
    }


def limits(network: Network, kind: RouterKind) -> dict[str, float]:
    """Pieces of the regulators at a router's nodes.

    Parameters
    ----------
    network : Network
        One of packet routers.
    kind : RouterKind
        Router.
    """
    found = [limit for limit in network.injection_limits if limit is not None]
    each = len(kind.node_ports) // network.traffic_classes
    full = [limit.burst * limit.rate.denominator for limit in found]
    return {"limits": each * len(found), "bits of limits": each * sum(n.bit_length() for n in full)}


def multicast_unit(network: Network, kind: RouterKind) -> dict[str, float]:
    """Pieces of the multicast units at a router's nodes.

    Parameters
    ----------
    network : Network
        One of packet routers.
    kind : RouterKind
        Router.
    """
    units = len(kind.node_ports) * network.has_multicast
    stores = units * network.routing.classes
    lanes = network.routing.lanes // network.traffic_classes
    hardware, address = network.hardware, network.topology.address_width
    return {
        "multicast units": units,
        "stores": stores,
        "bits of stores": stores * hardware.data_width,
        "addresses of stores": stores * address,
        "turns of stores": stores * network.routing.classes * lanes,
        "pointers of stores": stores * network.longest_copied_packet.bit_length(),
    }


def loaded_tables(network: Network, kind: RouterKind) -> dict[str, float]:
    """Pieces of a router's loaded tables, and of the guards at the ends of its links.

    Parameters
    ----------
    network : Network
        One of packet routers.
    kind : RouterKind
        Router.
    """
    if not network.loads_tables:
        return dict.fromkeys(("loaded routes", "banks of tables", "guarded links", "lost"), 0)
    links, inputs = len(kind.links), len({(turn.input_port, turn.input_vc) for turn in kind.turns})
    rows = -(-(2 << network.topology.address_width) // RAM_DEPTH)
    return {
        "loaded routes": inputs,
        "banks of tables": inputs * _loaded_bits(network) * (rows - 1),
        "guarded links": links,
        "lost": links * 2 * network.topology.address_width,
    }


def _loaded_bits(network: Network) -> int:
    """Bits of an entry of a loaded table: a port, and a class of its channels."""
    ports, classes = len(network.topology.ports), network.routing.classes
    return (ports - 1).bit_length() + (classes - 1).bit_length()


def stored_tables(network: Network, kind: RouterKind) -> int:
    """Cells of the memories of a router's loaded tables, each with two banks."""
    cells = ram_cells(_loaded_bits(network), 2 << network.topology.address_width)
    return round(loaded_tables(network, kind)["loaded routes"]) * cells


def stored_copies(network: Network, kind: RouterKind) -> int:
    """Cells of the memories of a router's multicast units."""
    stores = multicast_unit(network, kind)["stores"]
    return round(stores * ram_cells(network.hardware.data_width, network.longest_copied_packet))


def packet_pieces(network: Network, kind: RouterKind) -> Mapping[str, Sizes]:
    """Sizes of a packet router's pieces by figure: ``lut4``, ``dpr``, ``ff`` and ``ns``."""
    kinds = by_class(network.routing, kind)
    found = [PacketPieces(network, one).sizes() for one in kinds]
    sizes = {figure: added(one[figure] for one in found) for figure in ("lut4", "dpr", "ff")}
    if network.has_credits:
        flit = network.hardware.data_width + 1 + 2 * network.topology.address_width
        beside = shared_links(network, kinds, flit) | limits(network, kind)
        beside |= multicast_unit(network, kind) | loaded_tables(network, kind)
        sizes["lut4"] = {**sizes["lut4"], **beside}
        sizes["ff"] = {**sizes["ff"], **beside}
        more = stored_copies(network, kind) + stored_tables(network, kind)
        sizes["dpr"] = {"cells": sizes["dpr"]["cells"] + more}
    return sizes | {"ns": delays(Crossbar(network, kinds[0]))}


def batch_pieces(network: Network, kind: RouterKind) -> Mapping[str, Sizes]:
    """Sizes of a batch router's pieces by figure."""
    address, data, links = (
        network.topology.address_width,
        network.hardware.data_width,
        len(kind.links),
    )
    routing = BatchRouting.of(network.routing)
    counts = routing.options.is_distributed
    shifts = network.parameters.get("control") == "shift"
    area = {
        "fixed": 1,
        "links": links,
        "messages": links * (data + 2 * address),
        "addresses of links": links * address,
        "address": address,
        "data": data,
        "table": shifts * address,
        "counter": counts,
        "bits of the counter": counts * address,
    }
    return {"lut4": area, "dpr": {}, "ff": area, "ns": {"path": 1, "address": address}}


def circuit_pieces(network: Network, kind: RouterKind) -> Mapping[str, Sizes]:
    """Sizes of a switch's pieces by figure.

    An output below is reached from the other downers, where circuits turn round, and from the
    uppers; one above from the downers. A scan begins at a number of downers or uppers, which takes
    a multiplication (`scan_start`) where they are no power of two.
    """
    topology = LeastCommonAncestor.of(network.topology)
    downers = topology.downers[topology.level_of(kind.router)]
    uppers = len(kind.ports) - 1 - downers
    turns = topology.turns_round
    fans = [(downers - 1) * turns + uppers] * downers + [downers] * uppers
    link = network.hardware.data_width + 2
    compares = downers * topology.address_width if turns and uppers else 0
    area = {
        "choice": any(fan > 1 for fan in fans),
        "crosspoints": sum(fans),
        "crossbar": sum(map(mux_luts, fans)) * link,
        "inputs of the crossbar": over_one(fans) * link,
        "requests": over_one(fans),
        "pairs of requests": over_one(fans, 2),
        "addresses": compares,
        "wires": (downers + uppers) * link,
    }
    multiplied = any(count & (count - 1) for count in (downers, uppers))
    delay = {
        "path": 1,
        "fan": (max(fans) - 1).bit_length(),
        "inputs": max(fans),
        "multiplied": multiplied,
    }
    return {"lut4": area, "dpr": {}, "ff": area, "ns": delay}


def deflection_pieces(network: Network, kind: RouterKind) -> Mapping[str, Sizes]:
    """Sizes of a bufferless router's pieces by figure."""
    address, links = network.topology.address_width, len(kind.links)
    has_phases = Deflection.of(network.routing).has_phases
    packet = network.hardware.data_width + address * (1 + network.has_source)
    packet += network.sequence_width + 2 * has_phases
    rounds = exchanges(links)
    area = {
        "fixed": 1,
        "rings": (not has_phases) * packet,
        "exchanges": has_phases * sum(map(len, rounds)) * packet,
        "wires": has_phases * links * packet,
        "ejection": has_phases * mux_luts(links) * packet,
        "links": has_phases * links,
        "pairs of links": has_phases * links**2,
        "addresses": links * address,
        "data": network.hardware.data_width,
    }
    delay = {"path": 1, "links": has_phases * links, "rounds": has_phases * len(rounds)}
    return {"lut4": area, "dpr": {}, "ff": area, "ns": delay | {"address": address}}
