// Lanes over time, painted on a canvas that stays where it is while its scroller moves.

const LANE = 18;
const RULER = 22;
const MOST_WIDTH = 8_000_000;

class Timeline {
  /** `chosen(packet)` is called for a bar that is clicked, `moved()` after every change of view. */
  constructor(record, chosen, moved) {
    Object.assign(this, { record, chosen, moved, packet: -1, scale: 8 });
    this.canvas = element("canvas");
    this.room = element("div", { class: "room" });
    this.element = element("div", {
      class: "lanes", tabindex: "0", role: "application",
      "aria-label": "Timeline. Arrow keys scroll, plus and minus zoom, 0 shows all cycles. Packets are "
        + "chosen by a click, or by their number beside it.",
      scroll: () => this.paint(), click: (event) => this.#click(event), keydown: (event) => this.#key(event),
    }, this.canvas, this.room);
    new ResizeObserver(() => this.#resized()).observe(this.element);
    addEventListener("themechange", () => this.paint());
    this.lay("channels");
  }

  get gutter() { return Math.min(190, this.element.clientWidth * 0.34); }
  get most() { return Math.min(40, MOST_WIDTH / this.record.cycles); }
  get least() { return Math.max(0.0005, (this.element.clientWidth - this.gutter) / this.record.cycles); }

  /** Cycles that are seen: the first, and the one before which they end. */
  get window() {
    const begin = this.element.scrollLeft / this.scale;
    const seen = (this.element.clientWidth - this.gutter) / this.scale;
    return [Math.floor(begin), Math.min(this.record.cycles, Math.ceil(begin + seen))];
  }

  lay(name) {
    this.layout = LAYOUTS[name];
    this.made = new Map();
    this.element.scrollTop = 0;
    this.#sized();
  }

  zoom(factor) {
    const middle = (this.window[0] + this.window[1]) / 2;
    this.scale = Math.max(Math.min(this.least, this.most), Math.min(this.most, this.scale * factor));
    this.#sized();
    this.element.scrollLeft = middle * this.scale - (this.element.clientWidth - this.gutter) / 2;
    this.paint();
  }

  showAll() { this.zoom(0); }

  /** Scroll to a packet and mark it. */
  show(packet) {
    this.packet = packet;
    if (packet >= 0) {
      const { packets, visits, byPacket } = this.record;
      const visit = byPacket[packet][0];
      const begin = visit === undefined ? packets.offered[packet] : visits.ready[visit];
      const isSeen = begin >= this.window[0] && begin < this.window[1];
      if (!isSeen) this.element.scrollLeft = (begin - 3) * this.scale;
      const lane = this.layout === LAYOUTS.packets ? packet : visits.lane[visit];
      const top = lane * LANE - this.element.scrollTop;
      if (lane !== undefined && (top < 0 || top > this.element.clientHeight - 3 * LANE)) {
        this.element.scrollTop = (lane - 3) * LANE;
      }
    }
    this.paint();
  }

  #resized() {
    if (this.scale < this.least) this.scale = Math.min(this.least, this.most);
    this.#sized();
  }

