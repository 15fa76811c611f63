// One packet: its way as a table, which adds up to its latency, and lit on the drawing.

class PacketPanel {
  /** `chosen(packet)` is called for the packet that is asked for. */
  constructor(record, graph, chosen) {
    Object.assign(this, { record, graph, chosen });
    const last = record.packets.count - 1;
    this.field = element("input", { type: "text", inputmode: "numeric", "aria-label": "packet",
      change: () => this.#asked(), size: 7 });
    this.answer = element("div", { class: "answer", "aria-live": "polite" });
    const turn = (step) => () => chosen(Math.min(last, Math.max(0, this.packet + step)));
    this.packet = -1;
    this.element = element("div", {}, element("h3", {}, "A packet's way"),
      element("div", { class: "row" }, element("label", {}, "packet ", this.field),
        element("button", { type: "button", "aria-label": "Packet before", click: turn(-1) }, "‹"),
        element("button", { type: "button", "aria-label": "Next packet", click: turn(1) }, "›")),
      this.answer);
    this.show(-1);
  }

  #asked() {
    const text = this.field.value.trim();
    if (text === "") return this.chosen(-1);
    const { count } = this.record.packets;
    if (/^[0-9]+$/.test(text) && Number(text) < count) return this.chosen(Number(text));
    this.answer.replaceChildren(reason(`packet must be an integer in 0..${count - 1}, not '${text}'`));
    return undefined;
  }

  show(packet) {
    this.packet = packet;
    this.field.value = packet < 0 ? "" : String(packet);
    if (packet < 0) {
      this.answer.replaceChildren(element("p", { class: "hint" },
        "Choose a packet: click a bar of the timeline, or write its number."));
      return;
    }
    const { record } = this;
    const block = tableBlock({ title: record.name(packet), columns: ["cycle", "what", "waited"],
      rows: this.#rows(packet) });
    this.answer.replaceChildren(block, element("p", { class: "sum" }, this.#sum(packet)));
  }

  #rows(packet) {
    const { packets, visits, byPacket, channels } = this.record;
    const rows = [[String(packets.offered[packet]), "offered", "-"]];
    if (packets.injected[packet] >= 0) {
      const waited = packets.injected[packet] - packets.offered[packet];
      rows.push([String(packets.injected[packet]), "taken by the network", String(waited)]);
    }
    for (const visit of byPacket[packet]) {
      rows.push([String(visits.head[visit]), channels[visits.lane[visit]].name,
        String(visits.head[visit] - visits.ready[visit])]);
    }
    if (packets.ejected[packet] >= 0) rows.push([String(packets.ejected[packet]), "last flit ejected", "-"]);
    return rows;
  }

  #sum(packet) {
    const { packets, visits, byPacket } = this.record;
    if (packets.ejected[packet] < 0) return "It was not delivered.";
    if (packets.injected[packet] < 0) return "A node sent this copy on.";
    const all = packets.ejected[packet] - packets.offered[packet];
    const queued = packets.injected[packet] - packets.offered[packet];
    const waited = byPacket[packet].reduce((sum, visit) => sum + visits.head[visit] - visits.ready[visit], 0);
    if (packets.destination[packet] < 0) return `Latency ${all} cycles, to the last of its nodes.`;
    return `Latency ${all} cycles: ${queued} in its node, ${waited} in front of channels, `
      + `${all - queued - waited} under way.`;
  }

  /** Light the packet's way up on a drawing. */
  light(picture) {
    picture.clear();
    if (this.packet < 0) return;
    const { packets, visits, byPacket, channels } = this.record;
    for (const visit of byPacket[this.packet]) {
      const { router, port } = channels[visits.lane[visit]];
      const step = this.graph.step(router, port);
      if (step) picture.lightStep(step);
    }
    picture.lightBox(this.graph.nodeBox(packets.source[this.packet]), "source");
    if (packets.destination[this.packet] >= 0) {
      picture.lightBox(this.graph.nodeBox(packets.destination[this.packet]), "destination");
    }
  }
}
