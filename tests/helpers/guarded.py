"""Packets with parity, of which a field of a flit may be wrong."""

SOURCE = 2
"""Address of the node that sends them."""


def packet(destination, length, *, at=None, fault=None):
    """Flits with their parity; in flit `at` the fields of `fault` are others."""
    parity = (bin(destination).count("1") + bin(SOURCE).count("1")) % 2
    flits = []
    for beat in range(length):
        last = int(beat == length - 1)
        flits.append(
            {
                "data": beat,
                "last": last,
                "destination": destination,
                "source": SOURCE,
                "header_parity": parity,
                "data_parity": bin(beat).count("1") % 2,
                "last_copies": 3 * last,
                "wrong": 0,
            }
            | (fault if fault and beat == at else {})
        )
    return flits