  #sized() {
    const lanes = this.layout.count(this.record);
    this.room.style.width = `${this.gutter + this.record.cycles * this.scale}px`;
    this.room.style.height = `${Math.min(MOST_WIDTH, RULER + lanes * LANE + 4)}px`;
    this.paint();
  }

  bars(lane) {
    if (!this.made.has(lane)) this.made.set(lane, this.layout.bars(this.record, lane));
    return this.made.get(lane);
  }

  paint() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.#paint();
      this.moved();
    });
  }

  #paint() {
    const { canvas, element: frame, gutter, scale } = this;
    const [width, height] = [frame.clientWidth, frame.clientHeight];
    const sharp = Math.min(2, devicePixelRatio || 1);
    Object.assign(canvas, { width: width * sharp, height: height * sharp });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    const pen = canvas.getContext("2d");
    const look = getComputedStyle(frame);
    const colour = (name) => look.getPropertyValue(`--${name}`);
    pen.setTransform(sharp, 0, 0, sharp, 0, 0);
    pen.clearRect(0, 0, width, height);
    pen.font = "11px 'DejaVu Sans Mono', Menlo, Consolas, monospace";
    pen.textBaseline = "middle";
    const first = Math.floor(frame.scrollTop / LANE);
    const last = Math.min(this.layout.count(this.record), first + Math.ceil(height / LANE) + 1);
    this.#grid(pen, colour, width, height);
    for (let lane = first; lane < last; lane += 1) {
      this.#lane(pen, colour, lane, RULER + lane * LANE - frame.scrollTop, width);
    }
    pen.fillStyle = colour("paper");
    pen.fillRect(0, 0, gutter, RULER);
    pen.fillStyle = colour("faint");
    pen.fillText("cycle", 6, RULER / 2);
    pen.fillStyle = colour("line");
    pen.fillRect(gutter - 1, 0, 1, height);
    this.seen = { first, last, scale };
  }

  #grid(pen, colour, width, height) {
    const rough = 90 / this.scale;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = Math.max(1, [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough));
    const [begin, end] = this.window;
    for (let cycle = Math.ceil(begin / step) * step; cycle <= end; cycle += step) {
      const x = this.#x(cycle);
      if (x < this.gutter) continue;
      pen.fillStyle = colour("line");
      pen.fillRect(x, RULER - 4, 1, height);
      pen.fillStyle = colour("faint");
      if (x < width - 20) pen.fillText(String(cycle), x + 3, RULER / 2 - 1);
    }
  }

  #x(cycle) { return this.gutter + cycle * this.scale - this.element.scrollLeft; }

  #lane(pen, colour, lane, y, width) {
    const air = this.scale > 4 ? 1 : 0;
    pen.save();
    pen.beginPath();
    pen.rect(this.gutter, RULER, width, this.element.clientHeight);
    pen.clip();
    for (const bar of this.bars(lane)) {
      const x = this.#x(bar.from);
      const size = Math.max(1, (bar.to - bar.from) * this.scale - air);
      if (x > width || x + size < this.gutter) continue;
      const isChosen = bar.packet === this.packet;
      const isThin = bar.kind !== "flit";
      pen.fillStyle = colour(isChosen && !isThin ? "chosen" : bar.kind);
      pen.globalAlpha = this.packet < 0 || isChosen ? 1 : 0.38;
      pen.fillRect(x, y + (isThin ? LANE - 5 : 1), size, isThin ? 4 : LANE - 7);
      const text = this.layout === LAYOUTS.channels ? String(bar.packet)
        : this.record.channels[this.record.visits.lane[bar.visit]]?.name ?? "";
      if (isThin || size < text.length * 6.8 + 5) continue;
      pen.fillStyle = colour("paper");
      pen.fillText(text, x + 3, y + LANE / 2 - 2);
    }
    pen.restore();
    pen.fillStyle = colour("paper");
    pen.fillRect(0, Math.max(RULER, y), this.gutter, LANE);
    pen.fillStyle = colour("ink");
    pen.save();
    pen.beginPath();
    pen.rect(0, RULER, this.gutter - 6, this.element.clientHeight);
    pen.clip();
    pen.fillText(this.layout.name(this.record, lane), 6, y + LANE / 2);
    pen.restore();
  }

  #click(event) {
    const frame = this.element.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left - this.element.clientLeft,
      event.clientY - frame.top - this.element.clientTop];
    const lane = Math.floor((y - RULER + this.element.scrollTop) / LANE);
    if (y < RULER || lane >= this.layout.count(this.record)) return;
    const cycle = (x - this.gutter + this.element.scrollLeft) / this.scale;
    const near = 2 / this.scale;
    const bar = this.bars(lane).find(({ from, to }) => cycle >= from - near && cycle < to + near);
    const isName = x < this.gutter && this.layout === LAYOUTS.packets;
    this.chosen(isName ? lane : bar?.packet ?? -1);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") this.zoom(1.5);
    else if (event.key === "-") this.zoom(1 / 1.5);
    else if (event.key === "0") this.showAll();
    else if (event.key === "Escape") this.chosen(-1);
    else return;
    event.preventDefault();
  }
}
