// The page of a trace: facts, the drawing with the heat of its links, and the timeline.

class TracePage {
  constructor(data, record) {
    Object.assign(this, { data, record, graph: new Graph(data.graph), packet: -1 });
    const choose = (packet) => this.choose(packet);
    this.panel = new PacketPanel(record, this.graph, choose);
    const links = new Map(record.channels.map(({ router, port }) => [`${router}:${port}`, [router, port]]));
    this.places = [...links.keys()];
    this.heat = new Heat(this.graph, [...links.values()]);
    this.timeline = new Timeline(record, choose, () => this.#heat());
    this.note = element("p", { class: "note" });
    const scale = this.#scale();
    const drawn = data.drawing.reason ? reason(data.drawing.reason) : this.#picture();
    this.element = element("main", {}, element("h2", { class: "name" }, data.name),
      element("dl", { class: "facts" }, data.facts.map(([name, value]) => element("div", {},
        element("dt", {}, name), element("dd", {}, value)))),
      element("section", { class: "stage" }, element("div", { class: "drawn" }, drawn, scale, this.note),
        element("div", { class: "side" }, this.panel.element)),
      this.#lanes());
  }

  #picture() {
    this.picture = new Picture(this.data.drawing, this.graph, () => {});
    this.heat.draw(this.picture);
    return this.picture.element;
  }

  #scale() {
    if (this.data.drawing.reason) return null;
    return element("div", { class: "scale" }, "links: idle", element("span"), "a flit in every cycle");
  }

  #lanes() {
    const turn = (name) => element("button", { type: "button", "aria-pressed": String(name === "channels"),
      click: (event) => {
        for (const one of buttons) one.setAttribute("aria-pressed", String(one === event.target));
        this.timeline.lay(name);
        this.timeline.show(this.packet);
      } }, LAYOUTS[name].title);
    const buttons = Object.keys(LAYOUTS).map(turn);
    const zoom = (sign, label, act) => element("button", { type: "button", "aria-label": label, title: label,
      click: act }, sign);
    return element("section", { class: "timeline" }, element("h3", {}, "Timeline"),
      element("div", { class: "row" }, buttons, zoom("+", "Zoom in on cycles", () => this.timeline.zoom(1.5)),
        zoom("−", "Zoom out of cycles", () => this.timeline.zoom(1 / 1.5)),
        zoom("⤢", "Show all cycles", () => this.timeline.showAll())),
      this.timeline.element, keyOfColours());
  }

  choose(packet) {
    this.packet = packet;
    this.panel.show(packet);
    this.timeline.show(packet);
    if (!this.picture) return;
    this.panel.light(this.picture);
    this.heat.draw(this.picture);
  }

  /** Colour each direction of each link by its flits in the cycles that the timeline shows. */
  #heat() {
    const [begin, end] = this.timeline.window;
    if (!this.picture || end <= begin || this.shown === `${begin} ${end}`) return;
    this.shown = `${begin} ${end}`;
    const loads = new Map(this.places.map((place) => [place, 0]));
    let most = 0;
    this.record.loads(begin, end).forEach((flits, lane) => {
      const { router, port } = this.record.channels[lane];
      const load = loads.get(`${router}:${port}`) + flits;
      loads.set(`${router}:${port}`, load);
      if (this.graph.channel(router, port)) most = Math.max(most, load);
    });
    this.heat.put([...loads.values()]);
    this.note.textContent = `Load of each link's directions in cycles ${begin} to ${end - 1}, those that the `
      + `timeline shows: ${short(most)} flits per cycle at most. A direction is drawn to the right of its link.`;
  }
}

async function start() {
  const data = JSON.parse(document.getElementById("datasheet").textContent);
  const top = element("div", { class: "top" }, element("h1", {}, "Trace"), themeButton());
  document.body.append(top);
  const page = new TracePage(data, await TraceRecord.of(data));
  document.body.append(page.element, element("footer", {}, element("p", {}, `Made by knotwork ${data.version}:`),
    commandLine(data.command)));
}

start();
