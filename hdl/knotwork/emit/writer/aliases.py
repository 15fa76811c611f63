"""Nets of a module that are only another name: the module has each of them once."""

from .crossings import Ports
from .parts import Part
from .slices import replaced
from .terms import Bits, Constant, Joined, Net, Repeated, Term

_PIECES = 3
"""Most parts of a concatenation that stands at a pin."""


class Aliases:
    """What stands for each net of a module.

    Parameters
    ----------
    part : Part
        Module.
    ports : dict of Part to Ports
        Ports of it and of those within.

    Members
    -------
    assigned : dict of Net to Term
        Nets that an expression drives, without those that are gone.
    """

    def __init__(self, part: Part, ports: dict[Part, Ports]) -> None:
        self._part = part
        own = ports[part].ways
        self._values: dict[Net, Term] = {}
        self._below = {net for child in part.children for net in ports[child].ways}
        driven_below = {net for child in part.children for net in ports[child].outputs}
        driven_below |= {data for memory in part.memories for data, _ in memory.readers}
        # A place within a net can be chosen, one within a constant cannot.
        chosen = {*part.indexed()}
        for net, term in part.assigned.items():
            if isinstance(term, Bits) and term.is_complete and net in own:
                source = term.net
                if source in driven_below and source not in own and source not in self._values:
                    # An output that is what a module within drives: the wire has its name.
                    self._values[source] = Bits(net.width, net)
                    continue
            is_slice = net.is_pin and isinstance(term, Bits)
            if net not in own and net not in chosen and (is_slice or self._is_plain(term)):
                self._values[net] = term
        self._simplify()

    @staticmethod
    def _is_plain(term: Term) -> bool:
        return isinstance(term, Constant) or (isinstance(term, Bits) and term.is_complete)

    def _simplify(self) -> None:
        self.assigned: dict[Net, Term] = {}
        for net, term in self._part.assigned.items():
            if net in self._values or self._values_of_output(net, term):
                continue
            self.assigned[net] = self.term(term)
        self._inline()

    def _values_of_output(self, net: Net, term: Term) -> bool:
        """Whether the net is an output whose name its only driver has taken."""
        if not isinstance(term, Bits) or term.net not in self._values:
            return False
        value = self._values[term.net]
        return isinstance(value, Bits) and value.net is net and term.is_complete

    def _inline(self) -> None:
        """Short terms stand at the pins that alone read them."""
        read = self._read_here()
        for net, term in [*self.assigned.items()]:
            if net in self._below and net not in read and _is_short(term):
                self._values[net] = term
                del self.assigned[net]

    def _read_here(self) -> set[Net]:
        return set(self._part.reads())

    def is_gone(self, net: Net) -> bool:
        """Whether something else stands for a net."""
        return net in self._values

    def term(self, term: Term) -> Term:
        """A term without nets that are gone."""
        return replaced(term, self._values, refuse)

    def pin(self, net: Net) -> Term:
        """What is connected to a port of a module within."""
        return self.term(Bits(net.width, net))

    def target(self, net: Net) -> Net:
        """The net that is driven where the module drives this one."""
        term = self.pin(net)
        assert isinstance(term, Bits)
        return term.net


def _is_short(term: Term) -> bool:
    if isinstance(term, (Bits, Constant)):
        return True
    if isinstance(term, Repeated):
        return _is_short(term.piece)
    return (
        isinstance(term, Joined)
        and len(term.pieces) <= _PIECES
        and all(_is_short(one) for one in term.pieces)
    )


def refuse(term: Term) -> Net:
    """Make no net: what is taken bits of here has bits of its own."""
    raise NotImplementedError(f"bits of {term!r}")
