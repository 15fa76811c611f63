"""Types that no checker can know, each kind with its reason.

`Any` by its own name stands for what Numba's compiled functions take, and for JSON facts that one
network or routing alone has.
"""

from typing import Any, TypeAlias

View: TypeAlias = Any
"""Value with a layout (`data.View`), a port or an array of such: Amaranth makes its fields when the
program runs."""

Interface: TypeAlias = Any
"""Interface of a signature or a component by its signature: Amaranth makes its members when the
program runs."""

Field: TypeAlias = Any
"""Default of a dataclass field whose type the annotation states: `dataclasses.field` returns the
like."""

Statement: TypeAlias = Any
"""Assignment for a domain of a module: Amaranth exports no type of it."""
