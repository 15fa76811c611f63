"""Address map: which addresses are at which node."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from knotwork.errors import ConfigurationError
from knotwork.parameters import Integer, Parameters, parameter
from knotwork.wording import parse_integer

from .bus import BusParameters
from .node import Node

SMALLEST = 4096
"""Bytes of the smallest region: no AXI4 burst crosses such a boundary."""

_HEXADECIMAL = re.compile(r"0[xX][0-9A-Fa-f]{1,17}")
_MULTIPLES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(frozen=True)
class Bytes(Integer):
    """Number of bytes, or a byte's address: ``4096``, ``0x1000``, ``4K``."""

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Range and forms in words."""
        return f"an integer in {self.low}..{self.high:#x}, as 4096, 0x1000 or 4K"

    def parse(self, text: str) -> int:
        """Number in decimal or hexadecimal, or of KiB, MiB, GiB or TiB."""
        factor = _MULTIPLES.get(text[-1:].upper(), 1)
        number = text[: -1 if factor > 1 else None]
        if _HEXADECIMAL.fullmatch(number):
            return int(number, 16) * factor
        return parse_integer(number) * factor


@dataclass(frozen=True, kw_only=True)
class Region(Parameters):
    """Addresses that are at one node.

    A target sees the whole address. A region has 2^n bytes and begins at a multiple of its size, so
    that a few bits of an address tell its region; a node may have several.

    Parameters
    ----------
    base : int
        First address, of a byte.
    size : int
        Bytes: a power of two, 4 KiB or more.
    node : int
        Index of the node.
    """

    name: ClassVar[str] = "map"

    base: int = parameter(Bytes(0, (1 << 64) - 1), help="first address")
    size: int = parameter(Bytes(SMALLEST, 1 << 64), help="bytes, a power of two")
    node: int = parameter(Integer(0, (1 << 31) - 1), help="index of the node")

    @property
    def end(self) -> int:
        """Address behind the last one."""
        return self.base + self.size

    def __str__(self) -> str:
        return f"{self.base:#x}..{self.end - 1:#x}"


def checked_map(
    regions: Mapping[str, Region], bus: BusParameters, nodes: Sequence[Node]
) -> dict[str, Region]:
    """Regions by their base.

    Raises
    ------
    ConfigurationError
        A region that is not aligned, that overlaps another, that the addresses do not reach, or
        that is not at a target; a target without a region; initiators without targets, or targets
        without initiators.
    """
    before = None
    told = dict(sorted(regions.items(), key=lambda item: (item[1].base, item[0])))
    for name, region in told.items():
        _check(name, region, bus, nodes)
        if before is not None and region.base < told[before].end:
            raise ConfigurationError(
                f"map.{name}: a region must not overlap another, not {region} beside map.{before} "
                f"{told[before]}"
            )
        before = name
    twice = [name for name in told if [each.upper() for each in told].count(name.upper()) > 1]
    if twice:
        raise ConfigurationError(
            f"map.{twice[1]}: a region's name must differ from any other by more than case, not "
            f"{twice[1]!r} beside {twice[0]!r}"
        )
    served = {region.node for region in told.values()}
    targets = [node.index for node in nodes if node.is_target]
    for target in targets:
        if target not in served:
            raise ConfigurationError(
                f"node {target}: a target must have a region, as map.NAME.node={target}, not none"
            )
    initiators = [node.index for node in nodes if node.is_initiator]
    for there, role, missing in (
        (initiators, "target", targets),
        (targets, "initiator", initiators),
    ):
        if there and not missing:
            one = "an initiator" if role == "target" else "a target"
            raise ConfigurationError(
                f"node {there[0]}: {one} must have at least one {role} in the system, not none"
            )
    return told


def _check(name: str, region: Region, bus: BusParameters, nodes: Sequence[Node]) -> None:
    """Refuse a region that no decoder or no node can have."""
    owner = f"map.{name}"
    if region.size & region.size - 1:
        raise ConfigurationError(f"{owner}: size must be a power of two, not {region.size:#x}")
    if region.base % region.size:
        raise ConfigurationError(
            f"{owner}: base must be a multiple of its size {region.size:#x}, not {region.base:#x}"
        )
    if region.end > 1 << bus.address_width:
        raise ConfigurationError(
            f"{owner}: a region must end within bus.address_width={bus.address_width}, not {region}"
        )
    if region.node >= len(nodes):
        raise ConfigurationError(
            f"{owner}: node must be an index in 0..{len(nodes) - 1}, not {region.node}"
        )
    if not nodes[region.node].is_target:
        raise ConfigurationError(
            f"{owner}: node must be a target (node.{region.node}.side=target), not {region.node}"
        )
