// Large drawing on a canvas: thousands of links in a frame, where an SVG would stutter.

const LINE = 16; // height of a line of a label, in pixels of the drawing

/** Name of the property that has what the page's theme makes of a drawing's colour. */
const themeName = (colour) => `--drawn-${colour.slice(1)}`;

const themed = (colour) => `var(${themeName(colour)}, ${colour})`;

class CanvasBase {
  constructor(shape) {
    this.shape = shape;
    this.element = element("canvas", { class: "base", "aria-hidden": "true" });
    this.paths = [];
    const byColour = new Map();
    for (const { path, colour, marked } of shape.lines.values()) {
      const key = `${colour} ${marked}`;
      if (!byColour.has(key)) byColour.set(key, { colour, marked, path: new Path2D() });
      byColour.get(key).path.addPath(new Path2D(path));
    }
    this.paths = [...byColour.values()];
  }

  /** Paint what a view shows, soon; many changes in a frame are painted once. */
  show(view) {
    this.view = view;
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.#paint();
    });
  }

  #paint() {
    const { element: canvas, view } = this;
    const sharp = Math.min(2, window.devicePixelRatio || 1);
    const [width, height] = [view.surface.clientWidth, view.surface.clientHeight];
    if (canvas.width !== Math.round(width * sharp)) canvas.width = Math.round(width * sharp);
    if (canvas.height !== Math.round(height * sharp)) canvas.height = Math.round(height * sharp);
    const colours = getComputedStyle(canvas);
    const pen = canvas.getContext("2d");
    const { scale, left, top } = view.scale;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(scale * sharp, 0, 0, scale * sharp, left * sharp, top * sharp);
    pen.lineWidth = Math.max(1.5, 0.5 / scale);
    pen.globalAlpha = scale < 0.4 ? 0.55 : 0.85;
    for (const { colour, marked, path } of this.paths) {
      pen.strokeStyle = colours.getPropertyValue(themeName(colour)) || colour;
      pen.setLineDash(marked ? [6, 4] : []);
      pen.stroke(path);
    }
    pen.globalAlpha = 1;
    pen.setLineDash([]);
    this.#boxes(pen, scale, colours);
  }

  #boxes(pen, scale, colours) {
    const { box } = this.view;
    const hasLabels = scale > 0.35;
    pen.fillStyle = colours.getPropertyValue("--paper");
    pen.strokeStyle = colours.getPropertyValue("--ink");
    pen.lineWidth = 1.4;
    pen.font = "13px 'DejaVu Sans Mono', Menlo, Consolas, monospace";
    pen.textAlign = "center";
    const texts = [];
    pen.beginPath();
    for (const one of this.shape.boxes.values()) {
      const isSeen = one.x < box.x + box.width * 2 && one.x + one.width > box.x - box.width
        && one.y < box.y + box.height * 2 && one.y + one.height > box.y - box.height;
      if (!isSeen) continue;
      pen.rect(one.x, one.y, one.width, one.height);
      if (hasLabels) texts.push(one);
    }
    pen.fill();
    pen.stroke();
    pen.fillStyle = colours.getPropertyValue("--ink");
    for (const { label, x, y, width, height } of texts) {
      const lines = label.split("\n");
      const first = y + height / 2 + 4.5 - LINE / 2 * (lines.length - 1);
      lines.forEach((line, row) => pen.fillText(line, x + width / 2, first + LINE * row));
    }
  }
}

class SvgBase {
  constructor(text) {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
    this.element = document.importNode(parsed, true);
    this.element.classList.add("base");
    for (const name of ["width", "height"]) this.element.removeAttribute(name);
    this.shape = shapeOfSvg(this.element);
    for (const name of ["stroke", "fill"]) {
      for (const one of this.element.querySelectorAll(`[${name}^="#"]`)) {
        one.style.setProperty(name, themed(one.getAttribute(name)));
      }
    }
  }

  show({ box }) {
    this.element.setAttribute("viewBox", `${box.x} ${box.y} ${box.width} ${box.height}`);
  }
}
