"""Claims about what a packet router shows of its channels to a monitor."""

from amaranth.hdl import Cat

from ....monitoring.channels import input_probes
from ...property import Property
from ..harness import PacketHarness


def _probes(harness: PacketHarness) -> None:
    inputs = [harness.channels[one.port, one.virtual_channel] for one in input_probes(harness.kind)]
    nodes = [
        tuple(
            harness.port(f"{harness.at_node('m_axis', port)}_{name}")
            for name in ("tvalid", "tready")
        )
        for port in harness.kind.node_ports
    ]
    flits, waits, wants = (harness.port(f"probe_{name}") for name in ("flits", "waits", "wants"))
    come = [*(one.arrives for one in inputs), *(valid & ready for valid, ready in nodes)]
    stay = [
        *(one.valid & ~one.leaves for one in inputs),
        *(valid & ~ready for valid, ready in nodes),
    ]
    harness.claim(flits == Cat(come))
    harness.claim(waits == Cat(stay))
    harness.claim(wants == Cat(one.asks(turn) for one in inputs for turn in one.turns))
    for probe in (flits, waits, wants):
        harness.cover(probe.any())


def probes(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: levels, grants and the order of all channels."""
    return Property(
        name="probes",
        text="the monitor is shown each flit that comes, each that waits, and the turn it asks for",
        claim=_probes,
        lemmas=base,
    )
