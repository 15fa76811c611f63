// The network itself, running: its Verilog under a load that one sets, and what it delivers.

const SPEEDS = [["1 cycle per second", 1], ["5 cycles per second", 5], ["60 cycles per second", 60],
  ["1000 cycles per second", 1000], ["as fast as it goes", Infinity]];
const SLOW = 5; // cycles per second up to which flits are drawn one by one
const BUSY = 12; // milliseconds of a frame that the network may take

class LivePanel {
  constructor(network, graph) {
    this.data = network.live;
    this.heat = new Heat(graph, this.data.description.links);
    this.meter = new Meter(this.data.description.nodes);
    this.timer = null;
    const { patterns, lengths } = this.data.description;
    const changed = () => this.#configure();
    this.rate = element("input", { type: "range", min: 0, max: 1, step: 0.01, value: 0.1,
      "aria-label": "load", input: changed });
    this.rateSays = element("output");
    this.pattern = element("select", { "aria-label": "pattern", change: changed },
      patterns.map((name) => element("option", { value: name }, name.replace("_", " "))));
    this.length = element("input", { type: "number", min: lengths[0], max: lengths[1], value: lengths[0],
      "aria-label": "flits per packet", change: changed });
    this.speed = element("select", { "aria-label": "speed", change: () => { this.owed = 0; } },
      SPEEDS.map(([name], number) => element("option", { value: number, selected: number === 2 }, name)));
    this.playButton = iconButton("play", "Run", () => this.toggle());
    this.says = element("p", { class: "reason", "aria-live": "polite" });
    this.command = element("div");
    this.element = element("div", { class: "panel live" },
      element("p", { class: "hint" }, "The Verilog itself, compiled for this page, under a load of its own."),
      element("div", { class: "row" }, this.playButton,
        iconButton("on", "One cycle", () => this.#step()),
        iconButton("first", "Reset", () => this.#reset()),
        this.speed),
      element("div", { class: "row" }, element("label", {}, "load"), this.rate, this.rateSays),
      element("div", { class: "row" }, this.pattern, element("label", {}, this.length, " flits")),
      this.says, this.meter.element,
      element("div", { class: "scale" }, "links: idle", element("span"), "a flit in every cycle"),
      this.command);
  }

  get isReady() { return true; }

  async show() {
    if (this.picture) this.heat.draw(this.picture);
    await this.#open();
  }

  /** Instantiate the module, once. */
  async #open() {
    if (this.network) return;
    this.opening ??= KnotworkLive.unpack(this.data.module, this.data.description);
    this.network = await this.opening;
    this.meter.begin(this.network.stats);
    this.#configure();
  }

  /** Hand the load over; what cannot be is shown, and the load stays. */
  #configure() {
    const [rate, pattern, length] = [Number(this.rate.value), this.pattern.value, Number(this.length.value)];
    this.rateSays.textContent = rate.toFixed(2);
    try {
      this.network.configure({ rate, pattern, length });
      this.says.textContent = "";
    } catch (error) {
      this.says.textContent = error.message;
    }
    const load = this.network.traffic;
    this.command.replaceChildren(commandLine(`${this.data.command} traffic=${load.pattern} `
      + `rate=${load.rate} length=${load.length} packets=10000`));
  }

  /** Run so many cycles, up to the next point of the curve at a time. */
  #run(cycles) {
    let left = cycles;
    while (left > 0) {
      const ran = this.network.run(Math.min(left, this.meter.room));
      this.crossed = this.network.occupancy;
      this.heat.take(this.crossed, ran);
      this.meter.take(this.network.stats);
      left -= ran;
    }
  }

  async #step() {
    this.stop();
    await this.#open();
    this.#run(1);
    this.#tell();
    this.heat.move(this.crossed, 0.5);
  }

  async #reset() {
    await this.#open();
    this.network.reset();
    this.meter.begin(this.network.stats);
    this.heat.begin();
    this.heat.move();
    this.#tell();
  }

  #tell() {
    this.meter.show();
    this.heat.show();
  }

  get isPlaying() { return this.timer !== null; }

  async toggle() {
    if (this.isPlaying) {
      this.stop();
      return;
    }
    await this.#open();
    [this.owed, this.last] = [0, performance.now()];
    this.timer = requestAnimationFrame(() => this.#frame());
    setIcon(this.playButton, "pause", "Pause");
  }

  /** A frame: as many cycles as the speed asks for and time allows. */
  #frame() {
    this.timer = requestAnimationFrame(() => this.#frame());
    const now = performance.now();
    const passed = Math.min(Math.max(now - this.last, 1), 100);
    this.last = now;
    const perSecond = SPEEDS[Number(this.speed.value)][1];
    this.owed = Math.min(this.owed + (perSecond * passed) / 1000, 1e9);
    const before = this.owed;
    while (this.owed >= 1 && performance.now() - now < BUSY) {
      const cycles = Math.min(Math.floor(this.owed), 50);
      this.#run(cycles);
      this.owed -= cycles;
    }
    if (performance.now() - now >= BUSY) this.owed %= 1; // it goes as fast as it can
    if (this.owed !== before) this.#tell();
    const isSlow = perSecond <= SLOW && !LivePanel.isStill.matches;
    this.heat.move(isSlow ? this.crossed : undefined, this.owed % 1);
  }

  static isStill = matchMedia("(prefers-reduced-motion: reduce)");

  stop() {
    cancelAnimationFrame(this.timer);
    this.timer = null;
    setIcon(this.playButton, "play", "Run");
  }
}
