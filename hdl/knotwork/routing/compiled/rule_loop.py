# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""Loops that call a rule: plain Python in small networks, compiled by Numba in larger ones.

To load compiled code takes as long as plain Python needs for 40,000 calls of a rule (1.7 us each).
"""

from collections.abc import Callable
from functools import cached_property, update_wrapper
from typing import TYPE_CHECKING, Any

import numpy as np

from ..rules import BroadcastRule, Rule
from .calls import next_hop
from .native_loop import NativeLoop

if TYPE_CHECKING:
    from ...topology import Topology


PYTHON_STEPS = 40_000
"""Calls of a rule up to which a loop runs as plain Python."""


class RuleLoop:
    """Loop whose first two arguments are a rule and its parameters.

    Where the rule is a Python function with a list, the loop runs as plain Python. Where it is the
    address of a compiled function with an int64 array, the loop is compiled and kept on disk.

    Parameters
    ----------
    function
        The loop, in the subset of Python that Numba compiles. It calls the rule by
        `calls.next_hop` or `next_copy`.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        update_wrapper(self, function)

    def __call__(self, rule: Rule | BroadcastRule | int, parameters: Any, *arguments: Any) -> Any:
        """Run the loop by a rule, or by its address."""
        if isinstance(rule, int):
            return self.compiled(rule, parameters, *arguments)
        return self._function(rule, parameters, *arguments)

    @cached_property
    def compiled(self) -> NativeLoop:
        """The loop compiled, for those that are called only with addresses."""
        return NativeLoop(self._function, {"_nrt": False})

    @property
    def _numba_type_(self) -> Any:
        """Type by which Numba calls this loop from another one."""
        return self.compiled._numba_type_


def is_short_walk(topology: "Topology", classes: int, numbers: int = 1) -> bool:
    """Whether a loop takes few steps to walk all pairs: a walk stops where another one has been."""
    routers, ports = topology.neighbours.shape
    labels = topology.nodes * numbers
    return labels * (topology.nodes + routers * ports * classes) <= PYTHON_STEPS


def broadcast_loop_rule(
    topology: "Topology", rule: BroadcastRule, parameters: np.ndarray
) -> tuple[BroadcastRule | int, list[int] | np.ndarray]:
    """Rule of broadcasts and its parameters, as a `RuleLoop` takes them."""
    if is_short_walk(topology, 1):
        return rule, parameters.tolist()
    from .calls import broadcast_rule_address

    return broadcast_rule_address(rule), np.ascontiguousarray(parameters, np.int64)


@RuleLoop
def answer_states(rule, parameters, routers, ports, channel_classes, destinations, answers):
    """Fill `answers`, of shape (2, states), with output ports and classes."""
    for place in range(len(routers)):
        answers[0, place], answers[1, place] = next_hop(
            rule,
            parameters,
            routers[place],
            ports[place],
            channel_classes[place],
            destinations[place],
        )
