"""Emitted Verilog, read with regular expressions; each network's is made once."""

import re
from functools import cache

from knotwork import Network
from knotwork.emit import network_verilog


@cache
def verilog_of(word):
    """Network and Verilog of a word, ``moebius:n=3,twist=1``."""
    network = Network.from_word(word)
    return network, network_verilog(network)


def module_ports(text, module):
    """Ports of a module of the file: ``{name: (direction, bits)}``, in order."""
    (body,) = re.findall(rf"^module {module} ?\(.*?^endmodule", text, re.MULTILINE | re.DOTALL)
    found = re.findall(r"^ *(input|output) (?:reg )?(?:\[(\d+):0\] )?(\w+)", body, re.MULTILINE)
    return {name: (way, int(high or 0) + 1) for way, high, name in found}


def instances(text, module):
    """Names of the instances of a module."""
    return re.findall(rf"^ *{module} +(\w+) \(", text, re.MULTILINE)


def modules(text):
    return re.findall(r"^module (\w+)", text, re.MULTILINE)
