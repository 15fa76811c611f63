import dataclasses

import pytest
from knotwork_boards.bits.chip import MODULE, Chip


def test_a_chip_is_what_its_bits_say_and_does_not_change():
    chip = Chip(sources={}, module=MODULE, ports={"clk": "a"}, clocks_per_bit=2)
    with pytest.raises(dataclasses.FrozenInstanceError):
        chip.module = "other"
