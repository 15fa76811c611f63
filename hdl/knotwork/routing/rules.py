"""The form of a routing's rule, and the records of turns and hops.

A rule is one plain function of integers, written in the subset of Python that Numba compiles:

    rule(parameters, router, port, channel_class, destination) -> (output port, output class)

`port` is the input port: `LOCAL` for a packet that its node injects, in class 0 or in one of the
routing's `injection_classes`. The answer ``(LOCAL, 0)`` ejects the packet to the node; with relays,
``(LOCAL, class)`` with a higher class ejects it to the store of that class. The same function gives
paths in Python, the all-pairs deadlock check and the golden model. The gates decide with their own
logic and are checked against the rule.

A routing in which packets choose has further numbers, its `other_ways`, that stand for a packet's
class: called with each of them, the rule answers another way of the packet. The last one leads into
the escape classes, the exit from a blocked state. A packet may take it from any class, and stays in
the escape classes afterwards.

In a routing with `draws` the source of a packet draws a number, which the header carries: the rule
is called with ``destination + nodes * number``. So packets toss coins, or go by way of a node.

The classes of a rule are the virtual channels that it needs. A network with a multiple of them has
lanes. `lane` assigns each flow to one lane, so that its packets stay in order: the flow uses the
virtual channels ``lane * classes + class``.

A rule of broadcasts says which copy a router sends over one of its links:

    rule(parameters, router, port, channel_class, label, source, output) -> (label, class)

`port` is the input port: `LOCAL` at the source, in class 0 and with label 0. The answer is the
label and the class of the copy on the link `output`, or ``(-1, 0)`` for no copy. In addition, every
router except the source's ejects a copy to its node. `parameters` are those of the routing. All
copies that come from one input and leave over one link use the same class, whatever their labels.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from .compiled.compilable import compilable

Rule = Callable[[Any, int, int, int, int], tuple[int, int]]
"""Rule of a routing. Its parameters are an int64 array in Python, a pointer in compiled code."""
BroadcastRule = Callable[[Any, int, int, int, int, int, int], tuple[int, int]]
"""Rule of broadcasts."""


class Turn(NamedTuple):
    """Turn at a router: from an input port and virtual channel to an output port and one."""

    input_port: int
    input_vc: int
    output_port: int
    output_vc: int


class Hop(NamedTuple):
    """Router on a path, and the port and virtual channel by which the packet leaves it."""

    router: int
    port: int
    virtual_channel: int


@compilable
def lane(source: int, destination: int, lanes: int) -> int:
    """Lane of a flow, 0..lanes - 1.

    Each address is XOR-folded to four bits; the source's, rotated left by one, is XORed with the
    destination's; the lane is that modulo `lanes`. The rotation separates the lane from the bits in
    which the addresses differ: those bits decide the links that the flow takes.
    """
    result = 0
    while source or destination:
        turned = (source << 1 | source >> 3 & 1) & 15
        result ^= turned ^ destination & 15
        source >>= 4
        destination >>= 4
    return result % lanes
