"""Proofs that a mutant is no fault: no input can ever make its outputs differ.

Mutant and original are reset in any one state, but that memories have what the Verilog gives them,
and get the same inputs. Registers are assumed equal in a clock and shown to be equal in the next;
those where that fails are let go, each copy with a value of its own. If the outputs are equal
whatever these are, they are equal for ever. Outputs are looked at when there is no reset, and those
of a node's streams while these are valid.

References
----------
C. A. J. van Eijk, "Sequential equivalence checking based on structural similarities", IEEE Trans.
CAD 19(7), 2000.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Self

from .gates import FALSE, TRUE, Circuit, Gates
from .invariants import Clause, Cnf, over


class Answer(NamedTuple):
    """Outcome of a proof.

    Members
    -------
    equivalent : bool
        Whether no input can show the mutant.
    reason : str
        Why, or where it may be seen.
    """

    equivalent: bool
    reason: str


class Original:
    """What mutants of a circuit are compared with.

    Parameters
    ----------
    circuit : Circuit
        Circuit with the mutants.
    invariants : sequence of Clause
        What holds of its registers in every clock without a mutant.

    Members
    -------
    of : list of int or None
        The original's register for each of the circuit's.
    guards : list of list of int
        For each, registers of the original's that may say whether anybody looks at it, with their
        values: those of one bit in the same part of the module, or that watch it; as in a `Clause`.
    """

    def __init__(self, circuit: Circuit, invariants: Sequence[Clause] = ()) -> None:
        self.circuit = circuit
        self.ports = {port: len(bits) for port, bits in circuit.inputs.items()}
        self.invariants = invariants
        self.of: list[int | None] = list(range(len(circuit.registers)))

    @cached_property
    def clock(self) -> "_Clock":
        """Any clock, in the graph in which mutants are compared with it."""
        return _Clock(self, is_reset=False)

    @cached_property
    def reset(self) -> "_Clock":
        """The first clock."""
        return _Clock(self, is_reset=True)

    @cached_property
    def guards(self) -> list[list[int]]:  # noqa: D102
        bits = {name for names in self.circuit.names for name in names}
        single = [
            {name for name in names if name.endswith("[0]") and f"{name[:-3]}[1]" not in bits}
            for names in self.circuit.names
        ]
        parts = {part for names in self.circuit.names for name in names if (part := _part(name))}
        found: dict[str, set[int]] = {part: set() for part in parts}
        for register, names in enumerate(single):
            for part in parts:
                # A monitor beside the module has the name of what it watches in its own.
                watched = f"_{part.rpartition('.')[2].partition('_')[2]}_"
                if any(_part(name) == part or watched in name for name in names):
                    found[part] |= {register + 1, -register - 1}
        partners = [set() if p is None else self.circuit.names[p] for p in self.of]
        return [
            sorted({guard for name in names for guard in found.get(_part(name), ())})
            for names in partners
        ]


def _part(name: str) -> str:
    """Part of a module that a wire is in: ``core.input_local_vc0``; empty at the top."""
    parts = name.removeprefix("router.").split(".")
    return ".".join(parts[: min(2, len(parts) - 1)])


class KnownOriginal(Original):
    """The same of which more is known, from gates of its own: its registers are found by names.

    Parameters
    ----------
    circuit : Circuit
        Circuit with the mutants.
    plain : Circuit
        The same without, in which each wire has its name.
    known : Circuit
        The module with what is known of it.
    """

    def __init__(self, circuit: Circuit, plain: Circuit, known: Circuit) -> None:
        super().__init__(known)
        place = {
            name.removeprefix("router."): register
            for register, names in enumerate(known.names)
            for name in names
            if not name.startswith("$")  # another run's own names
        }
        alike = {name: names for names in plain.names for name in names}

        def partner(names: set[str]) -> int | None:
            return next((place[name] for name in sorted(names) if name in place), None)

        # A register that a mutant cuts off from its wire still has its cell's name.
        self.of = []
        for names in circuit.names:
            found = partner(names)
            others = set().union(*(alike.get(name, ()) for name in names))
            self.of.append(partner(others) if found is None else found)


Relations = dict[int, set[int]]
"""For registers of the circuit, when they are as the original's: `ALWAYS`, or while a register of
the original's has a value, by numbers as in a `Clause`."""

