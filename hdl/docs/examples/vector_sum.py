"""Sixteen nodes that sum a vector by an `all_reduce`, on the tree beside their network."""

from amaranth.hdl import Module, Signal
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork import Fabric, Mesh, Network
from knotwork.gateware.collectives.messages import received_layout, sent_layout
from knotwork.routing.collectives import Collective, MessageFormat

NODES = 16


class SummingNode(wiring.Component):
    """Sends a vector, whose word j is (node + 1) * (j * j + 7), and checks the sum of all.

    Parameters
    ----------
    form : MessageFormat
        Widths of the group's messages.
    node, length : int
        Node; words of the vector.

    Members
    -------
    send, receive : streams of the node's collectives
        To the tree, and from it.
    passed, failed : Out(1)
        The whole sum has come; a word of it was wrong.
    """

    send: stream.Interface
    receive: stream.Interface
    passed: Signal
    failed: Signal

    def __init__(self, *, form: MessageFormat, node: int, length: int) -> None:
        self._node, self._length = node, length
        super().__init__(
            {
                "send": Out(stream.Signature(sent_layout(form))),
                "receive": In(stream.Signature(received_layout(form))),
                "passed": Out(1),
                "failed": Out(1),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Gates."""
        m = Module()
        length, send, receive = self._length, self.send, self.receive
        sent, received = Signal(range(length + 1)), Signal(range(length + 1))
        shares = NODES * (NODES + 1) // 2
        m.d.comb += [
            send.p.header.kind.eq(Collective.ALL_REDUCE),
            send.p.data.eq((self._node + 1) * (sent * sent + 7)),
            send.p.last.eq(sent == length - 1),
            send.valid.eq(sent < length),
            receive.ready.eq(1),
        ]
        with m.If(send.valid & send.ready):
            m.d.sync += sent.eq(sent + 1)
        with m.If(receive.valid):
            m.d.sync += received.eq(received + 1)
            with m.If(
                (receive.p.data != shares * (received * received + 7))
                | (receive.p.last != (received == length - 1))
                | (receive.p.last & receive.p.fault)
            ):
                m.d.sync += self.failed.eq(1)
            with m.If(receive.p.last):
                m.d.sync += self.passed.eq(1)
        return m


class VectorSum(wiring.Component):
    """Sixteen such nodes around a mesh with collectives.

    Parameters
    ----------
    length : int
        Words of the vector.

    Members
    -------
    passed, failed : Out(16)
        Those of the nodes.
    """

    passed: Signal
    failed: Signal

    def __init__(self, *, length: int = 64) -> None:
        self._length = length
        self.network = Network(Mesh(x=4, y=4), collectives=True)
        super().__init__({"passed": Out(NODES), "failed": Out(NODES)})

    def elaborate(self, platform: object) -> Module:
        """Gates."""
        m = Module()
        m.submodules.fabric = fabric = Fabric(self.network)
        (group,) = self.network.collective_groups
        for node in range(NODES):
            m.submodules[f"node_{node}"] = summing = SummingNode(
                form=group.form, node=node, length=self._length
            )
            wiring.connect(m, summing.send, fabric.collective.send[node])
            wiring.connect(m, fabric.collective.receive[node], summing.receive)
            m.d.comb += [
                self.passed[node].eq(summing.passed),
                self.failed[node].eq(summing.failed),
            ]
        return m
