"""Faults put into the emitted Verilog of a network, at its links, whatever its router class."""

import re

# Links come into a circuit switch at its ports a and d, into a router at those with an i.
_WIDE = r"\.((?:\w+_i|[ad]\d+)_(?:flit|packet|message|data))\((link_\w+)\)"
_NARROW = r"\.((?:\w+_i|[ad]\d+)_(?:valid|kind))\((link_\w+)\)"


def _top(verilog):
    """Where the top module begins: it is the last one."""
    return verilog.rindex("\nmodule ")


def _width(verilog, net):
    (found,) = re.findall(rf"^  wire (?:\[(\d+):0\] )?{net};", verilog[_top(verilog) :], re.M)
    return int(found or 0) + 1


def _pins(verilog, pattern):
    return list(re.finditer(pattern, verilog[_top(verilog) :]))


def _replaced(verilog, pin, text):
    start = _top(verilog)
    return f"{verilog[: start + pin.start(2)]}{text}{verilog[start + pin.end(2) :]}"


def flipped_bit(verilog):
    """The lowest bit of all that comes by one link is inverted."""
    pin = _pins(verilog, _WIDE)[0]
    return _replaced(verilog, pin, f"{pin[2]} ^ {_width(verilog, pin[2])}'d1")


def swapped_link(verilog):
    """What comes by two links is exchanged."""
    first, *others = _pins(verilog, _WIDE)
    width = _width(verilog, first[2])
    # Two links from one router, as in a ring of two, may carry the same.
    router = first[2].rsplit("_", 2)[0]
    second = next(
        pin
        for pin in others
        if pin[2] != first[2]
        and _width(verilog, pin[2]) == width
        and (router == "link_node" or pin[2].rsplit("_", 2)[0] != router)
    )
    return _replaced(_replaced(verilog, second, first[2]), first, second[2])


def dropped_flit(verilog):
    """The second flit that comes by one link is lost."""
    pin = (_pins(verilog, _NARROW) or _pins(verilog, _WIDE))[0]
    net, width = pin[2], _width(verilog, pin[2])
    fault = f"""
  reg [7:0] fault_age = 8'd0;
  always @(posedge clk)
    if (rst) fault_age <= 8'd0;
    else if (|{net} && fault_age != 8'd255) fault_age <= fault_age + 8'd1;
"""
    verilog = _replaced(verilog, pin, f"{net} & {{{width}{{fault_age != 8'd1}}}}")
    end = verilog.rindex("endmodule")
    return verilog[:end] + fault.lstrip("\n") + verilog[end:]


FAULTS = {
    "flipped bit": flipped_bit,
    "swapped link": swapped_link,
    "dropped flit": dropped_flit,
}
"""Faults by name: functions of the Verilog."""
