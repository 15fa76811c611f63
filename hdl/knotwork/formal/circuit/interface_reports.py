"""Claims about what a PE's interface tells the controller of its circuits."""

from ...gateware.circuit.layouts import Kind
from .interface_harness import InterfaceHarness


def reports(harness: InterfaceHarness) -> None:
    """Claim that it is active while it waits for an acknowledge, or for a packet's last flit.

    So the controller, which releases the circuits once nobody is active, waits for the last flit
    of every packet, and no longer than the longest packet over the top needs.
    """
    cycle, up, down = harness.cycle, harness.up, harness.down
    for link in (up, down):
        for fact in link.header_facts():
            harness.claim(fact)
    for fact in (down.acknowledge_facts(), up.acknowledge_facts(), *harness.use_facts):
        harness.claim(fact)
    waits = cycle.cycling & up.seen & (cycle.time < up.first_flit)
    over = harness.register(1, "over")
    ends = down.kind == Kind.LAST.value
    harness.m.d.sync += over.eq((over | ends) & ~cycle.last)
    comes = harness.named(down.back & ~over & ~ends, "comes")
    harness.claim(harness.inside("offering") == waits)
    harness.claim(harness.inside("awaited") == (down.back & ~over))
    harness.claim(harness.report.active == (waits | comes))
    begins = harness.named(down.hops + down.first_flit + 1, "begins")
    more = down.was_kind == Kind.FLIT.value
    after = cycle.time > begins
    harness.claim(more == (down.back & ~over & after))
    harness.claim(~over | (down.back & (cycle.time > begins)))
    harness.claim(~more | (cycle.time < begins + harness.longest))
    late = cycle.cycling & (cycle.time >= cycle.length - 2)
    harness.claim(~(late & harness.report.active))
    for active in (waits & ~comes, comes & ~waits, ends & ~waits):
        harness.cover(active)
