"""Interface of a node that can multicast."""

from amaranth.hdl import Cat, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...errors import ConfigurationError
from ...network import Network, RouterKind
from ...routing import Turn
from ...topology import LOCAL
from ...untyped import Interface, View
from ..layouts import flit_layout, inject_layout
from ..parts.arbiter import ChannelArbiter
from ..parts.crossbar import one_hot_mux
from ..parts.injector import Injector, is_node
from ..parts.parity import seal, voted_last
from .allocator import OutputAllocator
from .interface import connect_beats, interface_signature
from .store import Store


class ChainCheck(wiring.Component):
    """Makes flits of a multicast's beats, and refuses invalid multicasts.

    A multicast is refused if its chain is empty or too long, if an address belongs to no node or
    does not rise in XOR order (which excludes the node itself and duplicates), if it has no data,
    or if it has more than `max_packet` beats.

    Latency
    -------
    0 cycles; `refused` comes in the cycle after the last beat.

    Parameters
    ----------
    network : Network
        Addresses, widths and limits.

    Members
    -------
    address : In(address_width)
        The node's own address.
    i : In(stream of inject_layout)
        Beats of multicasts.
    o : Out(stream.Signature(flit_layout))
        Flits: the chain, then the data.
    discard : Out(1)
        With the last flit: the packet is refused.
    refused : Out(1)
        High for one cycle for each packet refused.
    """

    address: Signal
    i: stream.Interface
    o: stream.Interface
    discard: Signal
    refused: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "i": In(stream.Signature(inject_layout(network))),
                "o": Out(stream.Signature(flit_layout(network))),
                "discard": Out(1),
                "refused": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        routing, topology = self._network.routing, self._network.topology
        longest = routing.options.longest_copied_packet
        beat = self.i.p
        index = Signal(range(longest + 1))
        nodes = Signal.like(beat.destination, name="nodes")
        kept = Signal.like(beat.destination, name="kept")
        offset = Signal(topology.address_width, name="offset")
        previous = Signal(topology.address_width, name="previous")
        address, above = beat.data[: len(offset)], beat.data[len(offset) :]
        in_chain = Signal(name="in_chain")
        wrong = Signal(name="wrong")
        was_wrong = Signal(name="was_wrong")
        # Where a chain may name all other nodes, every number that fits is valid.
        bounded = routing.chain_limit < topology.nodes - 1
        too_many = nodes > routing.chain_limit if bounded else 0
        m.d.comb += [
            nodes.eq(Mux(index == 0, beat.destination, kept)),
            in_chain.eq(index < nodes),
            offset.eq(address ^ self.address),
            wrong.eq(
                was_wrong
                | (nodes == 0)
                | too_many
                | (index == longest)
                | (in_chain & (above.any() | ~is_node(topology, address)))
                | (in_chain & ((offset <= previous) | beat.last))
            ),
            self.discard.eq(wrong),
            self.o.valid.eq(self.i.valid),
            self.i.ready.eq(self.o.ready),
            self.o.p.data.eq(beat.data),
            self.o.p.last.eq(beat.last),
            self.o.p.source.eq(self.address),
            self.o.p.chain.eq(in_chain),
        ]
        if self._network.has_parity:
            m.d.comb += seal(self.o.p)
        taken = self.i.valid & self.i.ready
        m.d.sync += self.refused.eq(taken & beat.last & wrong)
        with m.If(taken):
            m.d.sync += [
                index.eq(Mux(index == longest, index, index + 1)),
                kept.eq(nodes),
                previous.eq(offset),
                was_wrong.eq(wrong),
            ]
            with m.If(beat.last):
                m.d.sync += [index.eq(0), previous.eq(0), was_wrong.eq(0)]
        return m


