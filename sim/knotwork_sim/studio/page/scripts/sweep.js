// A sweep in the background: started, watched and stopped.

const WATCH_PAUSE = 400;
const ASLEEP_PAUSE = 60_000;

class SweepPanel {
  /** `asked()` gives the network of the form, as a request names it. */
  constructor(patterns, asked) {
    this.asked = asked;
    this.rates = element("input", { type: "text", placeholder: "saturation is searched", autocomplete: "off",
      spellcheck: "false" });
    this.measure = element("input", { type: "number", value: 2000, min: 100, max: 10_000_000 });
    this.pattern = element("select", {}, patterns.map((word) => element("option", { value: word }, word)));
    this.further = element("input", { type: "text", placeholder: "length=1-8 seed=2", autocomplete: "off",
      spellcheck: "false" });
    this.startButton = element("button", { type: "submit", class: "primary" }, "Sweep");
    this.stopButton = element("button", { type: "button", disabled: true, click: () => this.#stop() }, "Stop");
    this.bar = element("progress", { "aria-label": "points of the sweep", max: 1, value: 0, hidden: true });
    this.says = element("p", { class: "busy", role: "status" });
    this.found = element("div");
    const labelled = (name, input) => element("label", {}, name, input);
    this.element = element("form", { class: "card", submit: (event) => this.#start(event) },
      element("h2", {}, "Load and latency"),
      element("div", { class: "swept" }, labelled("loads, FIRST:LAST:STEP", this.rates),
        labelled("cycles", this.measure), labelled("traffic", this.pattern), labelled("more of it", this.further)),
      element("div", { class: "row" }, this.startButton, this.stopButton), this.bar, this.says, this.found);
    this.#watch();
  }

  async #start(event) {
    event.preventDefault();
    const traffic = [...(this.pattern.selectedIndex ? [`traffic=${this.pattern.value}`] : []),
      ...wordsOf(this.further.value)];
    const request = { ...this.asked(), traffic, rates: this.rates.value.trim(), measure: Number(this.measure.value) };
    this.show(await ask("sweep", request));
    this.#watch();
  }

  async #stop() { this.show(await ask("sweep", null, "DELETE")); }

  /** Look at the sweep until it ends, and then now and then, so that the command goes on. */
  async #watch() {
    clearTimeout(this.timer);
    const sweep = await ask("sweep", null, "GET");
    this.show(sweep);
    this.timer = setTimeout(() => this.#watch(), sweep.state === "running" ? WATCH_PAUSE : ASLEEP_PAUSE);
  }

  show(sweep) {
    const { state, done = 0, total, points = [], refused, command } = sweep;
    const isRunning = state === "running";
    if (state === "none") return;
    this.startButton.disabled = isRunning;
    this.stopButton.disabled = !isRunning;
    this.bar.hidden = !isRunning;
    if (total) [this.bar.max, this.bar.value] = [total, done];
    else this.bar.removeAttribute("value");
    const far = total ? `${done} of ${total} points` : "it starts";
    const ends = { running: far, stopped: `stopped after ${far}`, done: `saturation: ${sweep.saturation}` };
    this.says.className = refused ? "alert" : "busy";
    this.says.textContent = refused ? `knotwork: error: ${refused}` : ends[state] ?? "";
    const shown = JSON.stringify([points, state, command]);
    if (shown === this.shown) return;
    this.shown = shown;
    this.found.replaceChildren(...(points.length ? [curveFigure([{ points }]), this.#table(points, command)] : []));
  }

  #table(points, command) {
    const rows = points.map(([offered, accepted, latency, saturated]) => [
      short(offered), short(accepted), short(latency), saturated ? "yes" : "no"]);
    return element("details", {}, element("summary", {}, "Numbers"), tableBlock({ title: "", command, rows,
      columns: ["offered", "accepted", "mean latency", "saturated"] }, { heading: "div" }));
  }
}
