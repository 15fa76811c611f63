"""Verilog of a top as modules, which are one file or a file each."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from .. import __version__
from ..version import LICENCE_LINE, stamp

_ASSERTIONS = "`ifndef SYNTHESIS\n"

# Assertions are for simulators: all synthesis tools define SYNTHESIS, but for one.
_GUARD = "`ifdef ALTERA_RESERVED_QIS\n`define SYNTHESIS\n`endif\n"


@dataclass(frozen=True, kw_only=True)
class Source:
    """Verilog of a top.

    Parameters
    ----------
    header : str
        Comments at the head of the file that has the top.
    modules : mapping of str to str
        Text of each module by its name. A module stands behind those that it places, the top last.
    foreign : collection of str
        Modules among them that are other people's: nothing stands at their head or is altered.
    """

    header: str
    modules: Mapping[str, str]
    foreign: Collection[str] = ()

    @property
    def top(self) -> str:
        """Name of the top."""
        return [*self.modules][-1]

    @cached_property
    def text(self) -> str:
        """All modules as one file."""
        return "\n".join([self.header + _GUARD, *self.modules.values()])

    def files(self, *, split: bool = False) -> dict[str, str]:
        """Verilog files by name, in the order in which tools read them.

        Parameters
        ----------
        split : bool
            Write a file per module. Only the top's says which parameters the network has, so that
            another parameter changes no file of a module that does not depend on it.
        """
        if not split:
            return {f"{self.top}.v": self.text}
        return {f"{name}.v": self._file(name, text) for name, text in self.modules.items()}

    def _file(self, name: str, text: str) -> str:
        if name in self.foreign:
            return text
        head = self.header if name == self.top else stamp_lines("//")
        return "\n".join([head + (_GUARD if _ASSERTIONS in text else ""), text])

    def altered(
        self, alter: Callable[[str], str], names: Collection[str] | None = None
    ) -> "Source":
        """The same with other texts of these modules, or of all that are ours."""
        chosen = {*self.modules} - {*self.foreign} if names is None else names
        modules = {
            name: alter(text) if name in chosen else text for name, text in self.modules.items()
        }
        return replace(self, modules=modules)


def stamp_lines(comment: str) -> str:
    """Lines that say which version made a file, and that it is the user's."""
    return f"{comment} {stamp(__version__)}\n{comment} {LICENCE_LINE}\n"


def verilog_files(top: str, files: Iterable[str]) -> list[str]:
    """Names of the Verilog files of a top: these, or the one file if there are none."""
    return [*files] or [f"{top}.v"]


def file_list(top: str, files: Iterable[str]) -> dict[str, str]:
    """List of Verilog files for tools that take ``-f``, by its name."""
    return {f"{top}.f": stamp_lines("//") + "".join(f"{name}\n" for name in files)}
