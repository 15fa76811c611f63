"""OrangeCrab with a serial adapter on its feather pins, since its USB has none without gateware."""

from amaranth.build import Attrs
from amaranth.vendor import LatticeECP5Platform
from amaranth_boards import orangecrab_r0_2
from amaranth_boards.resources import UARTResource

_SERIAL = UARTResource(0, rx="0", tx="1", conn=("io", 0), attrs=Attrs(IO_TYPE="LVCMOS33"))


class _WithoutSuffix:
    """Build that stops at the bitstream: the suffix for dfu-util is added when it is loaded."""

    required_tools = LatticeECP5Platform.required_tools
    command_templates = LatticeECP5Platform.command_templates


class OrangeCrab25FPlatform(_WithoutSuffix, orangecrab_r0_2.OrangeCrabR0_2_25FPlatform):
    """OrangeCrab r0.2 with an ECP5 25F, and serial port on pins 0 (RX) and 1 (TX)."""

    resources = [*orangecrab_r0_2.OrangeCrabR0_2_25FPlatform.resources, _SERIAL]


class OrangeCrab85FPlatform(_WithoutSuffix, orangecrab_r0_2.OrangeCrabR0_2_85FPlatform):
    """OrangeCrab r0.2 with an ECP5 85F, and serial port on pins 0 (RX) and 1 (TX)."""

    resources = [*orangecrab_r0_2.OrangeCrabR0_2_85FPlatform.resources, _SERIAL]
