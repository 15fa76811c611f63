"""What has no types here, and why: the only reasons for ``Any`` in this package.

`Platform`
    amaranth-boards ships no types, and the stubs of Amaranth's `Platform` leave out what it adds.
`JsonObject`
    JSON that a tool, a record or a command wrote; its reader names the fields that it expects.
"""

from collections.abc import Mapping
from typing import Any, Protocol

Platform = Any
"""Platform of amaranth-boards."""

JsonObject = dict[str, Any]
"""Object of a JSON document."""


class BuildPlan(Protocol):
    """Files and commands of a build: what is used of `amaranth.build.run.BuildPlan`."""

    @property
    def files(self) -> Mapping[str, str | bytes]:
        """Contents by file name; the command list is ``build_top.json``."""
        ...

    def extract(self, root: str) -> object:
        """Write all files into the folder `root`."""
        ...

    def digest(self) -> bytes:
        """Digest of all files."""
        ...
