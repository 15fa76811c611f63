"""Networks that a user writes: checked before anything is built from them; plugins."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ..topology import TOPOLOGIES

if TYPE_CHECKING:
    from ..topology import Topology


def _installed() -> "Mapping[str, Callable[[], type[Topology]]]":
    from .plugins import installed

    return installed()


TOPOLOGIES.find_by(_installed)
