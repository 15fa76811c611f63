"""Ports of nodes: where managers and memories of AXI4 meet a network."""

from .decoder import RegionOfNode
from .initiator_port import InitiatorPort
from .target_port import TargetPort

__all__ = ["InitiatorPort", "RegionOfNode", "TargetPort"]
