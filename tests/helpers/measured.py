"""Lines that a board must tell of windows that it measures: from the golden model."""

import numpy as np
from knotwork_boards.measuring import (
    LINE_WORDS,
    Observed,
    draw_packets,
    expected_measures,
    stamp_width,
)
from knotwork_sim.model.run import run_log
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.packets import packet_table


def expected_words(network, settings, *, dropped=0):
    """Words of the line, but the window's number, by name."""
    drawn = draw_packets(network.topology, settings)
    packets = packet_table(
        network,
        source=drawn.source,
        destination=drawn.destination,
        length=np.full(len(drawn.source), settings.length),
        time=drawn.time,
        seed=0,
    )
    run = run_log(network, Traffic(), packets)
    packet = run.copies.origin[run.log.packet]
    ended = np.full(len(packets), -1)
    last = run.log.beat == settings.length - 1
    ended[packet[last]] = run.log.clock[last]
    assert (ended >= 0).all()
    stamp = stamp_width(network.hardware.data_width, network.topology.address_width)
    observed = Observed(entered=run.injected, flit_cycle=run.log.clock, ended=ended)
    measures = expected_measures(drawn, settings, observed, stamp=stamp, dropped=dropped)
    nothing = dict.fromkeys(("lost", "duplicated", "corrupted", "misrouted", "refused"), 0)
    counts = {"sent": len(drawn.time), "received": len(drawn.time), **nothing}
    return settings.reported | counts | measures


def measured_line(network, window, settings, *, dropped=0):
    """Whole line of a window that passed."""
    words = {"window": window} | expected_words(network, settings, dropped=dropped)
    line = " ".join(f"{name}={words[name]}" for name in LINE_WORDS)
    return f"{network.name} {line} PASS\r\n"
