"""Links that carry credits, and what is stored behind them."""

from amaranth.hdl import Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out

from ....network import Network
from ...layouts import flit_layout


def credit_signature(network: Network) -> wiring.Signature:
    """Channel of a link, seen from its sender.

    Members
    -------
    valid : Out(virtual_channels)
        One-hot: the virtual channel of `flit`, 0 for none. The flit is taken in the same cycle.
    flit : Out(flit_layout)
        0 without a flit.
    credit : In(virtual_channels)
        High for one cycle for each flit that has left the channel's buffer. A sender sends as many
        flits as the buffer holds, and one more for each credit.
    up : In(1)
        The link works, as its receiver says: 0 if it is broken. Only where tables are loaded.
    """
    virtual_channels = network.routing.virtual_channels
    return wiring.Signature(
        {
            "valid": Out(virtual_channels),
            "flit": Out(flit_layout(network)),
            "credit": In(virtual_channels),
            **({"up": In(1)} if network.loads_tables else {}),
        }
    )


CELL_BITS = 4
"""Width of a cell of distributed RAM."""


def kept_apart(network: Network, flit: Value) -> tuple[str, ...]:
    """Fields that a RAM of flits is without: the mark of a tail, where that saves a cell.

    Not with parity, which is of the flit as it arrived.
    """
    return ("last",) if len(flit) % CELL_BITS == 1 and not network.has_parity else ()
