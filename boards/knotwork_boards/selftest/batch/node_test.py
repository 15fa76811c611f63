"""Bench of the networks in which packets go in batches."""

from collections.abc import Callable
from typing import Any, ClassVar

from amaranth.hdl import Module, ResetInserter
from amaranth.lib import stream, wiring
from knotwork.network import Network
from knotwork.routing.batch import BatchRouting

from ..lfsr import Lfsr, node_seed
from ..node_test import Bench, Events, WindowControl
from ..packet.fields import PacketFormat
from ..tally import EVENTS
from .checker import BatchChecker
from .fault import BatchFaultInjector, TableFaultInjector
from .loader import BatchLoader
from .permutations import Permutations
from .source import BatchSource


class BatchBench(Bench):
    """A source and a checker at each node, and a loader of jump tables.

    In a round all permutations of `Permutations` are sent, each twice, with random pauses of the
    sources and of the checkers. A flag in the network's status fails a window as well, as what is
    skipped does. After a window that failed, the network, sources, checkers and loader are reset,
    for some nodes may have given a packet more than others.

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

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._format = PacketFormat(network)
        self._words: int = network.hardware.words
        self._permutations = Permutations(network.topology.address_width)

    @property
    def packets_a_round(self) -> int:
        """One a batch."""
        return 1 << self._permutations.batches_log2

    @property
    def clocks_a_packet(self) -> int:
        """Those of a batch: its steps, and giving and taking with pauses."""
        return (self._steps + 3) * self._words + 4

    @property
    def timer_width(self) -> int:
        """So that a batch, and packets with many pauses, do not take as long as the timer."""
        return (2 * (self._steps + 4) * self._words + 64).bit_length()

    @property
    def _steps(self) -> int:
        routing = self._network.routing
        assert isinstance(routing, BatchRouting)
        return routing.steps

    def place(self, m: Module, fabric: Any, control: WindowControl, *, rounds_log2: int) -> Events:
        """Put source and checker at each node and the loader beside; gather what they tell."""
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
        m.submodules.loader = reset(loader)
        m.d.comb += loader.ended.eq(checkers[0].received)

        packets = [source.o for source in sources]
        packets[0] = self._through(m, "injector", self._injector, packets[0], control)
        tables = self._through(m, "table_injector", self._table_injector, loader.o, control)
        wiring.connect(m, tables, fabric.config)
        for given, inject in zip(packets, fabric.inject, strict=True):
            wiring.connect(m, given, inject)

        told = [event for event in EVENTS if event not in ("sent", "refused")]
        events = {event: [getattr(checker, event) for checker in checkers] for event in told}
        flags = fabric.status[: self._network.routing.flag_width]
        events["skipped"][0] = events["skipped"][0] | flags.any()
        return {**events, "sent": [source.sent for source in sources]}

    @staticmethod
    def _through(
        m: Module,
        name: str,
        make: Callable[[], BatchFaultInjector | TableFaultInjector],
        given: stream.Interface,
        control: WindowControl,
    ) -> stream.Interface:
        """Lead a stream through an injector of faults, where there are to be any."""
        if control.fault is None:
            return given
        injector = make()
        m.submodules[name] = ResetInserter(control.restart)(injector)
        m.d.comb += [injector.fault.eq(control.fault), injector.start.eq(control.start)]
        wiring.connect(m, given, injector.i)
        return injector.o

    def _injector(self) -> BatchFaultInjector:
        return BatchFaultInjector(
            format=self._format, words=self._words, elsewhere=self._format.addresses[-1]
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