ALWAYS = 0

LOOSE = 100
"""Registers that may differ until a proof is given up: by then it is a fault, and each costs."""


class _Clock:
    """The original in one clock: mutants are compared with it in one graph, and by one solver.

    Parameters
    ----------
    is_reset : bool
        Whether it is a reset at power-on; else all that is known holds.

    Members
    -------
    ports : dict
        Literals of the inputs, by port.
    idle_ports : dict
        The same, but where nothing is valid on a link, of any values.
    first : list of int
        Literals of the registers before it.
    """

    def __init__(self, original: Original, *, is_reset: bool) -> None:
        self.gates = gates = Gates()
        theirs = original.circuit
        self.ports = {port: [gates.free() for _ in range(n)] for port, n in original.ports.items()}
        if is_reset:
            self.ports["rst"] = [TRUE]
            self.first = theirs.before_reset(gates)
        else:
            self.first = [gates.free() for _ in theirs.registers]
        self.idle_ports = dict(self.ports)
        for port, bits in self.ports.items():
            valid = _valid_of(port)
            if valid in self.ports:
                busy = gates.any(self.ports[valid])
                self.idle_ports[port] = [gates.choice(busy, bit, gates.free()) for bit in bits]
        self.one = theirs.evaluate(gates, _by_bit(theirs, self.ports), self.first)
        self.cnf = Cnf(gates)
        known = [[fact] for fact in self.one.facts]
        known += [over(clause, self.first) for clause in original.invariants]
        if not is_reset:
            for literals in known:
                self.cnf.solver.add_clause([self.cnf.literal(part) for part in literals])


class _Pair:
    """A mutant and the original in one clock, with the same inputs.

    Parameters
    ----------
    clock : _Clock
        The original.
    relations : Relations
        What is so before it; other registers have any value.
    states : list of int, optional
        These values: literals.
    idle : bool
        Whether links may differ in what they carry while nothing on them is valid.
    """

    def __init__(
        self,
        circuit: Circuit,
        mutant: int,
        original: Original,
        clock: _Clock,
        relations: Relations,
        *,
        states: Sequence[int] | None = None,
        idle: bool = False,
    ) -> None:
        self.gates, self._original, self._clock, self._idle = clock.gates, original, clock, idle
        self.one = clock.one
        before = list(states or (self.gates.free() for _ in circuit.registers))
        for register, guards in relations.items():
            partner = original.of[register]
            if partner is not None:
                when = self.gates.any(_while(guard, clock.first) for guard in guards)
                before[register] = self.gates.choice(when, clock.first[partner], before[register])
        ports = clock.idle_ports if idle else clock.ports
        self.other = circuit.evaluate(self.gates, _by_bit(circuit, ports), before, mutant)

    @classmethod
    def after_reset(cls, circuit: Circuit, mutant: int, original: Original) -> Self:
        """Both in the first clock, a reset: all is the same before it but what memories have."""
        clock = original.reset
        states = circuit.before_reset(clock.gates)
        same = {r: {ALWAYS} for r in range(len(states)) if r not in circuit.kept}
        return cls(circuit, mutant, original, clock, same, states=states)

    def may_differ(self, register: int, guard: int = ALWAYS) -> bool:
        """Whether a register can be another than the original's after this clock."""
        return self._satisfiable(self._difference(register, guard))

    def _difference(self, register: int, guard: int) -> int:
        partner = self._original.of[register]
        if partner is None:
            return TRUE
        differs = self.gates.differ(self.one.registers[partner], self.other.registers[register])
        return self.gates.both(_while(guard, self.one.registers), differs)

    def seen(self, circuit: Circuit) -> str:
        """An output that may differ; empty where there is none."""
        clock = self._clock
        theirs = dict(_by_name(self._original.circuit.outputs, self.one.outputs))
        given = [bit for bits in clock.ports.values() for bit in bits]
        values = dict(_by_name(clock.ports, given)) | theirs
        running = clock.ports["rst"][0] ^ 1
        for name, literal in _by_name(circuit.outputs, self.other.outputs):
            differs = self.gates.both(running, self.gates.differ(theirs[name], literal))
            port = name.partition("[")[0]
            valid = _valid_of(port) if self._idle else ""
            valid = valid or f"{port.rpartition('_t')[0]}_tvalid"
            if port != valid and f"{valid}[0]" in values:
                bits = [bit for key, bit in values.items() if key.partition("[")[0] == valid]
                differs = self.gates.both(self.gates.any(bits), differs)
            if self._satisfiable(differs):
                return name
        return ""

    def _satisfiable(self, literal: int) -> bool:
        return literal != FALSE and self._clock.cnf.satisfiable([self._clock.cnf.literal(literal)])


