"""Flits that a beat of a bus takes on its way, and the width of flits that hold a whole beat."""

from knotwork.errors import ConfigurationError
from knotwork.wording import plural

from .system import System


def flits_per_beat(system: System) -> dict[str, int]:
    """Flits of a beat that is written, and of one that is read; nothing without a bus."""
    if not system.map:
        return {}
    flit = system.network.hardware.data_width
    return {name: -(-width // flit) for name, width in system.bus.beat_widths.items()}


def whole_beat_width(system: System) -> int | None:
    """Least `data_width` of the network with which every beat of a bus is one flit.

    None where no flit is so wide that the streams beside the bus go with.
    """
    kind = system.network.hardware.keys()["data_width"].metadata["kind"]
    for width in range(max(system.bus.beat_widths.values()), kind.high + 1):
        try:
            if kind.accepts(system.payload_with(width).width):
                return width
        except ConfigurationError:
            continue
    return None


def beats_line(system: System) -> str | None:
    """Line for users whose beats take several flits; None where none does."""
    flits = flits_per_beat(system)
    if not flits or max(flits.values()) == 1:
        return None
    width, bus = system.network.hardware.data_width, system.bus
    line = (
        f"{system.name}: a beat of {bus.data_width} bits takes {plural(flits['write'], 'flit')} "
        f"of {width} to write and {flits['read']} to read"
    )
    wider = whole_beat_width(system)
    return line if wider is None else f"{line}; with data_width={wider} it takes one"
