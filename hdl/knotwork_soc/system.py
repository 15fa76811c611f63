"""A network in a user's system: planes, an adapter at every node, an address map."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Self

from knotwork.errors import ConfigurationError, DeadlockError
from knotwork.network import Network, join_name
from knotwork.network_words import network_words
from knotwork.routing import DeadlockReport

from .parameters import (
    SYSTEM_KEYS,
    BusParameters,
    Node,
    NodeParameters,
    Region,
    SystemParameters,
    checked_map,
    part_keys,
    require_data_width,
    resolved_node,
)
from .payload import Payload
from .planes import Plane, check_system, planes_of


def overridden_keys(
    settings: SystemParameters,
    nodes: Mapping[str, NodeParameters],
    bus: BusParameters,
    regions: Mapping[str, Region],
) -> dict[str, object]:
    """Dotted keys with their values: ``node.3.clock``.

    Parameters
    ----------
    settings : SystemParameters
        Keys of the whole.
    nodes : mapping of str to NodeParameters
        Keys of nodes, by what stands before the last dot.
    bus : BusParameters
        Keys of buses, where there are addresses.
    regions : mapping of str to Region
        Address map.
    """
    usual, usual_bus = SystemParameters().as_dict(), BusParameters().as_dict()
    overrides = {k: v for k, v in settings.as_dict().items() if v != usual[k]}
    for before, keys in nodes.items():
        overrides |= {f"{before}.{k}": v for k, v in keys.as_dict().items() if v is not None}
    if regions:
        overrides |= {f"bus.{k}": v for k, v in bus.as_dict().items() if v != usual_bus[k]}
    for name, region in regions.items():
        overrides |= {f"map.{name}.{k}": v for k, v in region.as_dict().items()}
    return overrides


_LONGEST = 64
"""Characters of a default name: nodes have many keys, and modules' names go on behind it."""


