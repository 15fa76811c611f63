// Broadcasts, multicasts and schedules, step by step.

const WAY_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00"];

class Player {
  constructor(network, graph) {
    Object.assign(this, { graph, plays: network.plays, step: 0, timer: null });
    this.element = element("div", { class: "panel steps" });
    if (!this.plays.length) {
      this.element.append(reason("This network has no broadcast, multicast or schedule, or too many "
        + "nodes for their steps to be on a page."));
      return;
    }
    this.choice = element("select", { "aria-label": "what is played", change: () => this.#choose() },
      this.plays.map((play, number) => element("option", { value: number }, play.title)));
    this.source = element("input", {
      type: "text", size: 6, value: "0", "aria-label": "source of the broadcast",
      change: () => this.#choose(),
    });
    const from = element("label", { class: "source" }, "from node ", this.source);
    this.playButton = iconButton("play", "Play", () => this.toggle());
    this.slider = element("input", { type: "range", min: 0, value: 0, "aria-label": "step",
      input: () => this.show(Number(this.slider.value)) });
    this.says = element("p", { class: "says", "aria-live": "polite" });
    this.command = element("div");
    this.element.append(element("div", { class: "row" }, this.choice, from),
      element("div", { class: "row" }, iconButton("first", "First step", () => this.show(0)),
        iconButton("back", "Step back", () => this.show(this.step - 1)), this.playButton,
        iconButton("on", "Step on", () => this.show(this.step + 1)), this.slider),
      this.says, this.command);
    this.#choose();
  }

  #choose() {
    const play = this.plays[Number(this.choice.value)];
    const isTree = play.trees !== undefined;
    this.stop();
    this.source.parentNode.hidden = !isTree;
    let command = play.command;
    if (isTree) {
      const node = this.graph.node(this.source.value);
      const source = play.trees[node] ? node : 0;
      this.source.value = source;
      this.frames = treeFrames(play.trees[source], source);
      command += ` ${source}`;
    } else {
      this.frames = play.frames;
    }
    this.slider.max = this.frames.length;
    this.command.replaceChildren(commandLine(command));
    this.show(0);
  }

  get isPlaying() { return this.timer !== null; }

  toggle() {
    if (this.isPlaying) this.stop();
    else {
      if (this.step >= this.frames.length) this.show(0);
      this.timer = setInterval(() => {
        this.show(this.step + 1);
        if (this.step >= this.frames.length) this.stop();
      }, 900);
      setIcon(this.playButton, "pause", "Pause");
      this.show(this.step + 1);
    }
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    setIcon(this.playButton, "play", "Play");
  }

  /** Show a step; 0 is before the first one. */
  show(step = this.step) {
    if (!this.frames) return;
    const { graph, picture, frames } = this;
    this.step = Math.min(Math.max(0, step), frames.length);
    this.slider.value = this.step;
    picture?.clear();
    const [says, ways, arrived] = this.step ? frames[this.step - 1] : ["before the first step", [], []];
    this.says.textContent = `${this.step} / ${frames.length}: ${says}`;
    arrived.forEach((node) => picture?.lightBox(graph.nodeBox(node), "arrived"));
    ways.forEach(([source, destination, links], number) => {
      const own = graph.isApart ? number : source;
      const colour = WAY_COLOURS[own % WAY_COLOURS.length];
      this.#steps(source, links).forEach((step, place, all) => {
        const badge = place === all.length - 1 && !graph.isApart && ways.length <= 64
          ? graph.nodes[destination] : "";
        picture?.lightStep(step, { colour, badge, aside: 3 });
      });
    });
  }

  /** Steps of a way over the drawing's links, with those from and to the nodes. */
  #steps(source, links) {
    const { graph } = this;
    const steps = [];
    if (graph.isApart && links.length) steps.push(graph.entry(source, links[0]));
    for (let place = 0; place < links.length; place += 2) {
      steps.push(graph.step(links[place], links[place + 1]));
    }
    return steps.filter(Boolean);
  }
}

/** Frames of a broadcast's tree: the copies of each step, and who has one by then. */
function treeFrames({ parent, port, arrival }, source) {
  const steps = Math.max(...arrival);
  return Array.from({ length: steps }, (_, index) => {
    const ways = [];
    arrival.forEach((step, node) => {
      if (step === index + 1) ways.push([parent[node], node, [parent[node], port[node]]]);
    });
    const arrived = arrival.flatMap((step, node) => (step >= 0 && step <= index + 1 ? [node] : []));
    const word = ways.length === 1 ? "node has" : "nodes have";
    return [`${ways.length} more ${word} the copy from ${source}`, ways, arrived];
  });
}
