"""Faults that a scoreboard finds, and differences from the golden model, as mismatches in words."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ..model.record import TakenBeat
from .exact_cycles import ExactCycles
from .expected import Expected
from .mismatch import Mismatch, detour_text, listed, make_mismatch, packet_text
from .network_facts import NetworkFacts, SentPacket


class Arrival(NamedTuple):
    """Packet that a node took.

    Members
    -------
    node : int
        Node.
    tid : int
        Source's address that came with it.
    contents : bytes
        Its data.
    user : int
        Its `tuser`.
    cycle : int or None
        Cycle of its last beat.
    """

    node: int
    tid: int
    contents: bytes
    user: int
    cycle: int | None


def source_text(facts: NetworkFacts, tid: int) -> str:
    """Source that came with a beat."""
    if not facts.has_source:
        return "no source"
    node = facts.node_at.get(tid)
    return f"{tid:#x}, which is no node's address" if node is None else facts.label(node)


def marks(arrival: Arrival) -> list[tuple[str, str]]:
    """Flags or number that came with a packet, if any."""
    return [("came with", f"tuser {arrival.user:#x}")] if arrival.user else []


def misrouted(expected: Expected, arrival: Arrival, numbers: Sequence[int]) -> Mismatch:
    """Packet at a node that it must not reach."""
    facts, packet = expected.facts, expected.packets[numbers[0]]
    here, near = facts.label(arrival.node), detour_text(facts, packet, arrival.node)
    aside = f", {near}" if near else ""
    return make_mismatch(
        facts,
        "misrouted",
        f"packet {packet.number} must not reach {here}",
        packet=packet,
        node=arrival.node,
        cycle=arrival.cycle,
        details=[
            ("should be", f"at {listed(facts.label(node) for node in packet.nodes)}"),
            ("is", f"at {here}{aside}"),
            *marks(arrival),
        ],
    )


def duplicated(expected: Expected, arrival: Arrival, numbers: Sequence[int]) -> Mismatch:
    """Packet that had reached its node before."""
    facts, packet = expected.facts, expected.packets[numbers[-1]]
    return make_mismatch(
        facts,
        "duplicated",
        f"packet {packet.number} must reach {facts.label(arrival.node)} once, not again",
        packet=packet,
        node=arrival.node,
        cycle=arrival.cycle,
    )


def corrupted(expected: Expected, arrival: Arrival, numbers: Sequence[int]) -> Mismatch:
    """Packet whose data and source are those of none that was sent."""
    del numbers
    facts, here = expected.facts, expected.facts.label(arrival.node)
    where = {"node": arrival.node, "cycle": arrival.cycle}
    same = [each for each in expected.packets if each.contents == arrival.contents]
    if same:
        details = [("came", f"tid {arrival.tid:#x}, that of {source_text(facts, arrival.tid)}")]
        return make_mismatch(
            facts,
            "wrong source",
            f"packet {same[0].number} must come with its source's address",
            packet=same[0],
            details=details,
            **where,
        )
    nearest = _nearest(expected, arrival)
    beats = len(arrival.contents) // facts.beat_bytes
    counted = "1 beat" if beats == 1 else f"{beats} beats"
    came = ("came", f"{counted} of {source_text(facts, arrival.tid)}")
    headline = f"a packet at {here} must have the data of one that was sent"
    if nearest is None:
        return make_mismatch(facts, "corrupted", headline, details=[came], **where)
    details = [came, *marks(arrival), *_differences(facts, nearest, arrival.contents)]
    return make_mismatch(facts, "corrupted", headline, packet=nearest, details=details, **where)


WRONG: dict[str, Callable[[Expected, Arrival, Sequence[int]], Mismatch]] = {
    "misrouted": misrouted,
    "duplicated": duplicated,
    "corrupted": corrupted,
}
"""Function that describes a wrong arrival, by its fate."""


def _nearest(expected: Expected, arrival: Arrival) -> SentPacket | None:
    """Packet that differs least from an arrival, those still due at its node first."""
    due = set(expected.due.left())

    def distance(packet: SentPacket) -> tuple[bool, bool, int, int]:
        bits = sum(
            (one ^ other).bit_count()
            for one, other in zip(packet.contents, arrival.contents, strict=False)
        )
        other_source = expected.facts.codes[packet.source] != arrival.tid
        longer = abs(len(packet.contents) - len(arrival.contents))
        is_due = (packet.number, arrival.node) in due
        return (
            not is_due,
            expected.facts.has_source and other_source,
            bits + 8 * longer,
            packet.number,
        )

    return min(expected.packets, key=distance, default=None)


def _differences(facts: NetworkFacts, packet: SentPacket, contents: bytes) -> list[tuple[str, str]]:
    """First beat that differs from a packet's, and their numbers where these differ."""
    size = facts.beat_bytes
    beats = len(contents) // size
    found = [("nearest", f"packet {packet.number}")]
    if beats != packet.flits:
        found.append(("beats", f"must be {packet.flits}, not {beats}"))
    for beat in range(min(beats, packet.flits)):
        must, is_ = packet.data(beat), int.from_bytes(contents[beat * size :][:size], "little")
        if must != is_:
            wrong = [str(bit) for bit in range(facts.width) if (must ^ is_) >> bit & 1]
            found.append((f"beat {beat}", f"must be {must:#x}, not {is_:#x}"))
            found.append(("wrong bits", listed(wrong)))
            break
    return found


