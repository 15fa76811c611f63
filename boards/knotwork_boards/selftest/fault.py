"""Faults that the self-test can inject on purpose: a test that cannot fail proves nothing."""

from amaranth.lib import enum


class Fault(enum.Enum, shape=3):
    """Fault that is injected once per window.

    Members
    -------
    NONE, LOST, DUPLICATED, CORRUPTED, MISROUTED, REFUSED
        Counter that the fault must raise. REFUSED needs a network with an address that belongs to
        no node, or a network of batches.
    TABLE
        A wrong entry in a jump table, in networks of batches; it must raise MISROUTED.
    """

    NONE = 0
    LOST = 1
    DUPLICATED = 2
    CORRUPTED = 3
    MISROUTED = 4
    REFUSED = 5
    TABLE = 6
