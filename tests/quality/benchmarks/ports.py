"""Ports of buses that are measured, each with the floor of what its job needs."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from knotwork.emit.modules import module_verilog
from knotwork.formal.component import component_shell
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.decoder import RegionOfNode
from knotwork_soc.gateware.buses.initiator_port import InitiatorPort
from knotwork_soc.gateware.buses.target_port import TargetPort

FLIT, ADDRESS = 36, 4
"""Bits of a flit's data, which hold a beat and its strobes, and of a node's address."""
REGIONS = [RegionOfNode(number << 28, 1 << 28, number) for number in range(4)]


class Port(NamedTuple):
    """Port that is measured."""

    make: Callable[[], Any]  # makes it
    flip_flops: int  # flip-flops that its job needs beside its queues
    # Entries and bits of those in distributed RAM; the others are in block RAM.
    queues: tuple[tuple[int, int], ...]


def _bus(burst: int) -> BusParameters:
    return BusParameters(burst=burst, outstanding=4)


_TAG, _ID, _BEAT, _LEFT = 2, 4, 8, 1 + 1
"""Number of a transaction, its identifier, beat of a burst; a flit of two, and header or beats."""
_UNDER_WAY = 4 * (1 + _ID + ADDRESS + 1)
"""Of each transaction of a direction: whether it is under way, and where it goes."""
_STATE = 2
"""Waiting, sending, refusing, answering."""
_LOSSES = 4 + (16 * (1024 + 16)).bit_length() + 1 + 2
"""With parity, of each direction: what is owed, cycles until it is lost, whether so, the epoch."""
_WRITES, _READS = (16, FLIT), (32, 35)
"""Queues of beats."""


def _initiator(burst: int, *queues: tuple[int, int], has_parity: bool = False) -> Port:
    own = 2 * (_STATE + _TAG + _BEAT + _UNDER_WAY) + (2 * burst).bit_length() + _LEFT + 1 + 1
    own += has_parity * (2 * _LOSSES + 4 * 8 + 1)  # lengths of reads; whether a packet is dropped
    tag = _TAG + 2 * has_parity
    answers = ((4, tag + 2), (4, tag))
    return Port(
        lambda: InitiatorPort(
            bus=_bus(burst),
            regions=REGIONS,
            flit_width=FLIT,
            address_width=ADDRESS,
            has_parity=has_parity,
        ),
        own,
        queues + answers,
    )


_TIMER, _DUE = 10 + 1, 3
"""Cycles until it is silent, and whether it is; requests that are due."""
_AHEAD = 32 + 8 + 3 + 2 + 4 + 3 + 4
"""Address that is offered whatever becomes of its packet."""


def _target(burst: int, *queues: tuple[int, int], has_parity: bool = False) -> Port:
    header = FLIT  # the first of its two flits
    writes = _TIMER + 2 * _DUE + _AHEAD + 37 + 9 + 2  # a beat offered; beats lacking; open, known
    reads = _TIMER + _DUE + _AHEAD + _BEAT
    origins = (4, _TAG + 2 * has_parity + ADDRESS)
    marks = has_parity * (4 + 3 + 1)  # of writes under way, how many, whether a packet is dropped
    return Port(
        lambda: TargetPort(
            bus=_bus(burst), flit_width=FLIT, address_width=ADDRESS, has_parity=has_parity
        ),
        header + writes + reads + _LEFT + 1 + marks,
        (*queues, origins, origins, (4, 8)),
    )


BUILDERS: Mapping[str, Port] = {
    "initiator_burst16": _initiator(16, _WRITES, _READS),
    "target_burst16": _target(16, (16, 35)),
    "initiator_parity": _initiator(16, _WRITES, (32, 36), has_parity=True),
    "target_parity": _target(16, (16, 35), has_parity=True),
    "initiator_burst256": _initiator(256),
    "target_burst256": _target(256),
}
"""Ports by name."""


def verilog(name: str) -> Callable[[str], str]:
    """What writes a port as modules, its own last, by the name of that."""
    return lambda module: module_verilog(component_shell(BUILDERS[name].make()), module)
