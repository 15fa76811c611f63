// One network's sheet: its head, its drawing with what may be played on it, and its tables.

class Sheet {
  constructor(network) {
    const graph = new Graph(network.graph);
    this.route = new RoutePanel(network, graph);
    this.player = new Player(network, graph);
    this.panels = [["Route", this.route], ["Steps", this.player]];
    if (network.live) this.panels.push(["Live", new LivePanel(network, graph)]);
    this.element = element("article", { class: "sheet" }, headPart(network.head));
    if (network.drawing.reason) {
      this.element.append(element("section", {}, reason(network.drawing.reason), this.route.element));
    } else {
      this.picture = new Picture(network.drawing, graph, (node) => this.#chosen(node));
      for (const [, panel] of this.panels) panel.picture = this.picture;
      this.element.append(this.#stage(network));
    }
    const blocks = [...network.tables];
    if (network.proofs.command) blocks.push(proofsPart(network.proofs));
    this.element.append(element("section", {}, element("h2", {}, "What is known"),
      element("div", { class: "tables" }, blocks.map((one) => (one.nodeType ? one : tableBlock(one))))));
    if (network.curve) this.element.append(curvePart(network.curve));
    this.element.append(network.ports.reason
      ? element("section", {}, element("h2", {}, "Ports and instance"), reason(network.ports.reason))
      : portsPart(network.ports, graph.nodes.length));
    if (network.head.errata) this.element.append(errataPart(network.head.errata));
  }

  #stage(network) {
    const tabs = tabList("What the drawing shows", this.panels.map(([name, panel]) => (
      { name, element: panel.element })), (number) => this.#turn(number));
    this.current = this.route;
    this.tabs = tabs;
    const stage = element("section", { class: "stage", keydown: (event) => this.#key(event) },
      element("div", { class: "drawn" }, this.picture.element, commandLine(network.drawing.command)),
      element("div", { class: "side" }, tabs.list, ...tabs.bodies));
    return stage;
  }

  #turn(number) {
    this.current.stop?.();
    this.picture.clear();
    this.current = this.panels[number][1];
    this.current.show?.();
  }

  #chosen(node) {
    if (this.current !== this.route) this.tabs.choose(0);
    this.route.choose(node);
  }

  /** The space bar plays, wherever in the stage no button or field has it. */
  #key(event) {
    const isTaken = /^(BUTTON|INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key !== " " || isTaken) return;
    event.preventDefault();
    if (!this.current.toggle) this.tabs.choose(this.panels.findIndex(([, panel]) => panel.toggle));
    if (this.current.frames || this.current.isReady) this.current.toggle();
  }

  /** What must not go on while another sheet is shown. */
  stop() { this.current?.stop?.(); }
}

function headPart(head) {
  const paragraphs = head.description.map((text) => element("p", {}, text));
  const elsewhere = head.elsewhere ? element("p", { class: "note" }, `Elsewhere: ${head.elsewhere}.`) : null;
  const source = head.references ? element("p", { class: "source" }, `Source: ${head.references}`) : null;
  return element("header", { class: "head" }, element("h2", { class: "name" }, head.name),
    element("p", { class: "summary" }, `${head.summary}.`), paragraphs, elsewhere, source,
    commandLine(head.command));
}

function proofsPart(proofs) {
  return element("div", { class: "block" }, element("h3", {}, "Proofs"),
    element("p", {}, "These commands prove what the routers must do, on their Verilog."),
    commandLine(proofs.command), commandLine(proofs.every));
}

function errataPart(errata) {
  const details = element("details", {}, element("summary", {}, `${errata.title} (${errata.rows.length})`),
    element("p", { class: "note" }, "Knotwork builds what is right."), tableBlock({ ...errata, title: "" },
      { heading: "div" }));
  return element("section", {}, element("h2", {}, "Errata"), details);
}

/** Tabs by the pattern of ARIA: arrow keys choose, one body is shown. */
function tabList(label, parts, turned) {
  const number = tabList.made = (tabList.made ?? 0) + 1;
  const bodies = parts.map(({ element: part }, place) => element("div", {
    role: "tabpanel", id: `part-${number}-${place}`, "aria-labelledby": `tab-${number}-${place}`,
    hidden: place > 0 }, part));
  const buttons = parts.map(({ name }, place) => element("button", {
    type: "button", role: "tab", id: `tab-${number}-${place}`, "aria-controls": `part-${number}-${place}`,
    "aria-selected": String(place === 0), tabindex: place ? "-1" : "0", click: () => choose(place),
  }, name));
  const choose = (chosen) => {
    buttons.forEach((button, place) => {
      button.setAttribute("aria-selected", String(place === chosen));
      button.tabIndex = place === chosen ? 0 : -1;
      bodies[place].hidden = place !== chosen;
    });
    turned(chosen);
  };
  const list = element("div", { role: "tablist", "aria-label": label, keydown: (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move) return;
    const next = (buttons.indexOf(document.activeElement) + move + buttons.length) % buttons.length;
    event.preventDefault();
    choose(next);
    buttons[next].focus();
  } }, buttons);
  return { list, bodies, choose };
}
