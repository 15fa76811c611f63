"""Source and sink of bytes at a node of a system."""

import logging
from collections.abc import Mapping
from typing import Any

import cocotb
from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink

from ..testbench.ends import Source
from .judging import Packet


class StreamNode:
    """Source and sink at a node's streams; packets are bytes, whatever the width.

    Members
    -------
    index : int
        The node.
    source, sink
        Those of cocotbext-axi.
    arrived : list
        Packets that came, each with its sender's address.

    Parameters
    ----------
    scope : handle
        The system's top module.
    node : mapping
        What its manifest says of the node.
    clock, reset : handle
        Those of the node.
    is_reset_high : bool
        Level of the reset.
    """

    def __init__(
        self, scope: Any, node: Mapping[str, Any], clock: Any, reset: Any, *, is_reset_high: bool
    ) -> None:
        self.index = node["index"]
        self.arrived: list[tuple[int, Packet]] = []
        buses = []
        for way in ("inject", "eject"):
            logging.getLogger(f"cocotb.{scope._name}.{node[way]}").setLevel(logging.WARNING)
            buses.append(AxiStreamBus.from_prefix(scope, node[way]))
        self.source = Source(buses[0], clock, reset, is_reset_high)
        self.sink = AxiStreamSink(buses[1], clock, reset, is_reset_high)
        self._has_user = f"{node['inject']}_tuser" in node["ports"]
        cocotb.start_soon(self._receive())

    async def send(self, data: bytes, address: int, user: int) -> None:
        """Queue a packet of bytes to the node of this address."""
        sides = {"tuser": user} if self._has_user else {}
        await self.source.send(AxiStreamFrame(data, tdest=address, **sides))

    async def _receive(self) -> None:
        while True:
            frame: Any = await self.sink.recv()
            senders, users = _values(frame.tid), _values(frame.tuser)
            assert len(senders) == 1, f"node {self.index}: a packet of senders {sorted(senders)}"
            packet = Packet(bytes(frame.tdata), max(users, default=0))
            self.arrived.append((senders.pop(), packet))


def _values(side: object) -> set[int]:
    """Values of a signal beside the data, of a packet's beats."""
    if side is None:
        return set()
    return {int(side)} if isinstance(side, int) else {int(value) for value in side}  # pyright: ignore
