// A packet's way: two nodes are chosen, and its links light up with ports and channels.

class RoutePanel {
  constructor(network, graph) {
    this.graph = graph;
    this.data = network.routes;
    this.ends = [-1, -1];
    this.inputs = ["source", "destination"].map((name, place) => element("input", {
      type: "text", size: 8, "aria-label": name, placeholder: name, autocomplete: "off",
      change: (event) => this.#written(place, event.target),
    }));
    this.answer = element("div", { class: "answer", "aria-live": "polite" });
    const clear = element("button", { type: "button", click: () => this.choose(-1) }, "clear");
    this.element = element("div", { class: "panel route" });
    if (this.data.reason) this.element.append(reason(this.data.reason));
    else {
      this.element.append(
        element("p", { class: "hint" }, "Choose a source and a destination in the drawing, or write "
          + "an index or @label."),
        element("div", { class: "row" }, this.inputs[0], "→", this.inputs[1], clear), this.answer);
    }
  }

  #written(place, input) {
    const node = this.graph.node(input.value);
    input.setAttribute("aria-invalid", node < 0 && input.value !== "");
    if (node < 0 && input.value !== "") {
      const last = this.graph.nodes.length - 1;
      this.answer.replaceChildren(reason(`a node must be an index in 0..${last} or @label, not `
        + `'${input.value.slice(0, 40)}'`));
      return;
    }
    this.ends[place] = node;
    this.show();
  }

  /** Take a node as the source, or as the destination of the source that is there. */
  choose(node) {
    if (node < 0) this.ends = [-1, -1];
    else if (this.ends[0] < 0 || this.ends[1] >= 0) this.ends = [node, -1];
    else this.ends[1] = node;
    this.show();
  }

  async show() {
    const { graph, picture } = this;
    const [source, destination] = this.ends;
    this.inputs.forEach((input, place) => {
      input.value = this.ends[place] < 0 ? "" : String(this.ends[place]);
      input.removeAttribute("aria-invalid");
    });
    picture?.clear();
    this.answer.replaceChildren();
    if (source >= 0) picture?.lightBox(graph.nodeBox(source), "source");
    if (source < 0 || destination < 0 || this.data.reason) return;
    this.routes ??= await Routes.of(this.data, graph);
    if (this.ends[0] !== source || this.ends[1] !== destination) return;
    this.#tell(source, destination, this.routes.hops(source, destination));
  }

  #tell(source, destination, hops) {
    const { graph, picture } = this;
    if (!hops.length) {
      this.answer.replaceChildren(reason(`node ${source} sends to nodes of the other side only`));
      return;
    }
    hops.slice(1).forEach(({ router }) => picture?.lightBox(`router-${router}`, "passed"));
    picture?.lightBox(graph.nodeBox(destination), "destination");
    picture?.lightBox(graph.nodeBox(source), "source");
    const entry = graph.entry(source, hops[0].router);
    if (entry) picture?.lightStep(entry, { badge: "" });
    hops.forEach(({ router, port, channel }, number) => {
      const step = graph.step(router, port);
      const badge = graph.channel(router, port) ? `${number + 1}·vc${channel}` : "";
      if (step) picture?.lightStep(step, { badge });
    });
    const rows = hops.map(({ router, port, channel }, number) => {
      const isLast = number === hops.length - 1;
      return [String(number), String(router), graph.routers[router], graph.ports[port],
        isLast ? "-" : String(channel)];
    });
    const hopCount = hops.length - 1;
    this.answer.replaceChildren(tableBlock({
      title: `${graph.nodes[source]} to ${graph.nodes[destination]}: ${hopCount} `
        + `${hopCount === 1 ? "hop" : "hops"}`,
      columns: ["hop", "router", "label", "output port", "channel"], rows,
      command: `${this.data.command} ${source} ${destination}`,
    }, { heading: "h4" }));
  }
}
