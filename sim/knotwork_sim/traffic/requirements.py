"""Requirements on traffic, for routings whose packets may not come at any time."""

from collections.abc import Iterable
from typing import NamedTuple

from knotwork.errors import ConfigurationError
from knotwork.routing import Routing

from .keys import Traffic


class Requirement(NamedTuple):
    """Rule for one traffic key.

    Members
    -------
    key : str
        Key of `Traffic`.
    rule : str
        What its value must be.
    holds : bool
        Whether it is so.
    value : object
        Its value, as a user writes it.
    """

    key: str
    rule: str
    holds: bool
    value: object


def require_all(traffic: Traffic, routing: Routing, requirements: Iterable[Requirement]) -> None:
    """Refuse traffic that breaks a requirement.

    No packet may have several destinations or a reply, and none comes in bursts.

    Raises
    ------
    ConfigurationError
        With the first requirement that does not hold.
    """
    to_one_node = [
        Requirement(key, "0", share == 0, f"{share:g}")
        for key, share in (
            ("multicast_share", traffic.multicast_share),
            ("broadcast_share", traffic.broadcast_share),
        )
    ]
    at_once = [
        Requirement("burst", "unnamed", traffic.burst is None, traffic.burst),
        Requirement("reply", "unnamed", traffic.reply is None, traffic.spelled("reply")),
    ]
    for key, rule, holds, value in (*requirements, *to_one_node, *at_once):
        if not holds:
            raise ConfigurationError(
                f"traffic: {key} must be {rule} with routing={routing.name}, not {value}"
            )
