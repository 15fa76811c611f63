"""For the self-test: pulses, lines that it must write, and the golden model as its network."""

from collections import deque
from dataclasses import dataclass
from random import Random

import numpy as np
from amaranth.hdl import Module
from amaranth.lib import wiring
from knotwork.gateware import network_signature
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


async def pulse(ctx, signal):
    """Set a signal for a cycle."""
    ctx.set(signal, 1)
    await ctx.tick()
    ctx.set(signal, 0)


GAINED = {"lost": -1, "duplicated": 1, "corrupted": 0, "misrouted": 0, "refused": -1}
"""Packets that arrive more than are sent where a fault of each kind is injected."""


def expected_line(name, window, verdict, *, sent, received, **errors):
    """Line of a window with its line end; counters of errors that are not named are 0."""
    counts = dict.fromkeys(("lost", "duplicated", "corrupted", "misrouted", "refused"), 0) | errors
    words = " ".join(f"{key}={value}" for key, value in counts.items())
    return f"{name} window={window} sent={sent} received={received} {words} {verdict}\r\n"


def expected_lines(name, sent, faults, *, start=0):
    """Lines of windows from `start` on, each with a fault of `GAINED`, or None for a sound one."""
    return [
        expected_line(name, window, "FAIL", sent=sent, received=sent + GAINED[fault], **{fault: 1})
        if fault
        else expected_line(name, window, "PASS", sent=sent, received=sent)
        for window, fault in enumerate(faults, start)
    ]


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


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """Packet on its way to a node."""

    node: int
    source: int
    beats: tuple[int, ...]
    copy: bool = False


class ModelFabric(wiring.Component):
    """Ports of a network; the process `run` moves the packets. Copies go by address = index.

    `tamper` makes of the list of an injected packet's deliveries the list that the network makes.
    A packet arrives 1..latest cycles after its injection, and may overtake others.
    """

    def __init__(self, network, *, tamper=list, latest=1):
        self._network = network
        self._tamper = tamper
        self._latest = latest
        self._dice = Random(1)
        super().__init__(network_signature(network))

    def elaborate(self, platform):
        return Module()

    def _deliveries(self, source, payloads):
        """Deliveries that an injected packet must become; checks multicasts and broadcasts."""
        first = payloads[0]
        beats = tuple(payload.data for payload in payloads)
        if self._network.has_broadcast and first.broadcast:
            assert len(payloads) <= self._network.routing.options.max_packet
            others = (node for node in range(self._network.topology.nodes) if node != source)
            return [Delivery(node=node, source=source, beats=beats, copy=True) for node in others]
        if not self._network.has_multicast or not first.multicast:
            node = self._network.topology.node_at(first.destination)
            return [Delivery(node=node, source=source, beats=beats)]
        routing, count = self._network.routing, first.destination
        chain, beats = beats[:count], beats[count:]
        distances = [node ^ source for node in chain]
        assert 1 <= count <= routing.chain_limit
        assert beats
        assert len(payloads) <= routing.options.max_packet
        assert distances == sorted(set(distances))
        assert 0 not in distances
        assert max(chain) < self._network.topology.nodes  # no bits above the address
        return [Delivery(node=node, source=source, beats=beats, copy=True) for node in chain]

    async def run(self, ctx):
        """Take every injected beat at once; eject one packet after the other at each node."""
        nodes = range(self._network.topology.nodes)
        injected = [[] for _ in nodes]
        on_the_way = [[] for _ in nodes]
        ejected = [deque() for _ in nodes]
        cycle = 0
        for node in nodes:
            ctx.set(self.inject[node].ready, 1)
        while True:
            for node in nodes:
                inject, eject = self.inject[node], self.eject[node]
                if ctx.get(inject.valid):
                    payload = ctx.get(inject.payload)
                    injected[node].append(payload)
                    if payload.last:
                        made = self._tamper(self._deliveries(node, injected[node]))
                        for delivery in made:
                            due = cycle + self._dice.randint(1, self._latest)
                            on_the_way[delivery.node].append((due, delivery))
                        injected[node] = []
                if not ejected[node]:
                    ejected[node].extend(self._next_beats(on_the_way[node], cycle))
                ctx.set(eject.valid, bool(ejected[node]))
                if ejected[node]:
                    has = eject.payload.shape().members  # no source where packets carry none
                    beat = {name: value for name, value in ejected[node][0].items() if name in has}
                    ctx.set(eject.payload, beat)
                    if ctx.get(eject.ready):
                        ejected[node].popleft()
            cycle += 1
            await ctx.tick()

    def _next_beats(self, waiting, cycle):
        """Remove the packet that is due first from those waiting, and return its beats."""
        due = [entry for entry in waiting if entry[0] <= cycle]
        if not due:
            return []
        entry = min(due, key=lambda entry: entry[0])
        waiting.remove(entry)
        _, delivery = entry
        final, source = len(delivery.beats) - 1, self._network.topology.address(delivery.source)
        return [
            {"data": beat, "last": int(place == final), "source": source}
            for place, beat in enumerate(delivery.beats)
        ]


class Once:
    """Tampering with one packet: `change` makes other deliveries of its deliveries.

    It is a packet that `chosen` accepts by its deliveries, multicasts and broadcasts if unnamed,
    and `after` so many others of these have passed.
    """

    def __init__(self, change, *, chosen=lambda deliveries: deliveries[0].copy, after=5):
        self._change = change
        self._chosen = chosen
        self._left = after

    def __call__(self, deliveries):
        if self._chosen(deliveries):
            self._left -= 1
            if self._left == -1:
                return self._change(deliveries)
        return deliveries
