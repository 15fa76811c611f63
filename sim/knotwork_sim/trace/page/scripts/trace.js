// The page of a trace: facts, the drawing with the heat of its links, and the timeline.

const HEAT = ["#fde725", "#7ad151", "#22a884", "#2a788e", "#414487", "#440154"];

function heatColour(share, isDark) {
  const scale = isDark ? [...HEAT].reverse() : HEAT;
  return scale[Math.min(scale.length - 1, Math.floor(share * scale.length))];
}

class TracePage {
  constructor(data, record) {
    Object.assign(this, { data, record, graph: new Graph(data.graph), packet: -1 });
    const choose = (packet) => this.choose(packet);
    this.panel = new PacketPanel(record, this.graph, choose);
    this.timeline = new Timeline(record, choose, () => this.#heat());
    this.note = element("p", { class: "note" });
    const drawn = data.drawing.reason ? reason(data.drawing.reason) : this.#picture();
    this.element = element("main", {}, element("h2", { class: "name" }, data.name),
      element("dl", { class: "facts" }, data.facts.map(([name, value]) => element("div", {},
        element("dt", {}, name), element("dd", {}, value)))),
      element("section", { class: "stage" }, element("div", { class: "drawn" }, drawn, this.#scale(), this.note),
        element("div", { class: "side" }, this.panel.element)),
      this.#lanes());
    addEventListener("themechange", () => {
      this.shown = null;
      this.#heat();
    });
  }

  #picture() {
    this.picture = new Picture(this.data.drawing, this.graph, () => {});
    return this.picture.element;
  }

  #scale() {
    this.colours = element("i");
    this.most = element("span");
    return element("p", { class: "scale note" }, "0", this.colours, this.most);
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
    if (this.picture) this.panel.light(this.picture);
  }

  /** Colour each direction of each link by its flits in the cycles that the timeline shows. */
  #heat() {
    if (!this.picture) return;
    const [begin, end] = this.timeline.window;
    if (end <= begin || this.shown === `${begin} ${end}`) return;
    this.shown = `${begin} ${end}`;
    const loads = new Map();
    this.record.loads(begin, end).forEach((load, lane) => {
      const { router, port } = this.record.channels[lane];
      const key = `${router}:${port}`;
      loads.set(key, { router, port, load: (loads.get(key)?.load ?? 0) + load });
    });
    const hot = [...loads.values()].map((one) => ({ ...one, step: this.graph.step(one.router, one.port) }))
      .filter(({ step }) => step);
    const most = Math.max(1e-9, ...hot.map(({ load }) => load));
    const isDark = document.documentElement.dataset.theme === "dark";
    this.picture.heat.replaceChildren(...hot.filter(({ load }) => load > 0)
      .sort((one, other) => one.load - other.load).map(({ load, step }) => {
        const aside = this.data.graph.oneWay ? 0 : 2.5;
        const points = pointsOf(this.picture.shape, step, aside);
        const width = 1.5 + 3.5 * (load / most);
        return drawnElement("path", { d: points.length > 1 ? polyline(points) : "", "stroke-width": width,
          stroke: heatColour(load / most, isDark) },
        drawnElement("title", {}, `${short(load)} flits per cycle`));
      }));
    this.colours.style.background = `linear-gradient(90deg, ${(isDark ? [...HEAT].reverse() : HEAT).join()})`;
    this.most.textContent = `${short(most)} flits per cycle`;
    this.note.textContent = `Load of each link's directions in cycles ${begin} to ${end - 1}, those that the `
      + "timeline shows. A direction is drawn to the right of its link.";
  }
}

function themeButton() {
  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const set = (name) => {
    root.dataset.theme = name;
    dispatchEvent(new Event("themechange"));
  };
  set(dark.matches ? "dark" : "light");
  return element("button", { type: "button", class: "theme", "aria-label": "Dark or light",
    title: "Dark or light", click: () => set(root.dataset.theme === "dark" ? "light" : "dark") }, "◐");
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
