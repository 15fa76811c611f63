// Flits on the drawing: how busy each channel is, and where flits are when time goes slowly.

const CALM = 0.15; // weight of a frame that adds to what came before

class Heat {
  /** `links` are those of the live module: router and port that send, router and port that receive. */
  constructor(graph, links) {
    this.steps = links.map(([router, port]) => graph.step(router, port));
    this.shares = links.map(() => 0);
  }

  /** Draw all channels over a picture. */
  draw(picture) {
    this.lines = this.steps.map((step) => (step ? pointsOf(picture.shape, step, 3.5) : []));
    this.paths = this.lines.map((points) => (
      points.length < 2 ? null : drawnElement("path", { d: polyline(points), class: "busy" })));
    this.flits = drawnElement("g", { class: "flits" });
    picture.heat.replaceChildren(...this.paths.filter(Boolean), this.flits);
    this.show();
  }

  begin() { this.shares.fill(0); }

  /** Take the flits that crossed each channel in some cycles. */
  take(crossed, cycles) {
    const weight = 1 - (1 - CALM) ** Math.max(1, cycles / 20);
    crossed.forEach((flits, place) => {
      this.shares[place] += weight * (flits / cycles - this.shares[place]);
    });
  }

  /** Tell the flits per cycle of each channel. */
  put(shares) {
    this.shares = shares;
    this.show();
  }

  show() {
    this.paths?.forEach((path, place) => {
      if (!path) return;
      const percent = Math.round(100 * Math.min(1, this.shares[place]));
      if (path.percent === percent) return;
      path.percent = percent;
      path.style.setProperty("--share", `${percent}%`);
      path.style.strokeWidth = 2 + percent * 0.05;
    });
  }

  /** Dots for the flits that cross in this cycle, each so far on its way; none for no channels. */
  move(crossed, share) {
    if (!this.flits) return;
    const dots = [];
    crossed?.forEach((flits, place) => {
      const points = this.lines[place];
      if (!flits || points.length < 2) return;
      const [cx, cy] = points[Math.min(points.length - 1, Math.floor(share * points.length))];
      dots.push(drawnElement("circle", { cx, cy, r: 4.5 }));
    });
    this.flits.replaceChildren(...dots);
  }
}