def wrong_user(facts: NetworkFacts, packet: SentPacket, arrival: Arrival) -> Mismatch:
    """Right packet with wrong flags, or a wrong number."""
    return make_mismatch(
        facts,
        "wrong tuser",
        f"packet {packet.number} must have tuser {packet.user}, not {arrival.user}",
        packet=packet,
        node=arrival.node,
        cycle=arrival.cycle,
    )


def overtaken(
    facts: NetworkFacts, packet: SentPacket, before: SentPacket, arrival: Arrival
) -> Mismatch:
    """Packet that came before one that must come first."""
    return make_mismatch(
        facts,
        "overtaken",
        f"{facts.label(arrival.node)} must have packet {before.number} before packet "
        f"{packet.number}",
        packet=packet,
        node=arrival.node,
        cycle=arrival.cycle,
        details=[(f"packet {before.number}", packet_text(facts, before))],
    )


def interleaved(facts: NetworkFacts, beats: Sequence[TakenBeat]) -> Mismatch:
    """Packet whose beats have several sources."""
    last = len(beats) - 1
    return make_mismatch(
        facts,
        "interleaved",
        f"a packet at {facts.label(beats[0].node)} must have one source",
        node=beats[0].node,
        cycle=beats[-1].clock,
        details=[
            ("beat 0", f"of {source_text(facts, beats[0].source)}"),
            (f"beat {last}", f"of {source_text(facts, beats[last].source)}"),
        ],
    )


def endless(facts: NetworkFacts, beats: Sequence[TakenBeat]) -> Mismatch:
    """Packet whose last beat never came."""
    return make_mismatch(
        facts,
        "endless",
        f"a packet at {facts.label(beats[0].node)} must have a last beat, not stop after "
        f"{len(beats)}",
        node=beats[0].node,
        cycle=beats[-1].clock,
        details=[("beats", f"of {source_text(facts, beats[0].source)}")],
    )


def lost(expected: Expected, left: Sequence[tuple[int, int]]) -> Mismatch:
    """Packets that never came; the first of them in full."""
    facts, (number, node) = expected.facts, left[0]
    details = [("should be", f"at {facts.label(node)}"), ("is", "nowhere")]
    if len(left) > 1:
        others = (f"packet {other} to {facts.label(at)}" for other, at in left[1:])
        details.append(("also lost", listed(others)))
    return make_mismatch(
        facts,
        "lost",
        f"packet {number} must reach {facts.label(node)}",
        packet=expected.packets[number],
        node=node,
        details=details,
    )


def wrongly_lost(facts: NetworkFacts, source: int, node: int, cycle: int | None) -> Mismatch:
    """Loss where no packet is missing."""
    headline = f"{facts.label(source)} must have a packet on its way to {facts.label(node)} that "
    return make_mismatch(facts, "wrongly lost", f"{headline}can be lost", node=node, cycle=cycle)


def wrongly_cut(facts: NetworkFacts, arrival: Arrival) -> Mismatch:
    """Beginning of a packet that must not come."""
    beats = len(arrival.contents) // facts.beat_bytes
    return make_mismatch(
        facts,
        "wrongly cut",
        f"{facts.label(arrival.node)} must get the beginning of a packet that is due, "
        f"not others marked as lost",
        node=arrival.node,
        cycle=arrival.cycle,
        details=[("came", f"{beats} beats of {source_text(facts, arrival.tid)}"), *marks(arrival)],
    )


def wrongly_refused(facts: NetworkFacts, node: int, cycle: int | None) -> Mismatch:
    """Refusal where no packet must be refused."""
    headline = f"{facts.label(node)} must refuse no packet that it can send"
    return make_mismatch(facts, "refused", headline, node=node, cycle=cycle)


def not_refused(facts: NetworkFacts, packet: SentPacket, node: int) -> Mismatch:
    """Packet that must be refused and was not."""
    headline = f"{facts.label(node)} must refuse packet {packet.number}"
    return make_mismatch(facts, "not refused", headline, packet=packet, node=node)


def wrong_refusal(
    facts: NetworkFacts, packet: SentPacket, node: int, cycle: int, exact: ExactCycles
) -> Mismatch:
    """Refusal in another cycle than the golden model's."""
    must = exact.next_refusal(node)
    when = "never" if must is None else f"in cycle {must}"
    headline = (
        f"{facts.label(node)} must refuse packet {packet.number} {when}, not in cycle {cycle}"
    )
    return make_mismatch(facts, "wrong cycle", headline, packet=packet, node=node)


