"""What mutants are compared with: the module as it was generated, and what is known of it."""

from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar

from .gates import TRUE, Gates
from .invariants import Clause, Cnf, over
from .netlist import Netlist


class Original:
    """What the mutants of a netlist are compared with: without a mutant, its invariants hold.

    `of` has the original's register for each register of the netlist.
    """

    instance: ClassVar[str] = ""
    """What the names of the module's wires begin with."""

    def __init__(self, netlist: Netlist, invariants: Sequence[Clause] = ()) -> None:
        self.netlist = netlist
        self.ports = {port: len(bits) for port, bits in netlist.inputs.items()}
        self.invariants = invariants
        self.of: list[int | None] = list(range(len(netlist.registers)))

    @cached_property
    def cycle(self) -> "AnyCycle":
        """Any cycle after the reset, in the graph in which mutants are compared with it."""
        return AnyCycle(self, is_reset=False)

    @cached_property
    def reset(self) -> "AnyCycle":
        """The first cycle, a reset."""
        return AnyCycle(self, is_reset=True)

    @cached_property
    def guards(self) -> list[list[int]]:
        """For each register, those of the original that may say whether its value matters.

        They are the one-bit registers of the same part of the module, and the monitors that watch
        the register, each with both of its values, written as in a `Clause`.
        """
        bits = {name for names in self.netlist.names for name in names}
        single = [
            {name for name in names if name.endswith("[0]") and f"{name[:-3]}[1]" not in bits}
            for names in self.netlist.names
        ]
        parts = {
            part for names in self.netlist.names for name in names if (part := self._part(name))
        }
        found: dict[str, set[int]] = {part: set() for part in parts}
        for register, names in enumerate(single):
            for part in parts:
                # The name of a monitor contains the name of the register that it watches.
                watched = f"_{part.partition('_')[2]}_"
                if any(self._part(name) == part or watched in name for name in names):
                    found[part] |= {register + 1, -register - 1}
        partners = [set() if p is None else self.netlist.names[p] for p in self.of]
        return [
            sorted({guard for name in names for guard in found.get(self._part(name), ())})
            for names in partners
        ]

    def _part(self, name: str) -> str:
        """Part of the module that has the wire: ``input_local_vc0``, or ``.`` for its own wires.

        A monitor is in no part. Yosys's names of registers that mutants cut off are one.
        """
        if not name.startswith(self.instance):
            return ""
        first, dot, _ = name.removeprefix(self.instance).partition(".")
        return first if dot else "."


class OriginalWithFacts(Original):
    """Original with proven properties, in a netlist of its own: names match the registers.

    In `plain`, the module without mutants, every wire has its name; `known` has what proofs say,
    too.
    """

    instance: ClassVar[str] = "router."

    def __init__(self, netlist: Netlist, plain: Netlist, known: Netlist) -> None:
        super().__init__(known)
        place = {
            name.removeprefix(self.instance): register
            for register, names in enumerate(known.names)
            for name in names
            if not name.startswith("$")  # a name that one run of Yosys made up
        }
        alike = {name: names for names in plain.names for name in names}

        def partner(names: set[str]) -> int | None:
            return next((place[name] for name in sorted(names) if name in place), None)

        # If a mutant cuts a register off from its wire, the cell's name remains.
        self.of = []
        for names in netlist.names:
            found = partner(names)
            others = set().union(*(alike.get(name, ()) for name in names))
            self.of.append(partner(others) if found is None else found)


class AnyCycle:
    """The original in one cycle; all mutants are compared with it in one graph, by one solver.

    The cycle is a reset at power-on, or one in which all that is known holds. `ports` are literals
    of the inputs; in `idle_ports` the payload of a link that is not valid has any value. `first`
    are the literals of the registers before the cycle, `one` those after it.
    """

    def __init__(self, original: Original, *, is_reset: bool) -> None:
        self.gates = gates = Gates()
        theirs = original.netlist
        self.ports = {port: [gates.free() for _ in range(n)] for port, n in original.ports.items()}
        if is_reset:
            self.ports["rst"] = [TRUE]
            self.first = theirs.before_reset(gates)
        else:
            self.first = [gates.free() for _ in theirs.registers]
        self.idle_ports = dict(self.ports)
        for port, bits in self.ports.items():
            valid = valid_port(port)
            if valid in self.ports:
                busy = gates.any(self.ports[valid])
                self.idle_ports[port] = [gates.choice(busy, bit, gates.free()) for bit in bits]
        self.one = theirs.evaluate(gates, by_bit(theirs, self.ports), self.first)
        self.cnf = Cnf(gates)
        known = [[fact] for fact in self.one.facts]
        known += [over(clause, self.first) for clause in original.invariants]
        if not is_reset:
            for literals in known:
                self.cnf.solver.add_clause([self.cnf.literal(part) for part in literals])


def valid_port(port: str) -> str:
    """Valid of the link that a port is the payload of: ``dim0_o_valid`` of ``dim0_o_flit``."""
    link, _, name = port.rpartition("_")
    return f"{link}_valid" if name in {"flit", "packet"} else ""


def by_bit(netlist: Netlist, ports: dict[str, list[int]]) -> dict[int, int]:
    """Literal of each bit of a netlist's inputs."""
    return {
        bit: literal
        for port, bits in netlist.inputs.items()
        for bit, literal in zip(bits, ports[port], strict=True)
    }
