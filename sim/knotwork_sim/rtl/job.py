"""Job of a cocotb run: all that the testbench in the simulator must know."""

from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..model.record import Record
from ..scoreboard.network_facts import NetworkFacts
from ..traffic.keys import Traffic
from ..traffic.packets import Packets
from ..traffic.replies import Receiver

JOB_VARIABLE = "KNOTWORK_JOB"
"""Environment variable that names the pickled `Job`."""

MARGIN = 64
"""Cycles run after the last delivery, to see beats that should not come."""


class BrokenRun(NamedTuple):
    """Run that a reset breaks off.

    Members
    -------
    traffic, packets
        As of `run_rtl`.
    golden : Record or None
        What the golden model has seen of it; None where cycles are not judged.
    cycles : int
        Cycles until the reset.
    """

    traffic: Traffic
    packets: Packets
    golden: Record | None
    cycles: int


@dataclass(frozen=True)
class Job:
    """One run: what to drive, and where to write the pickled `Record` and the progress.

    Members
    -------
    addresses : ndarray
        Address that the source gives with each packet, int64.
    address_width, data_width : int
        Bits of an address and of a beat's data.
    user_width : int
        Bits that a source gives beside the destination; 0 for none.
    flag_width : int
        Bits of the flags, or of the sequence number, of a delivered beat; 0 for none.
    buddy_width : int
        Bits of a buddy in the network's jump table; 0 if it has no table.
    patience : int
        Cycles without a movement after which the run is given up as stuck.
    receiver : Receiver
        What finds the requests to reply to.
    has_source : bool
        Whether a delivered beat carries its source's address.
    facts : NetworkFacts or None
        What the scoreboard must know of the network; None where nothing is judged.
    golden : Record or None
        What the golden model has seen; None where no cycles are judged.
    until : int or None
        Cycle before which the run is broken off; what is missing then is not judged.
    before : Job or None
        Run before this one, which a reset of one cycle breaks off.
    """

    addresses: np.ndarray
    address_width: int
    data_width: int
    user_width: int
    flag_width: int
    buddy_width: int
    traffic: Traffic
    packets: Packets
    record: Path
    progress: Path
    patience: int
    receiver: Receiver
    has_source: bool = True
    facts: NetworkFacts | None = None
    golden: Record | None = None
    until: int | None = None
    before: "Job | None" = None
