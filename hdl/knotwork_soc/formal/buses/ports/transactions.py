"""Proof of the order by identifier: what is under way with one identifier goes one way."""

from itertools import combinations

from amaranth.hdl import Array, Cat
from knotwork.formal.component import ComponentHarness, ComponentProofs
from knotwork.formal.property import Property
from knotwork.untyped import View

from ....gateware.buses.transactions import Transactions
from ....parameters import BusParameters


class TransactionsHarness(ComponentHarness):
    """Harness of `Transactions`; nothing begins that is not free to.

    Members
    -------
    used : Value
        Numbers of those under way.
    rows : list of View
        What is kept of each.
    """

    def __init__(self, bus: BusParameters, address_width: int) -> None:
        super().__init__(Transactions(bus=bus, address_width=address_width))
        transactions = self.component("", Transactions)
        self.used = self.probe(transactions.used)
        self.rows = [self.probe_view(row) for row in transactions.rows]
        self.environment(~self.port("begins") | self.port("free"))

    def way(self, row: View) -> Cat:
        """Where a transaction goes."""
        return Cat(row.node, row.is_local)


def _order(harness: TransactionsHarness) -> None:
    """Claim that those of one identifier go one way, so that answers come in order (A5.3)."""
    pairs = list(combinations(zip(harness.used, harness.rows, strict=True), 2))
    for (used, row), (other_used, other) in pairs:
        same = used & other_used & (row.id == other.id)
        harness.claim(~same | (harness.way(row) == harness.way(other)))
        harness.cover(same)
    name, free = harness.port("id"), harness.port("free")
    requested = Cat(harness.port("node"), harness.port("is_local"))
    for used, row in zip(harness.used, harness.rows, strict=True):
        elsewhere = used & (row.id == name) & (harness.way(row) != requested)
        harness.claim(~(elsewhere & free))
        harness.cover(elsewhere & ~harness.used.all())


def _numbers(harness: TransactionsHarness) -> None:
    """Claim that a number is that of one transaction, and tells its identifier."""
    used, tag, begins = harness.used, harness.port("tag"), harness.port("begins")
    ends, ended = harness.port("ends"), harness.port("ended")
    harness.claim(~begins | ~Array(used)[tag])
    harness.claim(harness.port("free") | ~begins)
    begun, last = harness.before(begins, "begun"), harness.before(tag, "last_tag")
    name = harness.before(harness.port("id"), "last_id")
    names = Array(row.id for row in harness.rows)
    harness.claim(~begun | (Array(used)[last] & (names[last] == name)))
    harness.claim((harness.port("ended_id") == names[ended]) | (ended >= len(used)))
    was = harness.before(used, "was_used")
    over, gone = harness.before(ends, "over"), harness.before(ended, "last_ended")
    for number in range(len(used)):
        comes, leaves = begun & (last == number), over & (gone == number)
        harness.claim(used[number] == (comes | (was[number] & ~leaves)))
    harness.cover(used.all())


def transactions_proofs(bus: BusParameters, address_width: int) -> ComponentProofs:
    """Proofs of `Transactions`."""
    return ComponentProofs(
        lambda: Transactions(bus=bus, address_width=address_width),
        lambda: TransactionsHarness(bus, address_width),
        [
            Property(
                name="order",
                text="transactions under way that have one identifier go to one node",
                claim=_order,
            ),
            Property(
                name="numbers",
                text="a number is that of one transaction under way, and tells its identifier",
                claim=_numbers,
            ),
        ],
    )
