"""Fixed fields of bursts that are one whole word."""

from amaranth.hdl import Cat, Const, Module, Value
from knotwork.untyped import View

from ....bus import BusParameters
from ..axi4 import Burst


def word_address(bus: BusParameters, address: Value) -> Value:
    """Byte address of the word that has this byte."""
    low = (bus.data_bytes - 1).bit_length()
    return Cat(Const(0, low), address[low:])


def single_beat(
    m: Module, bus: BusParameters, payload: View, address: Value, *, prot: Value | int = 0
) -> None:
    """Drive AW or AR with one beat of a whole word: identifier 0, and no cache may change it."""
    m.d.comb += [
        payload.id.eq(0),
        payload.address.eq(address),
        payload.length.eq(0),
        payload.size.eq((bus.data_bytes - 1).bit_length()),
        payload.burst.eq(Burst.INCR),
        payload.lock.eq(0),
        payload.cache.eq(0),
        payload.prot.eq(prot),
        payload.qos.eq(0),
    ]
