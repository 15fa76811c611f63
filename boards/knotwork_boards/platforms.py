"""Platforms that amaranth-boards lacks, or whose serial port it leaves to a connector."""

from amaranth.build import Attrs, Clock, Pins, Resource
from amaranth.build.run import BuildPlan
from amaranth.vendor import GowinPlatform, LatticeECP5Platform
from amaranth_boards import orangecrab_r0_2
from amaranth_boards.resources import LEDResources, UARTResource

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


_AS_GPIO = "--sspi_as_gpio --mspi_as_gpio"


class TangNano20kPlatform(GowinPlatform):
    """Tang Nano 20K: what the self-test uses of it.

    References
    ----------
    Sipeed, Tang Nano 20K, schematic: crystal of 27 MHz on pin 4, serial port of the BL616 on 69 and
    70, LEDs on 15 to 20, lit when low.
    """

    part = "GW2AR-LV18QN88C8/I7"
    family = "GW2AR-18C"
    default_clk = "clk27"
    resources = [
        Resource("clk27", 0, Pins("4", dir="i"), Clock(27e6), Attrs(IO_TYPE="LVCMOS33")),
        *LEDResources(
            pins="15 16 17 18 19 20", invert=True, attrs=Attrs(IO_TYPE="LVCMOS33", DRIVE=8)
        ),
        UARTResource(0, rx="70", tx="69", attrs=Attrs(PULL_MODE="UP", IO_TYPE="LVCMOS33")),
    ]
    connectors = []

    def toolchain_prepare(self, fragment: object, name: str, **options: object) -> BuildPlan:
        """Free the configuration's pins, some of which drive LEDs."""
        return super().toolchain_prepare(fragment, name, gowin_pack_opts=_AS_GPIO, **options)