class System:
    """Network with what stands between it and the user's design.

    Parameters
    ----------
    network : Network
        Topology, routing and hardware parameters of the planes.
    node : NodeParameters, optional
        Keys of all nodes.
    nodes : mapping of int to NodeParameters, optional
        Keys of some nodes, by index, in place of those.
    bus : BusParameters, optional
        Widths and limits of the memory-mapped buses.
    map : mapping of str to Region, optional
        Addresses by name: which are at which node.
    **keys
        Keys of `SystemParameters`.

    Members
    -------
    network : Network
        As given.
    nodes : tuple of Node
        All nodes, resolved.
    bus : BusParameters
        As given.
    map : mapping of str to Region
        Address map, sorted by base.
    settings : SystemParameters
        Keys of the whole.
    payload : Payload
        What the data of flits of streams holds.

    Raises
    ------
    ConfigurationError
        An unknown key, a value out of range, nodes or addresses that do not go together.
    """

    def __init__(
        self,
        network: Network,
        *,
        node: NodeParameters | None = None,
        nodes: Mapping[int, NodeParameters] | None = None,
        bus: BusParameters | None = None,
        map: Mapping[str, Region] | None = None,
        **keys: object,
    ) -> None:
        self.network = network
        self.settings = SystemParameters.from_texts(keys)
        self.bus = bus or BusParameters()
        self._given = dict(sorted((nodes or {}).items()))
        self._of_all = node or NodeParameters()
        count, width = network.topology.nodes, network.hardware.data_width
        for index in self._given:
            if index not in range(count):
                raise ConfigurationError(
                    f"{network.topology.name}: a node must be an index in 0..{count - 1}, not "
                    f"{index!r}"
                )
        nothing = NodeParameters()
        self.nodes: tuple[Node, ...] = tuple(
            resolved_node(index, self._given.get(index, nothing), self._of_all, width)
            for index in range(count)
        )
        for kind in sorted({each.bus for each in self.nodes if each.side}):
            require_data_width(kind, self.bus)
        self.map = checked_map(map or {}, self.bus, self.nodes)
        self.payload = self.payload_with(width)
        if not any(each.bus != "none" for each in self.nodes):
            raise ConfigurationError(
                f"{network.topology.name}: a system must have a node with bus=stream or a "
                f"memory-mapped bus, not none"
            )
        self.planes: tuple[Plane, ...] = planes_of(
            network, self.nodes, self.payload, name=self.name
        )

    @classmethod
    def from_words(cls, words: Sequence[str], *, beside: Iterable[str] = ()) -> Self:
        """System from command-line words: those of a network, and keys of nodes, buses and map.

        See `Network.from_words`; a TOML file has tables for the dotted keys.
        """
        return cls.from_texts(*network_words(words), beside=beside)

    @classmethod
    def from_texts(
        cls, name: str, texts: Mapping[str, object], *, beside: Iterable[str] = ()
    ) -> Self:
        """System from a network's name and ``{key: text}``, as `Network.from_texts` takes them."""
        keys = part_keys(name, texts)
        network = Network.from_texts(name, keys.network, beside=[*SYSTEM_KEYS, *beside])
        return cls(network, **keys.system)

    @cached_property
    def is_plain(self) -> bool:
        """Whether it is the network alone: every node has the network's own streams."""
        width = self.network.hardware.data_width
        return self.settings == SystemParameters() and all(
            each.width == width and not each.has_own_clock for each in self.nodes
        )

    @cached_property
    def name(self) -> str:
        """Name of its top module: that of the network, and what is not its default."""
        network = self.network
        if self.is_plain or network.name != network.default_name:
            return network.name
        overrides = {key.replace(".", "_"): value for key, value in self.overrides.items()}
        return join_name(network.name, [], overrides, longest=_LONGEST)

    @cached_property
    def overrides(self) -> dict[str, object]:
        """Keys that are not their default, as the user writes them: ``node.3.clock``."""
        nodes = {"node": self._of_all} | {f"node.{i}": keys for i, keys in self._given.items()}
        return overridden_keys(self.settings, nodes, self.bus, self.map)

    def payload_with(self, data_width: int) -> Payload:
        """What the data of flits of streams would hold with another `data_width` of the network.

        Raises
        ------
        ConfigurationError
            The width of a node does not go with it.
        """
        nothing = NodeParameters()
        keys = [
            self._given.get(node.index, nothing).over(self._of_all)
            for node in self.nodes
            if node.is_stream
        ]
        return Payload.of(
            data_width,
            sorted({each.width or data_width for each in keys}),
            keep=self.settings.keep,
            user_width=self.settings.user_width,
        )

    def plane(self, name: str) -> Plane:
        """Plane of a name."""
        return next(plane for plane in self.planes if plane.name == name)

    @cached_property
    def initiators(self) -> tuple[Node, ...]:
        """Nodes at which the user's managers are."""
        return tuple(each for each in self.nodes if each.is_initiator)

    @cached_property
    def targets(self) -> tuple[Node, ...]:
        """Nodes at which the user's memories are."""
        return tuple(each for each in self.nodes if each.is_target)

    @cached_property
    def deadlock_report(self) -> DeadlockReport:
        """Outcome of the deadlock check of all planes, and of what waits between them."""
        targets = [each.index for each in self.targets]
        initiators = [each.index for each in self.initiators]
        return check_system(self.planes, initiators, targets)

    def require_deadlock_free(self) -> None:
        """Refuse a system that failed its deadlock check; see `Network.require_deadlock_free`."""
        self.network.require_deadlock_free()
        for plane in self.planes:
            plane.network.require_deadlock_free()
        if not self.network.allows_deadlock and not self.deadlock_report.deadlock_free:
            raise DeadlockError(f"{self.name}: {self.deadlock_report.reason}")

    def __repr__(self) -> str:
        overrides = ", ".join(f"{key}={value}" for key, value in self.overrides.items())
        return f"<System of {self.network!r}: {overrides or 'the network alone'}>"
