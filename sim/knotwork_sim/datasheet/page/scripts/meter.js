// What a running network does: counts over the last cycles, and latency over time.

const WINDOW = 1000; // cycles over which figures are taken
const BLOCK = 100; // cycles of a point of the curve
const MOST_POINTS = 120;

class Meter {
  constructor(nodes) {
    this.nodes = nodes;
    this.rows = { cycle: "cycle", accepted: "accepted, flits per node per cycle",
      latency: "mean latency, cycles", in_flight: "packets in flight", waiting: "packets waiting at "
      + "their sources", overflowed: "packets not created, as their source's queue was full" };
    this.cells = new Map(Object.keys(this.rows).map((name) => [name, element("td", {}, "–")]));
    const rows = Object.entries(this.rows).map(([name, label]) => element("tr", {},
      element("th", { scope: "row" }, label), this.cells.get(name)));
    this.plot = element("div", { class: "over-time" });
    this.element = element("div", {}, element("table", { class: "meter" }, element("tbody", {}, rows)),
      this.plot);
  }

  /** Begin anew, from the counts of now. */
  begin(stats) {
    this.past = [stats];
    this.points = [];
    this.block = stats;
    this.show();
  }

  /** Cycles until the curve's next point. */
  get room() { return BLOCK - (this.past.at(-1).cycles - this.block.cycles); }

  /** Take the counts after some more cycles. */
  take(stats) {
    this.past.push(stats);
    while (this.past.length > 2 && this.past[1].cycles <= stats.cycles - WINDOW) this.past.shift();
    if (stats.cycles - this.block.cycles < BLOCK) return;
    const { latency } = Meter.between(this.block, stats, this.nodes);
    this.points.push([stats.cycles, latency]);
    if (this.points.length > MOST_POINTS) this.points.shift();
    this.block = stats;
  }

  /** Accepted load and mean latency between two counts; null where nothing arrived. */
  static between(before, after, nodes) {
    const [cycles, packets] = ["cycles", "delivered"].map((name) => after[name] - before[name]);
    return {
      accepted: cycles ? (after.flits - before.flits) / (cycles * nodes) : null,
      latency: packets ? (after.latency_sum - before.latency_sum) / packets : null,
    };
  }

  show() {
    const stats = this.past.at(-1);
    const { accepted, latency } = Meter.between(this.past[0], stats, this.nodes);
    const values = { ...stats, cycle: stats.cycles, accepted: short(accepted), latency: short(latency) };
    for (const [name, cell] of this.cells) cell.textContent = String(values[name]);
    this.cells.get("overflowed").parentNode.hidden = stats.overflowed === 0;
    this.plot.replaceChildren(...this.#curve());
  }

  #curve() {
    const known = this.points.filter(([, latency]) => latency !== null);
    if (known.length < 2) return [];
    const [width, height] = [320, 90];
    const most = Math.max(...known.map(([, latency]) => latency)) * 1.1;
    const first = this.points[0][0];
    const line = known.map(([cycle, latency]) => (
      [((cycle - first) / (BLOCK * (MOST_POINTS - 1))) * width, height - (latency / most) * height]));
    const svg = drawnElement("svg", { class: "plot", viewBox: `0 -14 ${width} ${height + 16}`, role: "img",
      "aria-label": "Mean latency over time" },
    drawnElement("line", { class: "grid", x1: 0, x2: width, y1: height, y2: height }),
    drawnElement("text", { x: 0, y: -3 }, `mean latency of each ${BLOCK} cycles; top ${short(most)}`),
    drawnElement("path", { class: "curve", d: polyline(line), stroke: "var(--accent)" }));
    return [svg];
  }
}
