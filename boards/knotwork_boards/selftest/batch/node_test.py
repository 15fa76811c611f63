"""Node test of the networks in which packets go in batches."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import ClassVar

from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.lib import stream, wiring
from knotwork.network import Network
from knotwork.parameters import BatchParameters
from knotwork.routing.batch import BatchRouting

from ..node_test import Events, Lfsr, NetworkComponent, NodeTest, WindowControl, node_seed
from ..packet_format import PacketFormat
from ..tally import EVENTS
from .fault_injectors import BatchFaultInjector, TableFaultInjector
from .nodes import BatchChecker, BatchSource
from .tables import BatchLoader, LoadedTable, Permutations, images


class BatchNodeTest(NodeTest):
    """A source and a checker at each node, and a loader of jump tables.

    In a round the sources send all permutations of `Permutations`, each twice, with random pauses
    of sources and checkers. A flag in the network's status fails a window too; it counts as
    `skipped`. After a window that failed, the network, sources, checkers and loader are reset, for
    some nodes may have sent one packet more than others.

    Once a host has loaded a permutation with its table, all batches are of that one.

    Parameters
    ----------
    network : Network
        Network under test.

    Raises
    ------
    ConfigurationError
        The data width is too small.
    """

    restarts: ClassVar[bool] = True
    takes_tables: ClassVar[bool] = True
    registered: ClassVar[bool] = False  # the loader must see a batch's end before the next begins

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._format = PacketFormat(network)
        self._steps = BatchRouting.of(network.routing).steps
        self._words = BatchParameters.of(network.hardware).words

    @cached_property
    def _permutations(self) -> Permutations:
        return Permutations(self._network.topology.address_width)

    @property
    def packets_per_round(self) -> int:
        """One per batch."""
        return 1 << self._permutations.batches_log2

    @property
    def cycles_per_packet(self) -> int:
        """A batch: its steps, and the pauses of sources and checkers."""
        return (self._steps + 3) * self._words + 4

    @property
    def timer_width(self) -> int:
        """Wide enough that the timer outlasts a batch, and packets with many pauses."""
        return (2 * (self._steps + 4) * self._words + 64).bit_length()

    def add_to(
        self, m: Module, fabric: NetworkComponent, control: WindowControl, *, rounds_log2: int
    ) -> Events:
        """Put a source and a checker at each node, add the loader, and gather the events."""
        reset = ResetInserter(control.restart)
        nodes = range(self._network.topology.nodes)
        sources = [self._source(node, rounds_log2) for node in nodes]
        checkers = [self._checker(node) for node in nodes]
        for node, (source, checker) in enumerate(zip(sources, checkers, strict=True)):
            m.submodules[f"lfsr_{node}"] = lfsr = Lfsr(seed=node_seed(node))
            m.submodules[f"source_{node}"] = reset(source)
            m.submodules[f"checker_{node}"] = reset(checker)
            wiring.connect(m, fabric.eject[node], checker.i)
            m.d.comb += [
                source.start.eq(control.start),
                source.random.eq(lfsr.o[2:4]),
                checker.start.eq(control.start),
                checker.random.eq(lfsr.o[9:11]),
            ]
        loader = BatchLoader(network=self._network, tables=self._permutations.tables)
        m.d.comb += loader.ended.eq(checkers[0].received)
        connect_loaded_table(
            m, control, loader, network=self._network, sources=sources, checkers=checkers
        )
        m.submodules.loader = reset(loader)

        packets = [source.o for source in sources]
        packets[0] = self._through(m, "injector", self._injector, packets[0], control)
        tables = self._through(m, "table_injector", self._table_injector, loader.o, control)
        wiring.connect(m, tables, fabric.config)
        for packet_stream, inject in zip(packets, fabric.inject, strict=True):
            wiring.connect(m, packet_stream, inject)

        checked = [event for event in EVENTS if event not in ("sent", "refused")]
        events = {event: [getattr(checker, event) for checker in checkers] for event in checked}
        flags = fabric.status[: self._network.routing.flag_width]
        events["skipped"][0] = events["skipped"][0] | flags.any()
        return {**events, "sent": [source.sent for source in sources]}

    @staticmethod
    def _through(
        m: Module,
        name: str,
        make: Callable[[], BatchFaultInjector | TableFaultInjector],
        source_stream: stream.Interface,
        control: WindowControl,
    ) -> stream.Interface:
        """Lead a stream through a fault injector where the self-test has faults."""
        if control.fault is None:
            return source_stream
        injector = make()
        m.submodules[name] = ResetInserter(control.restart)(injector)
        m.d.comb += [injector.fault.eq(control.fault), injector.start.eq(control.start)]
        wiring.connect(m, source_stream, injector.i)
        return injector.o

    def _injector(self) -> BatchFaultInjector:
        return BatchFaultInjector(
            format=self._format, words=self._words, wrong_address=self._format.addresses[-1]
        )

    def _table_injector(self) -> TableFaultInjector:
        return TableFaultInjector(network=self._network, permutations=self._permutations)

    def _source(self, node: int, rounds_log2: int) -> BatchSource:
        addresses = self._format.addresses
        return BatchSource(
            format=self._format,
            words=self._words,
            address=addresses[node],
            destinations=[addresses[to] for to in self._permutations.destinations[:, node]],
            rounds_log2=rounds_log2,
        )

    def _checker(self, node: int) -> BatchChecker:
        addresses = self._format.addresses
        return BatchChecker(
            format=self._format,
            words=self._words,
            address=addresses[node],
            sources=[addresses[of] for of in self._permutations.sources[:, node]],
        )


def connect_loaded_table(
    m: Module,
    control: WindowControl,
    loader: BatchLoader,
    *,
    network: Network,
    sources: Sequence[BatchSource],
    checkers: Sequence[BatchChecker],
) -> None:
    """Add the table that a host loads, if it may."""
    tables = control.tables
    if tables is None:
        return
    m.submodules.table = table = LoadedTable(network)
    was_clear, holds = Signal(), Signal()
    m.d.sync += was_clear.eq(control.clear)
    m.d.comb += [
        table.word.eq(tables.word),
        table.word_valid.eq(tables.word_valid),
        table.ends.eq(tables.ends),
        table.opens.eq(control.clear & ~was_clear),
        tables.refused.eq(table.refused),
        tables.number.eq(table.number),
        holds.eq(table.number != 0),
        loader.loaded.eq(holds),
        loader.entries.eq(table.entries),
        loader.anew.eq(table.changed),
    ]
    n = network.topology.address_width
    of_nodes = (
        images(m, name, of, n) for name, of in [("to", table.forward), ("of", table.inverse)]
    )
    for source, checker, to, of in zip(sources, checkers, *of_nodes, strict=True):
        m.d.comb += [
            source.loaded.eq(holds),
            source.to.eq(to),
            checker.loaded.eq(holds),
            checker.comes_from.eq(of),
        ]
