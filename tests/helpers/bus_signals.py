"""Signals of a bus, by the standard's names."""

from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS, bus_signals


def driven_and_heard(name, **widths):
    """Bits of the signals that a bus's manager drives, and of those that it hears."""
    signals = bus_signals(BUS_KINDS[name], BusParameters(**widths))
    return tuple(
        {one.name: one.width for one in signals if one.from_manager is driven}
        for driven in (True, False)
    )