def wrong_beat(expected: Expected, beat: TakenBeat, exact: ExactCycles) -> Mismatch:
    """Beat that is not the one that the golden model has at this node and cycle."""
    facts, must = expected.facts, exact.next_at(beat.node)
    here, due = facts.label(beat.node), None
    if must is not None:
        due = _packet_of(expected, exact.packet_of(must))
    golden = "no more beats there" if must is None else _beat_text(facts, must)
    details = [("golden model", golden), ("came", _beat_text(facts, beat))]
    if must is not None and must._replace(clock=beat.clock) == beat:
        headline = f"a beat at {here} must come in cycle {must.clock}, not in cycle {beat.clock}"
        return make_mismatch(
            facts, "wrong cycle", headline, packet=due, node=beat.node, details=details
        )
    packet = _packet_with(expected, beat)
    if packet is not None and beat.node not in packet.nodes:
        arrival = Arrival(beat.node, beat.source, packet.contents, beat.user, beat.clock)
        return misrouted(expected, arrival, [packet.number])
    return make_mismatch(
        facts,
        "wrong beat",
        f"a beat at {here} must be the golden model's",
        packet=due or packet,
        node=beat.node,
        cycle=beat.clock,
        details=details,
    )


def missing_beat(expected: Expected, exact: ExactCycles) -> Mismatch:
    """Beat that the golden model has had, and the network has not."""
    facts, beat = expected.facts, exact.missing()
    assert beat is not None
    return make_mismatch(
        facts,
        "missing",
        f"{facts.label(beat.node)} must take a beat",
        packet=_packet_of(expected, exact.packet_of(beat)),
        node=beat.node,
        cycle=beat.clock,
        details=[("golden model", _beat_text(facts, beat))],
    )


def wrong_injection(
    facts: NetworkFacts, packet: SentPacket, cycle: int, exact: ExactCycles
) -> Mismatch:
    """Packet that enters in another cycle than the golden model's."""
    must = exact.injected[packet.number]
    when = "never" if must < 0 else f"in cycle {must}"
    instead = "and did not" if cycle < 0 else f"not in cycle {cycle}"
    return make_mismatch(
        facts,
        "wrong injection",
        f"packet {packet.number} must enter {when}, {instead}",
        packet=packet,
        node=packet.source,
    )


def wrong_status(facts: NetworkFacts, cycle: int, value: int, exact: ExactCycles) -> Mismatch:
    """Status that is not the golden model's."""
    must = _status_text(exact.status[0]) if exact.status else "stay as it is"
    headline = f"status must {must}, not {_status_text((cycle, value))}"
    return make_mismatch(facts, "wrong status", headline)


def _status_text(change: tuple[int, int]) -> str:
    cycle, value = change
    return f"become {value:#x} in cycle {cycle}"


def missing_event(expected: Expected, exact: ExactCycles) -> Mismatch | None:
    """What of the golden model's the network has not done; its beats have all been judged."""
    facts, refusal = expected.facts, exact.missing_refusal()
    if refusal is not None:
        cycle, node = refusal
        left = expected.refusals[node]
        what = f"packet {left[0].number}" if left else "a packet"
        headline = f"{facts.label(node)} must refuse {what} in cycle {cycle}, and did not"
        return make_mismatch(
            facts, "not refused", headline, packet=left[0] if left else None, node=node
        )
    if exact.status:
        change = _status_text(exact.status[0])
        return make_mismatch(facts, "wrong status", f"status must {change}, and did not")
    return None


def _beat_text(facts: NetworkFacts, beat: TakenBeat) -> str:
    """Beat in one line."""
    last = ", the last beat" if beat.last else ""
    user = f", tuser {beat.user}" if beat.user else ""
    return f"{beat.data:#x} of {source_text(facts, beat.source)}{last}{user}, in cycle {beat.clock}"


def _packet_of(expected: Expected, beats: Sequence[TakenBeat]) -> SentPacket | None:
    """Packet that a node takes in these beats; the earliest that is still due there."""
    facts = expected.facts
    contents = facts.contents([beat.data for beat in beats])
    key = facts.key(facts.node_at.get(beats[0].source), contents)
    numbers = expected.due.fate(key, beats[0].node).packets
    return expected.packets[numbers[0]] if numbers else None


def _packet_with(expected: Expected, beat: TakenBeat) -> SentPacket | None:
    """First packet that has a beat's data, of its source where packets carry it."""
    facts = expected.facts
    for packet in expected.packets:
        own = not facts.has_source or facts.codes[packet.source] == beat.source
        if own and any(packet.data(flit) == beat.data for flit in range(packet.flits)):
            return packet
    return None
