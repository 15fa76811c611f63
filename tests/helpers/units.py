"""Packets of units as beats of any width, computed apart from the gateware."""

from typing import NamedTuple

from hypothesis import strategies as st
from knotwork_soc import Payload


class Case(NamedTuple):
    """A node's width, its plane's payload, packets as units, pauses, and a seed."""

    width: int
    payload: Payload
    packets: list
    bubble: float
    stall: float
    seed: int


@st.composite
def cases(draw):
    """Widths that fit, with and without keep and user, and packets of whole beats without keep."""
    keep = draw(st.booleans())
    flit = draw(st.sampled_from([8, 16, 24, 32]))
    ratio = draw(st.integers(1, 4))
    wide = draw(st.booleans())
    width = flit * ratio if wide or flit % (8 * ratio) else flit // ratio
    others = draw(st.sampled_from([[], [8], [flit * 2]]))
    user = draw(st.sampled_from([0, 3]))
    payload = Payload.of(flit, [width, *others], keep=keep, user_width=user)
    per_beat = width // payload.unit
    counts = draw(st.lists(st.integers(0 if keep else 1, 9), min_size=1, max_size=5))
    value = st.integers(0, (1 << payload.unit) - 1)
    packets = [
        draw(
            st.lists(
                value,
                min_size=count if keep else count * per_beat,
                max_size=count if keep else count * per_beat,
            )
        )
        for count in counts
    ]
    pauses = st.sampled_from([0.0, 0.3, 0.7])
    return Case(width, payload, packets, draw(pauses), draw(pauses), draw(st.integers(0, 99)))


def beats(units, width, unit):
    """Data, number of units absent and last mark of each beat of a packet."""
    size = width // unit
    rows = [units[low : low + size] for low in range(0, len(units), size)] or [[]]
    return [
        (
            sum(one << place * unit for place, one in enumerate(row)),
            size - len(row),
            int(number == len(rows) - 1),
        )
        for number, row in enumerate(rows)
    ]


def node_beats(units, width, payload, *, user=0, **header):
    """Beats of a node, as dictionaries of fields."""
    found = []
    for data, absent, last in beats(units, width, payload.unit):
        beat = {"data": data, "last": last, **header}
        if payload.keep:
            beat["keep"] = (1 << width // 8 - absent) - 1
        if payload.user_width:
            beat["user"] = user
        found.append(beat)
    return found


def plane_beats(units, payload, *, user=0, **header):
    """Beats of a plane: data below, then the units absent, then the user's bits."""
    found = []
    for data, absent, last in beats(units, payload.data_width, payload.unit):
        word = data | absent << payload.data_width
        if payload.user_width:
            word |= user << payload.data_width + payload.absent_width
        found.append({"data": word, "last": last, **header})
    return found
