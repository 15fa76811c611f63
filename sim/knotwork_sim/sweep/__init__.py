"""Comparison of networks: latency over load, and network cycles over size.

`load` measures points under rising load (`point`) in processes or on a cluster (`workers`), keeps
them (`results`) and answers with records (`load_result`) beside what theory expects
(`channel_load`, `zero_load`). `growth` measures how permutations slow down as networks grow.
`plots` draws both.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .load_result import LoadResult


class _Sweep(ModuleType):
    """The room itself, called as the function `sweep` that users import from `knotwork_sim`.

    The import system binds a room to its package under the room's name, whatever stands there.
    """

    def __call__(self, networks: Any, rates: Any = None, **keys: Any) -> LoadResult:
        """Measure accepted load and latency over offered load; see `from_python.sweep`."""
        from .from_python import sweep

        return sweep(networks, rates, **keys)


sys.modules[__name__].__class__ = _Sweep
