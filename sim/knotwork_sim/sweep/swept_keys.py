"""Keys of the traffic that a load sweep takes."""

import dataclasses

from ..traffic.keys import Traffic

REFUSED = (
    *("rate", "packets"),  # which a sweep sets
    *("multicast_share", "broadcast_share", "members"),  # it measures packets to one node
    *("replay", "reply", "service"),  # it draws its packets at a given load
    "collective_count",  # of collectives, which are no load
)
"""Keys that `check_load` refuses, or that go only with such a key."""


def sweep_keys() -> dict[str, dataclasses.Field]:
    """Keys that a load sweep takes, as they are declared."""
    return {key: field for key, field in Traffic.keys().items() if key not in REFUSED}
