"""Port between a manager of AXI4 and a network."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Module, Mux
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component
from knotwork.untyped import Interface, View

from ....bus import BusParameters
from ..axi4 import axi4_signature
from ..packets.layouts import (
    read_beat_layout,
    received_layout,
    request_layout,
    response_layout,
    sent_layout,
    write_beat_layout,
)
from ..packets.receiver import PacketReceiver
from ..packets.sender import PacketSender
from .decoder import RegionOfNode
from .read_initiator import ReadInitiator
from .write_initiator import WriteInitiator


class InitiatorPort(Component):
    """Sends a manager's bursts to the nodes of their addresses, and answers it.

    It sends no burst that could wait within the network for the manager: a write leaves once all of
    its beats are here, a read once its answer has room. So `eject` is always ready. Bursts that no
    region holds, or that break a rule, it answers itself. There is no exclusive access: `AxLOCK` is
    not sent, and the answer is `OKAY`. With parity, it answers with `SLVERR` what an upset broke or
    lost.

    Latency
    -------
    3 cycles from `AWVALID` and the last beat of `W`, or 2 from `ARVALID`, to the first flit; 1 from
    the flit of an answer to `BVALID`, 1 to `RVALID` or 2 from block RAM.

    Parameters
    ----------
    bus : BusParameters
        Widths and limits.
    regions : sequence of RegionOfNode
        Which node answers for which addresses; they do not overlap.
    flit_width : int
        Bits of data in a flit.
    address_width : int
        Bits of a node's address.
    has_parity : bool
        Whether flits tell that they are wrong.

    Members
    -------
    axi : In(axi4_signature)
        From the manager.
    inject : Out(stream of sent_layout)
        Requests to the network.
    eject : In(stream of received_layout)
        Responses from the network; `ready` is always high.

    References
    ----------
    IHI 0022: A3.3.1, dependences between channels; A5 and A6, order; A7.2, exclusive accesses.
    """

    axi: Interface
    inject: stream.Interface
    eject: stream.Interface

    def __init__(
        self,
        *,
        bus: BusParameters,
        regions: Sequence[RegionOfNode],
        flit_width: int,
        address_width: int,
        has_parity: bool = False,
    ) -> None:
        self._bus, self._regions, self._has_parity = bus, tuple(regions), has_parity
        self._flit_width, self._address_width = flit_width, address_width
        super().__init__(
            {
                "axi": In(axi4_signature(bus)),
                "inject": Out(stream.Signature(sent_layout(flit_width, address_width))),
                "eject": In(
                    stream.Signature(
                        received_layout(flit_width, address_width, has_parity=has_parity)
                    )
                ),
            }
        )

    def elaborate(self, platform: object) -> Module:
        m = Module()
        bus = self._bus
        widths = {"flit_width": self._flit_width, "address_width": self._address_width}
        parity = self._has_parity
        half = {"bus": bus, "regions": self._regions, "address_width": self._address_width}
        m.submodules.writes = writes = WriteInitiator(has_parity=parity, **half)
        m.submodules.reads = reads = ReadInitiator(has_parity=parity, **half)
        request = request_layout(bus, has_parity=parity)
        response = response_layout(bus, has_parity=parity)
        m.submodules.sender = sender = PacketSender(
            header_width=request.size, beat_width=write_beat_layout(bus).size, **widths
        )
        m.submodules.receiver = receiver = PacketReceiver(
            header_width=response.size,
            beat_width=read_beat_layout(bus).size,
            has_parity=parity,
            **widths,
        )
        for channel, inner in (("aw", writes.aw), ("w", writes.w), ("ar", reads.ar)):
            wiring.connect(m, wiring.flipped(getattr(self.axi, channel)), inner)
        wiring.connect(m, writes.b, wiring.flipped(self.axi.b))
        wiring.connect(m, reads.r, wiring.flipped(self.axi.r))
        wiring.connect(m, writes.head, sender.burst)
        wiring.connect(m, writes.beats, sender.beats)
        wiring.connect(m, reads.head, sender.single)
        wiring.connect(m, sender.o, wiring.flipped(self.inject))
        wiring.connect(m, wiring.flipped(self.eject), receiver.i)
        wiring.connect(m, receiver.beats, reads.beats)
        header: View = data.View(response, receiver.header.p.header)
        if parity:
            m.d.comb += receiver.unwanted.eq(~Mux(header.write, writes.wanted, reads.wanted))
        m.d.comb += [
            writes.answers.valid.eq(receiver.header.valid & header.write),
            writes.answers.p.eq(Cat(header.tag, header.response)),
            reads.tags.valid.eq(receiver.header.valid & ~header.write),
            reads.tags.p.eq(header.tag),
            receiver.header.ready.eq(1),
        ]
        return m
