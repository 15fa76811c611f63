"""Register map of a network's monitor."""

from collections.abc import Mapping
from dataclasses import dataclass

from ..network import Network
from .channels import network_probes

WORD = 4
"""Bytes of a register."""

IDENTITY = 0x4B4E_4F31
"""What the first register holds: "KNO1" in ASCII."""

CLEAR, REARM = 0, 1
"""Bits of the register `control`."""

SINGLE = {
    "identity": ("r", "0x4B4E4F31: KNO1 in ASCII"),
    "channels": ("r", "channels that are watched"),
    "nodes": ("r", "nodes"),
    "turns": ("r", "bits of the array `wants`"),
    "control": (
        "w",
        "bit 0: all counters begin again from 0; bit 1: the watchdog forgets what it found",
    ),
    "status": ("r", "bit 0: the watchdog has found a channel, as the port `alarm` tells"),
    "bound": ("rw", "cycles that a channel may wait; 0 stops the watchdog"),
    "cycles": ("r", "cycles counted, modulo 2^32"),
}
"""Single registers in their order: access, and what they hold."""


@dataclass(frozen=True, kw_only=True)
class Array:
    """Registers of one kind, one behind the other.

    Members
    -------
    offset : int
        Byte address of the first.
    count : int
        How many.
    what : str
        What they hold.
    """

    offset: int
    count: int
    what: str


@dataclass(frozen=True, kw_only=True)
class RegisterMap:
    """Register map of a monitor.

    Members
    -------
    address_width : int
        Bits of a byte's address.
    page_width : int
        Bits of a word's address within a page: page 0 has the single registers, page 1 what the
        watchdog found, page 2 the counters.
    registers : mapping of str to int
        Byte address of each single register.
    arrays : mapping of str to Array
        Arrays that the monitor has.
    """

    address_width: int
    page_width: int
    registers: Mapping[str, int]
    arrays: Mapping[str, Array]

    def as_json(self) -> dict[str, object]:
        """Same as it stands in the manifest."""
        return {
            "registers": [
                {"name": name, "offset": offset, "access": SINGLE[name][0], "what": SINGLE[name][1]}
                for name, offset in self.registers.items()
            ],
            "arrays": [
                {
                    "name": name,
                    "offset": one.offset,
                    "count": one.count,
                    "stride": WORD,
                    "what": one.what,
                }
                for name, one in self.arrays.items()
            ],
        }


def register_map(
    *, channels: int, nodes: int, turns: int, counters: bool, watchdog: bool
) -> RegisterMap:
    """Register map of a monitor of so many channels, nodes, and turns of all channels."""
    found = {
        "stuck": (channels, "a bit per channel: it has waited for longer than the bound"),
        "waits": (channels, "a bit per channel: it waited when that was found"),
        "wants": (turns, "a bit per turn: a flit at the channel's front asked for it then"),
    }
    counts = {
        "flits": (channels, "flits that came into the channel"),
        "stalls": (channels, "cycles in which a flit waited at the channel's front"),
        "refused": (nodes, "packets of the node that were refused"),
    }
    bits = {name: (-(-count // 32), what) for name, (count, what) in found.items()}
    sizes = [len(SINGLE), *(sum(count for count, _ in page.values()) for page in (bits, counts))]
    width = (max(sizes) - 1).bit_length()
    arrays: dict[str, Array] = {}
    for page, present, entries in ((1, watchdog, bits), (2, counters, counts)):
        place = page << width
        for name, (count, what) in entries.items() if present else ():
            arrays[name] = Array(offset=WORD * place, count=count, what=what)
            place += count
    return RegisterMap(
        address_width=max(12, width + 4),
        page_width=width,
        registers={name: WORD * place for place, name in enumerate(SINGLE)},
        arrays=arrays,
    )


def network_registers(network: Network) -> RegisterMap:
    """Register map of a network's monitor."""
    widths = network_probes(network)
    return register_map(
        channels=widths.channels,
        nodes=network.topology.nodes,
        turns=widths.turns,
        counters=network.hardware.has_counters,
        watchdog=network.hardware.watchdog_bound > 0,
    )
