// Two ways to lay a record out: a lane for each channel, or one for each packet.

/** Bars of a lane: from, to (before which it ends), what it is, its packet and its visit. */
const LAYOUTS = {
  channels: {
    title: "Channels",
    name: (record, lane) => record.channels[lane].name,
    count: (record) => record.channels.length,
    bars(record, lane) {
      const { visits } = record;
      return record.byLane[lane].flatMap((visit) => {
        const packet = visits.packet[visit];
        const bars = [{ from: visits.head[visit], to: visits.tail[visit] + 1, kind: "flit", packet, visit }];
        if (visits.ready[visit] < visits.head[visit]) {
          bars.unshift({ from: visits.ready[visit], to: visits.head[visit], kind: "wait", packet, visit });
        }
        return bars;
      });
    },
  },
  packets: {
    title: "Packets",
    name: (record, lane) => record.name(lane),
    count: (record) => record.packets.count,
    bars(record, lane) {
      const { visits, packets } = record;
      const bars = [];
      const [offered, injected] = [packets.offered[lane], packets.injected[lane]];
      if (injected > offered && offered >= 0) {
        bars.push({ from: offered, to: injected, kind: "queued", packet: lane });
      }
      for (const visit of record.byPacket[lane]) {
        const [ready, head, tail] = [visits.ready[visit], visits.head[visit], visits.tail[visit]];
        if (ready < head) bars.push({ from: ready, to: head, kind: "wait", packet: lane, visit });
        bars.push({ from: head, to: tail + 1, kind: "flit", packet: lane, visit });
      }
      return bars;
    },
  },
};

const KINDS = {
  flit: "its flits cross", wait: "its head waits for the channel", queued: "it waits in its node",
};

function keyOfColours() {
  return element("ul", { class: "key" }, Object.entries(KINDS).map(([kind, text]) => (
    element("li", {}, element("span", { style: `background: var(--${kind})` }), text))));
}