class MulticastInterface(wiring.Component):
    """Injector and multicast unit of a node.

    A multicast is stored whole, then sent half after half. A packet with a chain that arrives for
    the node is stored, sent on and delivered. Each class above 0 in which packets arrive has its
    own store, which sends only in lower classes, so stores and channels never wait for each other
    in a cycle. The stores and the node's own packets take turns at the router, packet by packet in
    each virtual channel, and at the node.

    Latency
    -------
    0 cycles either way for other packets; see `Store`.

    Parameters
    ----------
    network : Network
        Addresses, widths and limits.
    kind : RouterKind
        Its router.
    port : int
        Port of that router that leads to the node.

    Members
    -------
    address, inject, eject, refused, o, i
        See `interface_signature`.

    Raises
    ------
    ConfigurationError
        Fewer virtual channels than rounds.
    """

    address: Signal
    inject: stream.Interface
    eject: stream.Interface
    refused: Signal
    o: Interface
    i: Interface

    def __init__(self, network: Network, kind: RouterKind, port: int = LOCAL) -> None:
        needed = network.routing.needed_virtual_channels()
        if network.routing.virtual_channels != needed:
            raise ConfigurationError(
                f"{network.topology.name}: virtual_channels must be {needed} for the multicast "
                f"units, not {network.routing.virtual_channels}"
            )
        self._network = network
        self._is_plain = kind.is_plain_output(port)
        super().__init__(interface_signature(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        stores = [Store(self._network, delivers=False)]
        m.submodules.store_source = stores[0]
        for vc_class in range(1, self._network.routing.classes):
            store = Store(self._network, delivers=True)
            m.submodules[f"store_{vc_class}"] = store
            m.d.comb += [
                store.i.valid.eq(self.i.valid[vc_class]),
                store.i.p.eq(self.i.flit),
                self.i.ready[vc_class].eq(store.i.ready),
            ]
            if self._network.has_parity:
                m.d.comb += store.i.p.last.eq(voted_last(self.i.flit))
            stores.append(store)
        injector = self._accept(m, stores[0])
        self._inject(m, injector, stores)
        self._eject(m, stores[1:])
        return m

    def _accept(self, m: Module, store: Store) -> Injector:
        """Split the node's packets: multicasts into a store, the others to the injector."""
        m.submodules.injector = injector = Injector(self._network)
        m.submodules.chain_check = check = ChainCheck(self._network)
        in_packet = Signal(name="in_packet")
        kept = Signal(name="kept")
        multicast = Signal(name="multicast")
        wiring.connect(m, check.o, store.i)
        m.d.comb += [
            multicast.eq(Mux(in_packet, kept, self.inject.p.multicast)),
            injector.address.eq(self.address),
            check.address.eq(self.address),
            injector.i.p.eq(self.inject.p),
            check.i.p.eq(self.inject.p),
            injector.i.valid.eq(self.inject.valid & ~multicast),
            check.i.valid.eq(self.inject.valid & multicast),
            self.inject.ready.eq(Mux(multicast, check.i.ready, injector.i.ready)),
            store.discard.eq(check.discard),
            self.refused.eq(injector.refused | check.refused),
        ]
        with m.If(self.inject.valid & self.inject.ready):
            m.d.sync += [in_packet.eq(~self.inject.p.last), kept.eq(multicast)]
        return injector

    def _inject(self, m: Module, injector: Injector, stores: list[Store]) -> None:
        """Arbitrate between the node's packets and the stores on the way to the router."""
        classes = range(len(stores))
        flits: list[View] = [injector.o.flit, *(store.o.p for store in stores)]
        asks = {Turn(0, 0, LOCAL, 0): injector.o.valid[0]}
        for number, store in enumerate(stores):
            for vc_class in classes if number == 0 else range(number):
                turn = Turn(number + 1, 0, LOCAL, vc_class)
                asks[turn] = store.o.valid & (store.vc_class == vc_class)
        allocator = OutputAllocator(tuple(asks), virtual_channels=len(stores))
        m.submodules.inject = allocator
        m.d.comb += allocator.ready.eq(self.o.ready)
        takes: list[list[Value]] = [[] for _ in flits]
        for place, turn in enumerate(asks):
            takes[turn.input_port].append(allocator.offer[place])
            m.d.comb += [
                allocator.request[place].eq(asks[turn]),
                allocator.crosses[place].eq(allocator.offer[place]),
            ]
        select = [Cat(offers).any() for offers in takes]
        m.d.comb += [
            self.o.flit.eq(one_hot_mux(select, flits)),
            allocator.tail.eq(self.o.flit.last),
            injector.o.ready[0].eq(select[0]),
        ]
        for store, taken in zip(stores, select[1:], strict=True):
            m.d.comb += store.o.ready.eq(taken)
        for vc_class in classes:
            places = [p for p, turn in enumerate(asks) if turn.output_vc == vc_class]
            m.d.comb += self.o.valid[vc_class].eq(Cat(allocator.offer[p] for p in places).any())

    def _eject(self, m: Module, stores: list[Store]) -> None:
        """Arbitrate between ejected packets and the stores on the way to the node."""
        direct = stream.Signature(self.eject.p.shape()).create(path=("direct",))
        connect_beats(m, self._network, self.i, direct, is_plain=self._is_plain)
        sources = [direct, *(store.deliver for store in stores)]
        m.submodules.eject = arbiter = ChannelArbiter(requesters=len(sources))
        m.d.comb += [
            arbiter.request.eq(Cat(source.valid for source in sources)),
            arbiter.taken.eq(self.eject.ready),
            arbiter.tail.eq(self.eject.p.last),
            self.eject.valid.eq(arbiter.grant.any()),
            self.eject.p.eq(one_hot_mux(list(arbiter.grant), [source.p for source in sources])),
        ]
        for number, source in enumerate(sources):
            m.d.comb += source.ready.eq(arbiter.grant[number] & self.eject.ready)
