"""Keys of the traffic that a load sweep takes."""

import dataclasses

from ..traffic.keys import Traffic

REFUSED = ("rate", "packets", "multicast_share", "broadcast_share", "members")
"""Keys that `check_load` refuses, because a sweep sets them, or measures packets to one node."""


def sweep_keys() -> dict[str, dataclasses.Field]:
    """Keys that a load sweep takes, as they are declared."""
    return {key: field for key, field in Traffic.keys().items() if key not in REFUSED}
