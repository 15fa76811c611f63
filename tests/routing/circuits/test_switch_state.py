"""States of switches, against section 7.4 of the specification."""

import numpy as np
from knotwork.routing.circuits import initial_state, scan_starts, stepped


def test_seeds_and_steps():
    assert initial_state(1, np.arange(2)).tolist() == [0x96A0F96B, 0x12BC8390]
    assert stepped(1) == 0x00042021


def test_states_of_level_0_in_the_first_network_cycle():
    expected = [0xB836680D, 0xDB169C17, 0xC27554DD, 0xEB79AEAF]
    assert stepped(initial_state(1, np.arange(4))).tolist() == expected


def test_a_scan_starts_at_its_share_of_a_byte():
    """Section 7.3: (x[7:0] d) >> 8, (x[15:8] u) >> 8 and (x[23:16] u) >> 8."""
    assert scan_starts(0xFF_80_40, 4, 2) == (1, 1, 1)
    assert scan_starts(0x7F_7F_FF, 4, 2) == (3, 0, 0)
