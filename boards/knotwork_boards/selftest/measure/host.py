"""Signals by which a host controls the windows of the self-test."""

from typing import NamedTuple

from amaranth.hdl import Const, Value


class Host(NamedTuple):
    """Outputs of `Measurement` that decide over windows.

    Members
    -------
    going, anew, measures, busy, all_entered : Value
        See there.
    """

    going: Value
    anew: Value
    measures: Value
    busy: Value
    all_entered: Value


NO_HOST = Host(
    going=Const(1), anew=Const(0), measures=Const(0), busy=Const(0), all_entered=Const(1)
)
"""Where nobody can say anything, the self-test goes on for ever."""
