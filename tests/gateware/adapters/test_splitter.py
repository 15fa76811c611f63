"""What splits wide beats sends no narrow one without units but a packet's only one."""

from helpers.streams import consume, produce, run, watch
from knotwork.gateware.adapters import Splitter
from knotwork.system import Payload


def test_narrow_beats_end_where_the_units_do():
    dut = Splitter(narrow=16, wide=48, payload=Payload.of(48, [16], keep=True), header={})
    sent = [
        {"data": 0x060504030201, "absent": 0, "last": 0},
        {"data": 0x060504030201, "absent": 3, "last": 1},
        {"data": 0x060504030201, "absent": 6, "last": 1},
    ]
    taken = []
    run(dut, produce(dut.i, sent), consume(dut.o, taken, 6), background=[watch(dut.o)])
    assert [(int(one.data), int(one.absent), int(one.last)) for one in taken] == [
        (0x0201, 0, 0),
        (0x0403, 0, 0),
        (0x0605, 0, 0),
        (0x0201, 0, 0),
        (0x0403, 1, 1),
        (0x0201, 2, 1),
    ]
