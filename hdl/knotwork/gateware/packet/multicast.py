"""Interface of a node that can multicast."""

from collections.abc import Hashable

from amaranth.hdl import Cat, Const, Module, Mux, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out

from ...errors import ConfigurationError
from ...network import Network
from ...topology import LOCAL
from ...untyped import Interface, View
from ..component import Component
from ..layouts import flit_layout, inject_layout
from ..parts.arbiter import ChannelArbiter, SwitchArbiter
from ..parts.crossbar import one_hot_mux
from ..parts.draws import constants_alike
from ..parts.injector import Injector, is_receiver, node_lane
from ..parts.parity import seal, voted_last
from .classes import regulated
from .interface import connect_beats, interface_signature
from .store import Store


class ChainCheck(Component):
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
    port : int
        Port of its router that leads to the node.

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

    def __init__(self, network: Network, port: int = LOCAL) -> None:
        self._network, self._port = network, port
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "i": In(stream.Signature(inject_layout(network))),
                "o": Out(stream.Signature(flit_layout(network))),
                "discard": Out(1),
                "refused": Out(1),
            }
        )

    @property
    def parameters(self) -> Hashable:
        return self._network, self._network.topology.port_class(self._port)

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
        bounded = routing.chain_limit < topology.nodes // topology.traffic_classes - 1
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
                | (in_chain & (above.any() | ~is_receiver(self._network, self._port, address)))
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


class MulticastInterface(Component):
    """Injector and multicast unit of a node.

    A multicast is stored whole, then sent half after half. A packet with a chain that arrives for
    the node is stored, sent on and delivered. Each class above 0 in which packets arrive has its
    own store, which sends only in lower classes, so stores and channels never wait for each other
    in a cycle. The stores and the node's own packets take turns at the router, packet by packet in
    each virtual channel, and at the node.

    Where the network has lanes, a store takes the packets of its class from all of them, and each
    copy goes by the lane of its own flow, from this node to where it is sent. The classes order
    channels and stores whatever the lanes: see `routing.deadlock`.

    Latency
    -------
    0 cycles either way for other packets; see `Store`.

    Parameters
    ----------
    network : Network
        Addresses, widths and limits.
    port : int
        Port of that router that leads to the node.

    Members
    -------
    address, inject, eject, refused, o, i
        See `interface_signature`.

    Raises
    ------
    ConfigurationError
        Virtual channels that are no multiple of the rounds.
    """

    address: Signal
    inject: stream.Interface
    eject: stream.Interface
    refused: Signal
    o: Interface
    i: Interface

    def __init__(self, network: Network, port: int = LOCAL) -> None:
        count = network.traffic_classes
        needed = network.routing.needed_virtual_channels() * count
        if network.virtual_channels % needed:
            raise ConfigurationError(
                f"{network.topology.name}: virtual_channels must be a multiple of {needed} for the "
                f"multicast units, not {network.virtual_channels}"
            )
        self._network, self._port = network, port
        self._classes = network.routing.classes
        share = network.virtual_channels // count
        first = network.topology.port_class(port) * share
        self._channels = range(first, first + share)
        """Virtual channels of the node's class of traffic: all classes of each lane."""
        super().__init__(interface_signature(network))

    @property
    def parameters(self) -> Hashable:
        return self._network, self._network.topology.port_class(self._port)

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
        m.submodules.injector = injector = Injector(self._network, self._port)
        m.submodules.chain_check = check = ChainCheck(self._network, self._port)
        inject = regulated(m, self._network, self._port, self.inject)
        in_packet = Signal(name="in_packet")
        kept = Signal(name="kept")
        multicast = Signal(name="multicast")
        self.in_packet, self.kept = in_packet, kept
        wiring.connect(m, check.o, store.i)
        m.d.comb += [
            multicast.eq(Mux(in_packet, kept, inject.p.multicast)),
            *constants_alike(injector, self),
            check.address.eq(self.address),
            injector.i.p.eq(inject.p),
            check.i.p.eq(inject.p),
            injector.i.valid.eq(inject.valid & ~multicast),
            check.i.valid.eq(inject.valid & multicast),
            inject.ready.eq(Mux(multicast, check.i.ready, injector.i.ready)),
            store.discard.eq(check.discard),
            self.refused.eq(injector.refused | check.refused),
        ]
        with m.If(inject.valid & inject.ready):
            m.d.sync += [in_packet.eq(~inject.p.last), kept.eq(multicast)]
        return injector

    def _inject(self, m: Module, injector: Injector, stores: list[Store]) -> None:
        """Arbitrate between the node's packets and the stores on the way to the router.

        In each virtual channel one packet at a time; those that have room take turns flit by flit.
        """
        flits: list[View] = [injector.o.flit, *(store.o.p for store in stores)]
        taken: list[list[Value]] = [[] for _ in flits]
        count = len(self._channels)
        m.submodules.inject_switch = switch = SwitchArbiter(requesters=count)
        lanes = [self._lane(m, number, store) for number, store in enumerate(stores)]
        for number, vc in enumerate(self._channels):
            requests = self._asking(number, injector, stores, lanes)
            arbiter = ChannelArbiter(requesters=len(requests))
            m.submodules[f"inject_{number}"] = arbiter
            sends = switch.grant[number]
            m.d.comb += [
                arbiter.request.eq(Cat(requests.values())),
                switch.request[number].eq(arbiter.grant.any() & self.o.ready[vc]),
                arbiter.taken.eq(sends),
                arbiter.tail.eq(self.o.flit.last),
                self.o.valid[vc].eq(sends),
            ]
            for place, way in enumerate(requests):
                taken[way].append(arbiter.grant[place] & sends)
        select = [Cat(takes).any() for takes in taken]
        m.d.comb += [
            self.o.flit.eq(one_hot_mux(select, flits)),
            switch.taken.eq(switch.grant.any()),
            switch.tail.eq(self.o.flit.last),
            *(injector.o.ready[vc].eq(select[0]) for vc in self._channels[:: self._classes]),
        ]
        for store, takes in zip(stores, select[1:], strict=True):
            m.d.comb += store.o.ready.eq(takes)

    def _lane(self, m: Module, number: int, store: Store) -> list[Value]:
        """Whether a store's copy goes by each of the node's lanes; they follow its destination."""
        lane, own = node_lane(self._network, self._port, self.address, store.o.p.destination)
        if len(own) == 1:
            return [Const(1)]
        goes = Signal(len(own), name=f"lane_{number or 'source'}")
        m.d.comb += goes.eq(Cat(lane == Const(place, len(lane)) for place in range(len(own))))
        return list(goes)

    def _asking(
        self, number: int, injector: Injector, stores: list[Store], lanes: list[list[Value]]
    ) -> dict[int, Value]:
        """Who may send in a channel, and whether it does: 0 for the node, n + 1 for store n.

        `lanes` are those of each store's copy.
        """
        lane, vc_class = divmod(number, self._classes)
        requests = {} if vc_class else {0: injector.o.valid[self._channels[number]]}
        for way, (store, goes) in enumerate(zip(stores, lanes, strict=True)):
            if way == 0 or way > vc_class:
                requests[way + 1] = store.o.valid & (store.vc_class == vc_class)
                if len(goes) > 1:
                    requests[way + 1] &= goes[lane]
        return requests

    def _eject(self, m: Module, stores: list[Store]) -> None:
        """Arbitrate between ejected packets and the stores on the way to the node."""
        direct = stream.Signature(self.eject.p.shape()).create(path=("direct",))
        connect_beats(m, self._network, self.i, direct)
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
