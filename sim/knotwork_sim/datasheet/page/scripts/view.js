// Window on a drawing: zoom by wheel, buttons, keys and two fingers; pan by dragging.

class View {
  /** `surface` gets the events; `changed(view)` is called after every change. */
  constructor(surface, size, changed) {
    Object.assign(this, { surface, changed, whole: { x: 0, y: 0, width: size[0], height: size[1] } });
    this.fingers = new Map();
    surface.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    surface.addEventListener("pointerdown", (event) => this.#down(event));
    surface.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) {
      surface.addEventListener(end, (event) => this.fingers.delete(event.pointerId));
    }
    this.fit();
  }

  fit() { this.#set({ ...this.whole }); }

  /** Pixels of the screen per unit of the drawing, and where its corner is on the surface. */
  get scale() {
    const { clientWidth, clientHeight } = this.surface;
    const scale = Math.min(clientWidth / this.box.width, clientHeight / this.box.height) || 1;
    const left = (clientWidth - this.box.width * scale) / 2 - this.box.x * scale;
    const top = (clientHeight - this.box.height * scale) / 2 - this.box.y * scale;
    return { scale, left, top };
  }

  get isWhole() { return this.box.width >= this.whole.width * 0.999; }

  /** Place on the drawing under a place of the window. */
  place(clientX, clientY) {
    const frame = this.surface.getBoundingClientRect();
    const { scale, left, top } = this.scale;
    return [(clientX - frame.left - left) / scale, (clientY - frame.top - top) / scale];
  }

  /** Zoom in by a factor, around a place on the drawing or the middle. */
  zoom(factor, at = [this.box.x + this.box.width / 2, this.box.y + this.box.height / 2]) {
    const width = Math.min(this.whole.width, Math.max(this.whole.width / 60, this.box.width / factor));
    const ratio = width / this.box.width;
    this.#set({
      x: at[0] - (at[0] - this.box.x) * ratio, y: at[1] - (at[1] - this.box.y) * ratio,
      width, height: this.box.height * ratio,
    });
  }

  /** Move by a vector of the drawing. */
  pan(x, y) { this.#set({ ...this.box, x: this.box.x + x, y: this.box.y + y }); }

  /** Move as little as brings a place into the window. */
  show(x, y) {
    const { box } = this;
    const inside = (value, low, size) => Math.min(Math.max(0, value - low - 0.9 * size), 0.9 * size)
      + Math.min(0, value - low - 0.1 * size);
    if (!this.isWhole) this.pan(inside(x, box.x, box.width), inside(y, box.y, box.height));
  }

  #set(box) {
    const { whole } = this;
    box.x = Math.min(Math.max(box.x, whole.x), whole.x + whole.width - box.width);
    box.y = Math.min(Math.max(box.y, whole.y), whole.y + whole.height - box.height);
    this.box = box;
    this.surface.style.touchAction = this.isWhole ? "pan-y" : "none";
    this.changed(this);
  }

  #wheel(event) {
    // The page scrolls on until the drawing has been chosen.
    if (!event.ctrlKey && !this.surface.contains(document.activeElement)) return;
    event.preventDefault();
    this.zoom(Math.exp(-event.deltaY / 400), this.place(event.clientX, event.clientY));
  }

  #down(event) {
    this.wasDragged = false;
    this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
  }

  #move(event) {
    const before = this.fingers.get(event.pointerId);
    if (!before) return;
    const now = [event.clientX, event.clientY];
    const { scale } = this.scale;
    const other = [...this.fingers].find(([id]) => id !== event.pointerId)?.[1];
    const apart = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
    if (other) {
      const factor = apart(now, other) / Math.max(1, apart(before, other));
      this.zoom(factor, this.place((now[0] + other[0]) / 2, (now[1] + other[1]) / 2));
    } else if (this.wasDragged || apart(now, before) > 4) {
      this.wasDragged = true;
      this.surface.setPointerCapture(event.pointerId);
      this.pan((before[0] - now[0]) / scale, (before[1] - now[1]) / scale);
    } else {
      return;
    }
    this.wasDragged = true;
    this.fingers.set(event.pointerId, now);
  }
}
