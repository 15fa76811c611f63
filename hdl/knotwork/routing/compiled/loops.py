# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Loop that asks a rule many times, compiled by Numba and kept on disk."""

from .calls import call_rule, kept_on_disk


@kept_on_disk()
def ask_all(rule, parameters, routers, ports, channel_classes, destinations, answers):
    """Fill `answers`, of shape (2, states), with output ports and classes."""
    for place in range(len(routers)):
        answers[0, place], answers[1, place] = call_rule(
            rule,
            parameters.ctypes.data,
            routers[place],
            ports[place],
            channel_classes[place],
            destinations[place],
        )