def _valid_of(port: str) -> str:
    """Port that says whether anything is on a link: ``dim0_o_valid`` of ``dim0_o_flit``."""
    link, _, name = port.rpartition("_")
    return f"{link}_valid" if name in {"flit", "packet"} else ""


def _while(guard: int, registers: Sequence[int]) -> int:
    return TRUE if guard == ALWAYS else over((guard,), registers)[0]


def _by_bit(circuit: Circuit, ports: dict[str, list[int]]) -> dict[int, int]:
    return {
        bit: literal
        for port, bits in circuit.inputs.items()
        for bit, literal in zip(bits, ports[port], strict=True)
    }


def _by_name(
    ports: Mapping[str, Sequence[object]], literals: Sequence[int]
) -> Iterator[tuple[str, int]]:
    places = (f"{port}[{place}]" for port, bits in ports.items() for place in range(len(bits)))
    return zip(places, literals, strict=True)


def prove(circuit: Circuit, mutant: int, original: Original) -> Answer:
    """Try to prove that a mutant's outputs are always those of the original.

    First as the module is, then with links that may differ while nothing on them is valid, as long
    as all that their other ends show is the same for it: so two such routers may be neighbours.

    Parameters
    ----------
    mutant : int
        Its number.
    original : Original
        Made of the circuit.
    """
    answer = _try(circuit, mutant, original, idle=False)
    has_links = any(_valid_of(port) in circuit.inputs for port in circuit.inputs)
    if answer.equivalent or not has_links:
        return answer
    other = _try(circuit, mutant, original, idle=True)
    return other if other.equivalent else answer


def _try(circuit: Circuit, mutant: int, original: Original, *, idle: bool) -> Answer:
    reset = _Pair.after_reset(circuit, mutant, original)
    clock = original.clock

    def weaker(register: int) -> set[int]:
        """When a register that is not always as the original's may be so, since the reset."""
        return {g for g in original.guards[register] if not reset.may_differ(register, g)}

    relations = {
        register: weaker(register) if reset.may_differ(register) else {ALWAYS}
        for register in range(len(circuit.registers))
    }
    while True:
        pair = _Pair(circuit, mutant, original, clock, relations, idle=idle)
        if output := pair.seen(circuit):
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
    loose = [circuit.name(r) for r, guards in relations.items() if ALWAYS not in guards]
    if not loose:
        why = "no register and no output depends on it"
    else:
        why = f"no output depends on what differs: {', '.join(loose[:3])}"
        why += f" and {len(loose) - 3} more" if len(loose) > 3 else ""
    return Answer(True, why + (" (by invariants)" if original.invariants else ""))
