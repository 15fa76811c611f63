// The drawing of a network: its base, what is lit over it, and the nodes that one may choose.

class Picture {
  /** `chosen(node)` is called for a node that is clicked, or chosen by a key. */
  constructor(drawing, graph, chosen) {
    this.graph = graph;
    this.chosen = chosen;
    this.base = drawing.kind === "svg" ? new SvgBase(drawing.svg)
      : new CanvasBase(shapeOfPlaces(drawing));
    this.shape = this.base.shape;
    this.heat = drawnElement("g", { class: "heat" });
    this.lit = drawnElement("g", { class: "lit" });
    this.cursor = drawnElement("rect", { class: "cursor", rx: 14, visibility: "hidden" });
    this.overlay = drawnElement("svg", { class: "overlay", "aria-hidden": "true" },
      arrowHeads(), this.heat, this.lit, this.cursor);
    this.surface = element("div", {
      class: "surface", tabindex: "0", role: "application",
      "aria-label": `Drawing of ${graph.nodes.length} nodes. Arrow keys move between nodes, Enter `
        + "chooses one, plus and minus zoom, Escape clears.",
      click: (event) => this.#click(event),
      keydown: (event) => this.#key(event),
      dblclick: (event) => this.view.zoom(2, this.view.place(event.clientX, event.clientY)),
    }, this.base.element, this.overlay);
    this.said = element("p", { class: "unseen", "aria-live": "polite" });
    this.element = element("div", { class: "picture" }, this.surface, this.#buttons(),
      drawing.legend ? legend(drawing.legend.map(([colour, name]) => [themed(colour), name])) : null,
      this.said);
    this.surface.style.aspectRatio = `${this.shape.size[0]} / ${this.shape.size[1]}`;
    this.view = new View(this.surface, this.shape.size, (view) => {
      const { x, y, width, height } = view.box;
      this.overlay.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
      this.base.show(view);
    });
    new ResizeObserver(() => this.base.show(this.view)).observe(this.surface);
    addEventListener("themechange", () => this.base.show(this.view));
    this.place = -1;
  }

  #buttons() {
    const button = (sign, label, action) => element("button",
      { type: "button", "aria-label": label, title: label, click: action }, sign);
    return element("div", { class: "zoom" },
      button("+", "Zoom in", () => this.view.zoom(1.5)),
      button("−", "Zoom out", () => this.view.zoom(1 / 1.5)),
      button("⤢", "Show all", () => this.view.fit()));
  }

  /** Middle of a node's box; undefined where it is not drawn. */
  middle(node) {
    const box = this.shape.boxes.get(this.graph.nodeBox(node));
    return box && middle(box);
  }

  #nodeAt(place) {
    return this.graph.nodes.findIndex((_, node) => (
      isInside(this.shape.boxes.get(this.graph.nodeBox(node)), place, 3)));
  }

  #click(event) {
    if (this.view.wasDragged) return;
    const node = this.#nodeAt(this.view.place(event.clientX, event.clientY));
    if (node < 0) return;
    this.place = node;
    this.chosen(node);
  }

  #key(event) {
    const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const zooms = { "+": 1.5, "=": 1.5, "-": 1 / 1.5 };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (directions[event.key]) this.#moveCursor(directions[event.key]);
    else if (zooms[event.key]) this.view.zoom(zooms[event.key], this.middle(Math.max(0, this.place)));
    else if (event.key === "Enter" && this.place >= 0) this.chosen(this.place);
    else if (event.key === "Escape") this.chosen(-1);
    else if (event.key === "0") this.view.fit();
    else return;
    event.preventDefault();
  }

  /** Move the cursor to the nearest node in a direction. */
  #moveCursor([right, down]) {
    let best = 0;
    if (this.place >= 0) {
      const [x, y] = this.middle(this.place);
      let least = Infinity;
      best = this.place;
      this.graph.nodes.forEach((_, node) => {
        const [otherX, otherY] = this.middle(node);
        const along = (otherX - x) * right + (otherY - y) * down;
        const across = Math.abs((otherX - x) * down) + Math.abs((otherY - y) * right);
        if (along > 1 && along + 2.5 * across < least) [least, best] = [along + 2.5 * across, node];
      });
    }
    this.place = best;
    const box = this.shape.boxes.get(this.graph.nodeBox(best));
    framed(this.cursor, box, 5);
    this.cursor.setAttribute("visibility", "visible");
    this.view.show(...middle(box));
    this.said.textContent = `node ${best}, ${this.graph.nodes[best]}`;
  }

  /** Take away what is lit. */
  clear() {
    this.heat.replaceChildren();
    this.lit.replaceChildren();
    this.element.classList.remove("isLit");
  }

  /** Light up a box: as `source`, `destination`, `passed` or `arrived`. */
  lightBox(name, part) {
    const box = this.shape.boxes.get(name);
    if (box) this.lit.append(framed(drawnElement("rect", { class: `box ${part}`, rx: 13 }), box, 3));
  }

  /** Light up a step of a packet; its badge stands beside the middle of the link. */
  lightStep(step, { colour = "var(--lit)", badge = "", aside = 0 } = {}) {
    const points = pointsOf(this.shape, step, aside);
    if (points.length < 2) return;
    this.element.classList.add("isLit");
    this.lit.append(drawnElement("path", {
      d: polyline(points), class: "way", style: `stroke: ${colour}; color: ${colour}`,
      "marker-end": "url(#arrow)",
    }));
    if (!badge) return;
    const [x, y] = shifted(points, 11)[Math.floor(points.length / 2)];
    this.lit.append(drawnElement("text", { x, y: y + 4, class: "badge" }, badge));
  }
}

function framed(rectangle, box, air) {
  const sizes = { x: box.x - air, y: box.y - air, width: box.width + 2 * air, height: box.height + 2 * air };
  for (const [name, value] of Object.entries(sizes)) rectangle.setAttribute(name, value);
  return rectangle;
}

function arrowHeads() {
  const head = drawnElement("path", { d: "M0 0L9 4L0 8z", fill: "context-stroke" });
  return drawnElement("defs", {}, drawnElement("marker", {
    id: "arrow", markerWidth: 9, markerHeight: 8, refX: 7, refY: 4, orient: "auto",
    markerUnits: "userSpaceOnUse",
  }, head));
}

function legend(kinds) {
  const entries = kinds.map(([colour, name]) => element("li", {},
    element("span", { style: `background: ${colour}` }), name));
  return element("ul", { class: "legend" }, entries);
}
