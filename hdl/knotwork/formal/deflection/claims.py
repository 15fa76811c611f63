"""Claims about every bufferless router: packets pass, streams hold, the node is served."""

from amaranth.hdl import Cat, Const, Value

from ...gateware.deflection.layouts import packet_layout
from ..property import Property
from .harness import Before, DeflectionHarness


def _claim_passes(harness: DeflectionHarness) -> None:
    before = Before(harness, harness.enters())
    ejects = harness.named(harness.port("m_axis_tvalid") & before.has_space, "given")
    out = [*(valid for valid, _ in harness.outgoing), ejects]
    harness.claim(~before.running | (sum(before.valid, Const(0)) == sum(out, Const(0))))
    names = [
        name for name in ("destination", "source") if name in packet_layout(harness.network).members
    ]
    for number, (valid, packet) in enumerate(zip(before.valid, before.packets, strict=True)):
        others = [
            v & (p.data == packet.data)
            for n, (v, p) in enumerate(zip(before.valid, before.packets, strict=True))
            if n != number
        ]
        is_node = number == len(harness.incoming)
        checked = harness.named(before.running & valid & ~Cat(others).any(), f"alone_{number}")
        places = [v & (p.data == packet.data) for v, p in harness.outgoing]
        home = ejects & (harness.port("m_axis_tdata") == packet.data)
        harness.claim(~checked | (sum([*places, home], Const(0)) == 1))
        for place, (_, found) in zip(places, harness.outgoing, strict=True):
            kept = names if is_node else harness.unchanged_fields
            same: Value = Cat(found[name] == packet[name] for name in kept).all()
            harness.claim(~(checked & place) | same)
            if not is_node:
                harness.cover(checked & place)
        right: Value = packet.destination == harness.address
        if harness.network.has_source:
            right &= harness.port("m_axis_tid") == packet.source
        harness.claim(~(checked & home) | (right & harness.port("m_axis_tlast")))
        harness.cover(checked & home)


def _claim_streams(harness: DeflectionHarness) -> None:
    names = [f"m_axis_{name}" for name in ("tdata", "tlast", "tid")]
    beat = Cat(harness.port(name) for name in names if harness.has_port(name))
    valid, ready = harness.port("m_axis_tvalid"), harness.port("m_axis_tready")
    harness.claim_held(valid, ready, beat, "m_axis")
    harness.cover(valid & ~ready)


def _claim_injection(harness: DeflectionHarness) -> None:
    valid, last = harness.port("s_axis_tvalid"), harness.port("s_axis_tlast")
    sends = harness.named(harness.sends(), "sends")
    refused = harness.register(1, "refused")
    harness.m.d.sync += refused.eq(valid & last & ~sends)
    harness.claim(harness.port("refused") == refused)
    harness.claim(~valid | sends | harness.port("s_axis_tready"))
    harness.cover(refused)
    harness.cover(sends & ~harness.port("s_axis_tready"))


PASSES = Property(
    name="passes",
    text="every packet leaves after the cycles of a hop, once and unchanged, and a packet that is "
    "ejected is for the node",
    claim=_claim_passes,
)
STREAMS = Property(
    name="streams", text="on m_axis, valid and payload stay until a transfer", claim=_claim_streams
)
INJECTION = Property(
    name="injection",
    text="a packet that has several beats, or is for no node, is taken and refused whole",
    claim=_claim_injection,
)
