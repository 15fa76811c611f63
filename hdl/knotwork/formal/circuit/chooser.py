"""What joins an interface to several copies of the levels: its harness and its properties."""

from collections.abc import Sequence

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...emit.modules import planned_ports
from ...gateware.circuit.interface import CopyChooser
from ...gateware.circuit.layouts import Kind, control_layout, header_layout
from ...gateware.wiring_plan import chooser_module
from ...network import Network
from ..elaboration import Elaboration
from ..harness import Harness
from ..property import Property
from .contract import levels_of


class ChooserHarness(Harness):
    """Harness of a chooser, whose links may show anything.

    Parameters
    ----------
    network : Network
        Network of several copies.
    name : str
        Name of the chooser's module.
    """

    def __init__(self, network: Network, name: str) -> None:
        module = chooser_module(network)
        super().__init__(name, *planned_ports(network, module), Elaboration(module.make()))
        self.chooser = self.component("", CopyChooser)
        self.network, self.topology = network, levels_of(network)
        self.address = self.constant("address")
        self.control = data.View(control_layout(network), self.port("control"))
        self.copies = range(self.topology.copies)

    def header(self, wires: str) -> data.View:
        """Data of a link as a header."""
        layout = header_layout(self.network)
        return data.View(layout, self.port(f"{wires}_data")[: layout.size])

    def digits(self, address: Value) -> list[Value]:
        """Digits of an address, the lowest first."""
        places = self.topology.digit_offsets
        return [address[places[n] : places[n + 1]] for n in range(self.topology.levels)]

    def level(self, copy: int, other: Value) -> Value:
        """Level on which the PE and another meet in a copy, from the digits that differ there."""
        own, far = self.digits(self.address), self.digits(other)
        found: Value = Const(0, self.topology.levels.bit_length())
        for level, digit in enumerate(self.topology.digit_order(copy)):
            found = Mux(own[digit] != far[digit], level, found)
        return found

    def has_address(self, copy: int, placed: Value, address: Value) -> Value:
        """Whether an address, as a copy places it, is that of a PE."""
        code, digits = self.digits(placed), self.digits(address)
        order = self.topology.digit_order(copy)
        return Cat(code[n] == digits[digit] for n, digit in enumerate(order)).all()


def _claim_sending(harness: ChooserHarness) -> None:
    kind, header = harness.port("sent_kind"), harness.header("sent")
    is_header = kind == Kind.HEADER.value
    far = header.destination
    levels = [harness.named(harness.level(copy, far), "lca") for copy in harness.copies]
    lowest = levels[0]
    for level in levels[1:]:
        lowest = Mux(level < lowest, level, lowest)
    last = harness.register(len(harness.copies), "last")
    acknowledged: Value = Const(0, 1)
    for copy, level in enumerate(levels):
        nearest = (level == lowest) & ~Cat(nearer == lowest for nearer in levels[:copy]).any()
        takes = harness.named(Mux(is_header, nearest, last[copy]), "takes")
        harness.m.d.sync += last[copy].eq(takes)
        sent_header = harness.header(f"o{copy}")
        harness.claim(harness.port(f"o{copy}_kind") == Mux(takes, kind, Kind.IDLE.value))
        data_right = harness.port(f"o{copy}_data") == harness.port("sent_data")
        harness.claim(~takes | is_header | data_right)
        for name in ("destination", "source"):
            harness.claim(~is_header | harness.has_address(copy, sent_header[name], header[name]))
        acknowledged |= last[copy] & harness.port(f"o{copy}_back")
        harness.cover(is_header & takes)
    harness.claim(harness.probe(harness.chooser.kept) == last)
    harness.claim(harness.port("sent_back") == acknowledged)


def _claim_receiving(harness: ChooserHarness) -> None:
    joined = harness.register(len(harness.copies), "joined")
    headers = [harness.port(f"i{copy}_kind") == Kind.HEADER.value for copy in harness.copies]
    free = ~joined.any()
    kind, header = harness.port("given_kind"), harness.header("given")
    now = []
    for copy, is_header in enumerate(headers):
        leads = joined[copy] | (free & is_header & ~Cat(headers[:copy]).any())
        now.append(leads := harness.named(leads, "leads"))
        received = harness.header(f"i{copy}")
        harness.claim(~leads | (kind == harness.port(f"i{copy}_kind")))
        same = harness.port("given_data") == harness.port(f"i{copy}_data")
        harness.claim(~leads | is_header | same)
        for name in ("destination", "source"):
            matches = harness.has_address(copy, received[name], header[name])
            harness.claim(~(leads & is_header) | matches)
        back = joined[copy] & harness.port("given_back")
        harness.claim(harness.port(f"i{copy}_back") == back)
        harness.cover(leads & is_header)
        harness.cover(is_header & ~leads)
    harness.claim(Cat(now).any() | (kind == Kind.IDLE.value))
    harness.m.d.sync += joined.eq(Mux(harness.control.release, 0, Cat(now)))
    harness.claim(harness.probe(harness.chooser.joined) == joined)
    harness.claim((joined & (joined - 1)[: len(joined)]) == 0)


def chooser_properties(network: Network) -> Sequence[Property]:
    """Properties of a chooser."""
    del network
    return [
        Property(
            name="sending",
            text="a header goes over the first of the copies in which its nodes are nearest, with "
            "their places there, and what follows goes the same way; its acknowledge comes back",
            claim=_claim_sending,
            depth=8,
            cover=6,
        ),
        Property(
            name="receiving",
            text="of the headers of a network cycle the first gets to the interface, with the PEs' "
            "own addresses, and what follows; the others get nothing, and no acknowledge",
            claim=_claim_receiving,
            depth=8,
            cover=6,
        ),
    ]
