"""What a router class must give so that its networks can test themselves on a board."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from knotwork.network import Network
from knotwork.router_kind import RouterKind

from .node_test import NodeTest


class Store(NamedTuple):
    """Equal memories of a network.

    Members
    -------
    copies : int
        How many there are.
    width, depth : int
        Bits of an entry, and entries.
    """

    copies: int
    width: int
    depth: int


@dataclass(frozen=True, kw_only=True)
class BuildHints:
    """What the flow knows of a network before synthesis, and what it advises when a build fails.

    A *choice* is a place in a router that selects one of several sources of data: an output of a
    crossbar, say. Each costs at least one look-up table per bit of data.

    Parameters
    ----------
    choices : callable
        Choices in a router of a kind.
    stores : callable
        Memories of a network: buffers of its routers, or of its nodes' interfaces.
    counters : callable
        Counters of packets in a network: a checker may keep one for each source.
    storage_key : str
        Hardware key that sets how much a router or a node's interface stores.
    has_pipeline : bool
        Whether ``pipeline=2`` makes a network of one cycle per hop faster.
    """

    choices: Callable[[RouterKind], int]
    stores: Callable[[Network], Sequence[Store]]
    counters: Callable[[Network], int]
    storage_key: str
    has_pipeline: bool

    def chosen_bits(self, network: Network) -> int:
        """Bits of data that come from a choice: each needs a look-up table at least."""
        of_kind = [
            self.choices(kind) * network.hardware.data_width for kind in network.router_kinds
        ]
        return sum(of_kind[number] for number in network.router_number)


def flows(network: Network) -> int:
    """Ordered pairs of nodes that may send to each other, a node with itself included."""
    return sum(len(network.topology.receivers(node)) for node in range(network.topology.nodes))


class RouterSelfTest(Protocol):
    """Self-test of a router class: the class's entry in `SELF_TESTS`."""

    def node_test(self, network: Network) -> NodeTest:
        """Sources, sinks and checkers for the nodes of a network of the class.

        Raises
        ------
        ConfigurationError
            The network cannot test itself.
        """
        ...

    def build_hints(self, network: Network) -> BuildHints:
        """What the flow to a bitstream needs to know of a network of the class.

        Raises
        ------
        ConfigurationError
            No network of the class can test itself.
        """
        ...
