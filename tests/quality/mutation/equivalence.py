"""Proofs that a mutant is equivalent to the original: no input can ever make its outputs differ."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar, NamedTuple, Self

from .invariants import Clause, Cnf, over
from .netlist import FALSE, TRUE, Gates, Netlist


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


class Answer(NamedTuple):
    """Outcome of a proof."""

    equivalent: bool  # whether no input can reveal the mutant
    reason: str  # why, or the output at which it may show


Relations = dict[int, set[int]]
"""When each register of the netlist equals the original's: `ALWAYS`, or while a register of the
original has a value, written as in a `Clause`."""

ALWAYS = 0

LOOSE = 100
"""Released registers beyond which a proof gives up: such a mutant is a fault, and each costs."""


class _Pair:
    """A mutant and the original in one cycle, with the same inputs.

    `relations` say which registers are equal before the cycle; the others have any value, or those
    in `states`. With `idle`, links may carry different payloads while they are not valid.
    """

    def __init__(
        self,
        netlist: Netlist,
        mutant: int,
        original: Original,
        cycle: AnyCycle,
        relations: Relations,
        *,
        states: Sequence[int] | None = None,
        idle: bool = False,
    ) -> None:
        self.gates, self._original, self._cycle, self._idle = cycle.gates, original, cycle, idle
        self.one = cycle.one
        before = list(states or (self.gates.free() for _ in netlist.registers))
        for register, guards in relations.items():
            partner = original.of[register]
            if partner is not None:
                when = self.gates.any(_while(guard, cycle.first) for guard in guards)
                before[register] = self.gates.choice(when, cycle.first[partner], before[register])
        ports = cycle.idle_ports if idle else cycle.ports
        self.other = netlist.evaluate(self.gates, by_bit(netlist, ports), before, mutant)

    @classmethod
    def after_reset(cls, netlist: Netlist, mutant: int, original: Original) -> Self:
        """Both in the first cycle, a reset: only memories may differ before it."""
        cycle = original.reset
        states = netlist.before_reset(cycle.gates)
        same = {r: {ALWAYS} for r in range(len(states)) if r not in netlist.power_on_values}
        return cls(netlist, mutant, original, cycle, same, states=states)

    def may_differ(self, register: int, guard: int = ALWAYS) -> bool:
        """Whether a register can differ from the original's after this cycle."""
        return self._perhaps(self._difference(register, guard))

    def _difference(self, register: int, guard: int) -> int:
        partner = self._original.of[register]
        if partner is None:
            return TRUE
        differs = self.gates.differ(self.one.registers[partner], self.other.registers[register])
        return self.gates.both(_while(guard, self.one.registers), differs)

    def differing_output(self, netlist: Netlist) -> str:
        """Name of an output that may differ; empty if there is none."""
        cycle = self._cycle
        theirs = dict(_by_name(self._original.netlist.outputs, self.one.outputs))
        given = [bit for bits in cycle.ports.values() for bit in bits]
        values = dict(_by_name(cycle.ports, given)) | theirs
        running = cycle.ports["rst"][0] ^ 1
        for name, literal in _by_name(netlist.outputs, self.other.outputs):
            differs = self.gates.both(running, self.gates.differ(theirs[name], literal))
            port = name.partition("[")[0]
            valid = valid_port(port) if self._idle else ""
            valid = valid or f"{port.rpartition('_t')[0]}_tvalid"
            if port != valid and f"{valid}[0]" in values:
                bits = [bit for key, bit in values.items() if key.partition("[")[0] == valid]
                differs = self.gates.both(self.gates.any(bits), differs)
            if self._perhaps(differs):
                return name
        return ""

    def _perhaps(self, literal: int) -> bool:
        return literal != FALSE and self._cycle.cnf.perhaps([self._cycle.cnf.literal(literal)])


def _while(guard: int, registers: Sequence[int]) -> int:
    return TRUE if guard == ALWAYS else over((guard,), registers)[0]


def _by_name(
    ports: Mapping[str, Sequence[object]], literals: Sequence[int]
) -> Iterator[tuple[str, int]]:
    places = (f"{port}[{place}]" for port, bits in ports.items() for place in range(len(bits)))
    return zip(places, literals, strict=True)


def prove(netlist: Netlist, mutant: int, original: Original) -> Answer:
    """Try to prove that a mutant's outputs always equal those of the original.

    The second attempt lets links carry different payloads while they are not valid, provided that
    no output depends on them: two such mutants may then be neighbours.
    """
    answer = _try(netlist, mutant, original, idle=False)
    has_links = any(valid_port(port) in netlist.inputs for port in netlist.inputs)
    if answer.equivalent or not has_links:
        return answer
    other = _try(netlist, mutant, original, idle=True)
    return other if other.equivalent else answer


def _try(netlist: Netlist, mutant: int, original: Original, *, idle: bool) -> Answer:
    reset = _Pair.after_reset(netlist, mutant, original)
    cycle = original.cycle

    def weaker(register: int) -> set[int]:
        """Guards under which a register that may differ is equal after the reset."""
        return {g for g in original.guards[register] if not reset.may_differ(register, g)}

    relations = {
        register: weaker(register) if reset.may_differ(register) else {ALWAYS}
        for register in range(len(netlist.registers))
    }
    while True:
        pair = _Pair(netlist, mutant, original, cycle, relations, idle=idle)
        if output := pair.differing_output(netlist):
            return Answer(False, f"may show at {output}")
        wrong = [
            (register, guard)
            for register, guards in relations.items()
            for guard in guards
            if pair.may_differ(register, guard)
        ]
        if not wrong:
            break
        for register, guard in wrong:
            relations[register].discard(guard)
            if guard == ALWAYS:
                relations[register] |= weaker(register)
        if sum(ALWAYS not in guards for guards in relations.values()) > LOOSE:
            return Answer(False, f"may show: more than {LOOSE} registers may differ")
    loose = [netlist.name(r) for r, guards in relations.items() if ALWAYS not in guards]
    if not loose:
        why = "no register and no output depends on it"
    else:
        why = f"no output depends on what differs: {', '.join(loose[:3])}"
        why += f" and {len(loose) - 3} more" if len(loose) > 3 else ""
    return Answer(True, why + (" (by invariants)" if original.invariants else ""))
