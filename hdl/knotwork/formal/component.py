"""Component of Amaranth as a module of its own, and its harness."""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from amaranth.hdl import Value
from amaranth.lib import data
from amaranth.lib.wiring import In

from ..emit.modules import Shell, module_verilog
from ..untyped import Interface, View
from .elaboration import Elaboration
from .harness import Harness
from .property import Property, Result
from .prover import prove

MODULE = "part"
"""Name of the module."""


def component_shell(component: Interface) -> Shell:
    """Shell of a component: a port for each member, ``aw_payload``."""
    shell = Shell(component)
    for path, member, value in component.signature.flatten(component):
        add = shell.input if member.flow == In else shell.output
        add("_".join(map(str, path)), value)
    return shell


def component_verilog(make: Callable[[], Interface]) -> str:
    """Verilog of a component, its module named `MODULE`."""
    return module_verilog(component_shell(make()), MODULE)


class Stream(NamedTuple):
    """Stream of a component, by its ports: the handshake, and the payload as its fields."""

    valid: Value
    ready: Value
    payload: View

    @property
    def moves(self) -> Value:
        """Whether an element is handed over."""
        return self.valid & self.ready


class ComponentHarness(Harness):
    """Harness of a component, whose inputs may be anything.

    Parameters
    ----------
    component : Component
        A component like that whose Verilog is proven; `probe` takes its signals.
    """

    keeps_memories = False

    def __init__(self, component: Interface) -> None:
        super().__init__(MODULE, *component_shell(component).widths, Elaboration(component))
        self._signature = component.signature

    def stream(self, name: str) -> Stream:
        """Stream that is a member of the component."""
        valid, ready, payload = (
            self.port(f"{name}_{one}") for one in ("valid", "ready", "payload")
        )
        shape = self._signature.members[name].signature.members["payload"].shape
        layout = isinstance(shape, data.Layout)
        return Stream(valid, ready, data.View(shape, payload) if layout else payload)

    def inner(self, path: str, layout: data.StructLayout) -> View:
        """Wire inside that has fields."""
        return data.View(layout, self.inside(path, layout.size))

    def claim_stream(self, name: str) -> None:
        """Claim that a stream keeps what it offers."""
        stream = self.stream(name)
        self.claim_held(stream.valid, stream.ready, Value.cast(stream.payload), name)

    def assume_stream(self, name: str) -> None:
        """Consider only producers that keep what they offer."""
        with self.assuming():
            self.claim_stream(name)


class ComponentProofs(NamedTuple):
    """Component with its proofs.

    Members
    -------
    make : callable
        Makes the component.
    harness : callable
        Makes its harness.
    properties : sequence of Property
        What is proven of it, lemmas first.
    """

    make: Callable[[], Interface]
    harness: Callable[[], ComponentHarness]
    properties: Sequence[Property]

    def prove(self, verilog: str | None = None) -> Iterator[Result]:
        """Prove all properties, of this Verilog in place of the component's own if given."""
        text = component_verilog(self.make) if verilog is None else verilog
        return prove(MODULE, text, self.harness, self.properties)
