"""Faults in the links of emitted Verilog: a swapped link, a dropped flit, a flipped bit."""

import re
from collections import defaultdict
from typing import NamedTuple

from knotwork.emit.ports import link_members


class Pin(NamedTuple):
    """Pin of a router, where its text is, and the link and member whose wire it is on."""

    text: str
    place: tuple[int, int]
    link: str
    member: str
    is_input: bool


def link_inputs(network, verilog):
    """Pins at the receiver of each link between routers, by link: all of its members."""
    members = link_members(network)
    directions = {}
    for part in re.split(r"(?=^module )", verilog, flags=re.MULTILINE)[1:]:
        name = re.match(r"module (\w+)", part)[1]
        ports = re.findall(r"^  (input|output)(?: reg)?(?: \[\d+:0\])? (\w+)", part, re.M)
        directions[name] = {port: way for way, port in ports}
    found = defaultdict(list)
    for instance in re.finditer(r"^  (\w+) router_\w+ \(\n(.*?)\n  \);", verilog, re.M | re.S):
        ports, start = directions[instance[1]], instance.start(2)
        pins = []
        for pin in re.finditer(r"\.(\w+)\((link_(?!node_)\w+)_(\w+)\)", instance[2]):
            if pin[3] in members:
                place = start + pin.start(2), start + pin.end(3)
                pins.append(Pin(pin[0], place, pin[2], pin[3], ports[pin[1]] == "input"))
        received = {pin.link for pin in pins if members[pin.member][1] and pin.is_input}
        for pin in pins:
            if pin.link in received:
                found[pin.link].append(pin)
    return dict(found)


def _replaced(verilog, edits):
    """Text with other expressions at these places."""
    for (start, end), text in sorted(edits.items(), reverse=True):
        verilog = verilog[:start] + text + verilog[end:]
    return verilog


def swapped(network, verilog):
    """The first link leads where the last one should, and the last one where the first should."""
    pins = link_inputs(network, verilog)
    one, other = min(pins), max(pins)
    edits = {}
    for here, there in ((one, other), (other, one)):
        edits |= {pin.place: f"{there}_{pin.member}" for pin in pins[here]}
    return _replaced(verilog, edits)


def _first(network, verilog, gate, payload):
    """Pins of the gate and the payload of the first link, and their bits."""
    pins, members = link_inputs(network, verilog), link_members(network)
    ends = {pin.member: pin for pin in pins[min(pins)]}
    return ends[gate], ends[payload], members[gate][0], members[payload][0]


def dropped(network, verilog, *, gate, payload):
    """About half of the flits get lost on the first link; the sender counts them as sent."""
    pin, data, width, bits = _first(network, verilog, gate, payload)
    # Part of the bits: with parity, all of them have an even sum.
    kept = f"^{data.link}_{payload}[{bits // 2}:0]"
    return _replaced(verilog, {pin.place: f"{pin.link}_{gate} & {{{width}{{{kept}}}}}"})


def flipped(network, verilog, *, payload):
    """A bit of all flits on the first link is inverted."""
    _, data, width, _ = _first(network, verilog, payload, payload)
    return _replaced(verilog, {data.place: f"{data.link}_{payload} ^ {width}'d1"})
