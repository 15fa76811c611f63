"""Proofs of a group's watchdog: it reports a member in time, and none too early."""

from functools import partial

from amaranth.hdl import Const, Mux, Value

from ...gateware.collectives.watchdog import CollectiveWatchdog
from ..component import ComponentHarness, ComponentProofs
from ..property import Property

_REACHED = 8
"""Bound up to which a late member comes within the cycles that covers are searched for."""


class WatchdogHarness(ComponentHarness):
    """Harness of a watchdog, and how long the group has waited for each member.

    Members
    -------
    ages : list of Value
        By member, the cycles before this one in which the group waited for it without a pause; it
        counts to two bounds.
    is_first : Value
        No bound has ended since reset.
    elapsed : Value
        Cycles of this bound before this one, as the watchdog counts them.
    """

    def __init__(self, *, members: int, bound: int) -> None:
        self.watchdog = CollectiveWatchdog(members=members, bound=bound)
        super().__init__(self.watchdog)
        self.bound = bound
        self.waits, self.late = self.port("waits"), self.port("late")
        self.ages = [self.register(range(2 * bound + 1), f"age_{one}") for one in range(members)]
        for age, waits in zip(self.ages, self.waits, strict=True):
            longer = Mux(age >= 2 * bound, age, age + 1)
            self.m.d.sync += age.eq(Mux(waits, longer, 0))
        begun = self.register(1, "begun")
        self.is_first = ~begun
        # With a bound of one cycle the watchdog counts none.
        elapsed = self.watchdog.elapsed
        self.elapsed = self.probe(elapsed) if len(elapsed) else Const(0)
        with self.m.If(self.elapsed == bound - 1):
            self.m.d.sync += begun.eq(1)


def _claim_bounds(harness: WatchdogHarness) -> None:
    bound, elapsed = harness.bound, harness.elapsed
    waited = harness.probe(harness.watchdog.waited)
    harness.claim(elapsed < bound)
    for member, age in enumerate(harness.ages):
        late: Value = harness.late[member]
        harness.claim(~late | (age >= bound))
        harness.claim(late | (age < 2 * bound))
        # Why: a member that is not late has not waited since before the last bound began.
        harness.claim(late | (age <= elapsed + bound))
        harness.claim(~harness.is_first | (age <= elapsed))
        harness.claim(waited[member] == (~harness.is_first & (age >= elapsed)))
        if bound <= _REACHED:
            harness.cover(late)


def _claim_report(harness: WatchdogHarness) -> None:
    before = harness.before(harness.late, "late_before")
    waited = harness.before(harness.waits, "waits_before")
    harness.claim((before & waited & ~harness.late) == 0)
    harness.claim((harness.late & ~waited) == 0)


PROPERTIES = (
    Property(
        name="bounds",
        text="a member is late only after the group has waited for it for the bound without a "
        "pause, and is after twice the bound",
        claim=_claim_bounds,
    ),
    Property(
        name="report",
        text="a member that is late stays so while the group waits for it, and is not in the cycle "
        "after its message came",
        claim=_claim_report,
    ),
)
"""Properties of a watchdog."""


def watchdog_proofs(*, members: int, bound: int) -> ComponentProofs:
    """Proofs of a `CollectiveWatchdog`."""
    make = partial(CollectiveWatchdog, members=members, bound=bound)
    return ComponentProofs(make, lambda: WatchdogHarness(members=members, bound=bound), PROPERTIES)
