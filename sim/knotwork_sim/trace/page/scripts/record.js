// What was recorded: visits of packets to channels, and the packets, as columns of numbers.

const VISIT = ["packet", "lane", "ready", "head", "tail", "flits", "before"];
const PACKET = ["origin", "source", "destination", "length", "offered", "injected", "ejected"];

/** Columns by their names, of rows of int32 that the page holds packed. */
async function columnsOf(letters, names) {
  const bytes = await unpacked(letters);
  const numbers = new Int32Array(bytes.buffer, 0, bytes.length / 4);
  const count = numbers.length / names.length;
  const columns = names.map((name, row) => [name, numbers.subarray(row * count, (row + 1) * count)]);
  return { count, ...Object.fromEntries(columns) };
}

class TraceRecord {
  static async of(data) {
    const made = new TraceRecord();
    made.channels = data.channels.map(([name, router, port, to]) => ({ name, router, port, to }));
    made.visits = await columnsOf(data.visits, VISIT);
    made.packets = await columnsOf(data.packets, PACKET);
    made.cycles = 1 + Math.max(0, ...[made.visits.tail, made.packets.ejected]
      .map((column) => column.reduce((most, one) => Math.max(most, one), 0)));
    made.#index();
    return made;
  }

  #index() {
    const { visits, packets } = this;
    this.byLane = this.channels.map(() => []);
    this.byPacket = Array.from({ length: packets.count }, () => []);
    for (let visit = 0; visit < visits.count; visit += 1) {
      this.byLane[visits.lane[visit]].push(visit);
      this.byPacket[visits.packet[visit]].push(visit);
    }
    const byHead = (one, other) => visits.head[one] - visits.head[other];
    for (const lane of this.byLane) lane.sort(byHead);
  }

  /** Name of a packet: its number, and of which it is a copy. */
  name(packet) {
    const { origin, source, destination } = this.packets;
    const copy = origin[packet] === packet ? "" : ` (copy of ${origin[packet]})`;
    return `packet ${packet}${copy}: ${source[packet]} to ${destination[packet] < 0 ? "all"
      : destination[packet]}`;
  }

  /** Flits per cycle on each channel in the cycles from `begin` to before `end`. */
  loads(begin, end) {
    const { visits } = this;
    return this.byLane.map((lane) => {
      let flits = 0;
      for (const visit of lane) {
        const [head, tail] = [visits.head[visit], visits.tail[visit]];
        const inside = Math.min(end, tail + 1) - Math.max(begin, head);
        if (inside > 0) flits += (visits.flits[visit] * inside) / (tail + 1 - head);
      }
      return flits / Math.max(1, end - begin);
    });
  }
}
