"""Blocks of bufferless routers: that every input leads to every output."""

import pytest
from knotwork.routing.exchanges import exchanges


def place_after(rounds, wire, output):
    """Wire on which a packet ends that wins every block."""
    for blocks in rounds:
        for block in blocks:
            if wire in block.wires:
                for end, side in zip(block.wires, block.sides, strict=True):
                    wire = end if output in side else wire
    return wire


@pytest.mark.parametrize("count", range(34))
def test_every_input_leads_to_every_output_in_as_few_rounds_as_there_can_be(count):
    """As many as gossip takes: a wire has reached twice as many after a round, at most.

    An odd wire out sits out the first round, and so takes another one.
    """
    rounds = exchanges(count)
    for wire in range(count):
        for output in range(count):
            assert place_after(rounds, wire, output) == output  # of a packet that always wins
    for blocks in rounds:
        wires = [wire for block in blocks for wire in block.wires]
        assert len(set(wires)) == len(wires)  # the blocks of a round share none
        assert set(wires) <= set(range(count))
    fewest = max(count - 1, 0).bit_length()
    odd = count > 1 and count % 2
    assert len([blocks for blocks in rounds if blocks]) == fewest + odd
