"""Sipeed Tang Nano 20K."""

from amaranth.build import Attrs, Clock, Pins, Resource
from amaranth.build.run import BuildPlan
from amaranth.vendor import GowinPlatform
from amaranth_boards.resources import LEDResources, UARTResource

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
