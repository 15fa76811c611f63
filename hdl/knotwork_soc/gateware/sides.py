"""Ends of planes at what stands at a node: which there are, and what crosses them."""

from typing import NamedTuple

from amaranth.lib import stream
from amaranth.lib.wiring import In, Member, Out
from knotwork.gateware.layouts import eject_layout, inject_layout
from knotwork.network import Network

from ..node import Node
from ..planes import REQUESTS, RESPONSES, STREAMS


class Side(NamedTuple):
    """End of a plane at a node.

    Members
    -------
    plane : str
        Name of the plane.
    way : str
        ``inject``: the node sends there; ``eject``: it receives.
    """

    plane: str
    way: str

    @property
    def member(self) -> str:
        """Member of what stands at the node that is this end."""
        return {"inject": "to_plane", "eject": "from_plane"}[self.way]


def sides_of(node: Node) -> tuple[Side, ...]:
    """Ends of planes that a node uses; none of a node that nothing is at."""
    if node.is_stream:
        return Side(STREAMS, "inject"), Side(STREAMS, "eject")
    if node.is_initiator:
        return Side(REQUESTS, "inject"), Side(RESPONSES, "eject")
    if node.is_target:
        return Side(RESPONSES, "inject"), Side(REQUESTS, "eject")
    return ()


def plane_member(network: Network, way: str) -> Member:
    """End of a plane, as a member of what stands at the node: it sends beats that are injected."""
    if way == "inject":
        return Out(stream.Signature(inject_layout(network)))
    return In(stream.Signature(eject_layout(network)))
