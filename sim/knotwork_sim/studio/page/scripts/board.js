// The board: routers and links that one draws, with a pointer or with keys.

const BOARD = { width: 560, height: 340, half: 17 };

class Board {
  /** `changed()` is called whenever the graph is another. */
  constructor(changed) {
    Object.assign(this, { changed, wiring: new Wiring(), chosen: null, start: null, drag: null });
    this.svg = drawnElement("svg", {
      class: "board", viewBox: `0 0 ${BOARD.width} ${BOARD.height}`, tabindex: "0", role: "application",
      "aria-label": "Board of routers and links. Arrow keys choose a router, with Shift they move it. N adds one "
        + "beside it, L and then L at another joins or parts the two, plus and minus change its nodes, Delete takes "
        + "it away.",
      pointerdown: (event) => this.#down(event), pointermove: (event) => this.#move(event),
      pointerup: (event) => this.#up(event), pointercancel: () => this.#drop(),
      keydown: (event) => this.#key(event),
    });
    this.said = element("p", { class: "unseen", "aria-live": "polite" });
    this.text = element("textarea", { rows: 6, "aria-label": "links, two routers a line", spellcheck: "false",
      input: () => this.#read() });
    this.wrong = element("p", { class: "reason", "aria-live": "polite" });
    const button = (sign, label, action) => element("button", { type: "button", title: label,
      "aria-label": label, click: action }, sign);
    this.nodes = element("span", {}, "");
    this.buttons = [button("−", "One node less", () => this.#count(-1)), this.nodes,
      button("+", "One node more", () => this.#count(1)), element("span", { class: "gap" }),
      button("Delete", "Delete what is chosen", () => this.#remove()),
      button("Clear", "Clear the board", () => this.#clear())];
    this.element = element("section", { class: "card" }, element("h2", {}, "Draw a graph of your own"),
      element("p", { class: "hint" }, "Click to add a router. Drag its blue dot to another to join them, or to an "
        + "empty place. Drag a router to move it."), this.svg,
      element("div", { class: "board-tools" }, this.buttons), this.said,
      element("details", {}, element("summary", {}, "Links as text"), this.text, this.wrong));
    this.show();
  }

  get graph() { return this.wiring.graph; }

  /** Draw the board anew, and its text unless that is being written. */
  show({ isWritten = false } = {}) {
    const { wiring, chosen } = this;
    const links = wiring.links.flatMap((ends, place) => {
      const [from, to] = ends.map((end) => wiring.routers[end]);
      const line = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
      const isChosen = chosen?.link === place;
      return [drawnElement("line", { ...line, class: isChosen ? "wire chosen" : "wire" }),
        drawnElement("line", { ...line, class: "near", "data-link": place })];
    });
    const routers = wiring.routers.map((router, number) => this.#box(router, number));
    const drawn = this.drag?.from === undefined ? [] : [drawnElement("line", { class: "wire drawn",
      x1: wiring.routers[this.drag.from].x, y1: wiring.routers[this.drag.from].y, x2: this.drag.x, y2: this.drag.y })];
    this.svg.replaceChildren(...links, ...drawn, ...routers);
    const router = wiring.routers[chosen?.router];
    this.nodes.textContent = router ? `${router.nodes} ${router.nodes === 1 ? "node" : "nodes"}` : "nodes";
    for (const place of [0, 2]) this.buttons[place].disabled = !router;
    this.buttons[4].disabled = chosen === null;
    if (!isWritten) {
      this.text.value = wiring.text;
      this.wrong.textContent = "";
    }
  }

  #box({ x, y, nodes }, number) {
    const { half } = BOARD;
    const parts = [this.chosen?.router === number ? "chosen" : "", this.start === number ? "start" : ""];
    return drawnElement("g", { class: `router ${parts.join(" ")}`, "data-router": number },
      drawnElement("rect", { x: x - half, y: y - half, width: 2 * half, height: 2 * half, rx: 8 }),
      drawnElement("text", { x, y: nodes === 1 ? y + 5 : y + 2 }, String(number)),
      nodes === 1 ? null : drawnElement("text", { x, y: y + 13, class: "count" }, `${nodes} n`),
      drawnElement("circle", { class: "handle", cx: x + half, cy: y - half, r: 7, "data-handle": number }));
  }

  #place(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    const { width, height, half } = BOARD;
    return [Math.min(Math.max(x, half), width - half), Math.min(Math.max(y, half), height - half)];
  }

  #routerAt([x, y]) {
    return this.wiring.routers.findIndex((router) => (
      Math.max(Math.abs(router.x - x), Math.abs(router.y - y)) < BOARD.half + 6));
  }

  #down(event) {
    const { handle, link } = event.target.dataset;
    const [x, y] = this.#place(event);
    const router = event.target.closest?.("[data-router]")?.dataset.router;
    this.svg.setPointerCapture(event.pointerId);
    if (handle !== undefined) this.drag = { from: Number(handle), x, y };
    else if (router !== undefined) this.drag = { router: Number(router) };
    else if (link === undefined) this.drag = { isEmpty: true };
    this.start = null;
    this.chosen = handle !== undefined ? { router: Number(handle) } : router !== undefined
      ? { router: Number(router) } : link !== undefined ? { link: Number(link) } : null;
    this.show();
  }

  #move(event) {
    if (!this.drag) return;
    const [x, y] = this.#place(event);
    if (this.drag.from !== undefined) Object.assign(this.drag, { x, y });
    else if (this.drag.router !== undefined) Object.assign(this.wiring.routers[this.drag.router], { x, y });
    this.show();
  }

  #up(event) {
    const { drag } = this;
    this.drag = null;
    const place = this.#place(event);
    if (drag?.from !== undefined) {
      let end = this.#routerAt(place);
      if (end !== drag.from) {
        if (end < 0) end = this.wiring.addRouter(...place);
        this.wiring.toggleLink(drag.from, end);
        this.chosen = { router: end };
        this.#change();
      }
    } else if (drag?.isEmpty) {
      this.chosen = { router: this.wiring.addRouter(...place) };
      this.#change();
    }
    this.show();
  }

  #drop() {
    this.drag = null;
    this.show();
  }

  #change() {
    this.show();
    this.changed();
  }

  #count(more) {
    const router = this.wiring.routers[this.chosen?.router];
    if (!router) return;
    router.nodes = Math.min(Math.max(router.nodes + more, 0), 64);
    this.#change();
  }

  #remove() {
    if (this.chosen?.router !== undefined) this.wiring.removeRouter(this.chosen.router);
    else if (this.chosen) this.wiring.links.splice(this.chosen.link, 1);
    this.chosen = null;
    this.start = null;
    this.#change();
  }

  #clear() {
    this.wiring.routers = [];
    this.wiring.links = [];
    this.chosen = null;
    this.start = null;
    this.#change();
  }

  #read() {
    const wrong = this.wiring.read(this.text.value);
    this.wrong.textContent = wrong ?? "";
    if (wrong !== null) return;
    this.chosen = null;
    this.start = null;
    this.show({ isWritten: true });
    this.changed();
  }

  #key(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const move = moves[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (move && event.shiftKey) this.#shift(move);
    else if (move) this.#choose(move);
    else if (event.key === "n" || event.key === "N") this.#add();
    else if (event.key === "l" || event.key === "L") this.#link();
    else if (event.key === "+" || event.key === "=") this.#count(1);
    else if (event.key === "-") this.#count(-1);
    else if (event.key === "Delete" || event.key === "Backspace") this.#remove();
    else if (event.key === "Escape") {
      this.chosen = null;
      this.start = null;
      this.show();
    } else return;
    event.preventDefault();
    const { router } = this.chosen ?? {};
    const isStart = this.start === null ? "" : `, a link begins at router ${this.start}`;
    this.said.textContent = router === undefined ? "nothing is chosen" : `router ${router} of `
      + `${this.wiring.routers.length}${isStart}`;
  }

  #shift([right, down]) {
    const router = this.wiring.routers[this.chosen?.router];
    if (!router) return;
    router.x = Math.min(Math.max(router.x + 10 * right, BOARD.half), BOARD.width - BOARD.half);
    router.y = Math.min(Math.max(router.y + 10 * down, BOARD.half), BOARD.height - BOARD.half);
    this.show();
  }

  /** Choose the nearest router in a direction. */
  #choose([right, down]) {
    const { routers } = this.wiring;
    if (!routers.length) return;
    let best = this.chosen?.router ?? 0;
    if (this.chosen?.router !== undefined) {
      const { x, y } = routers[best];
      let least = Infinity;
      routers.forEach((router, number) => {
        const along = (router.x - x) * right + (router.y - y) * down;
        const across = Math.abs((router.x - x) * down) + Math.abs((router.y - y) * right);
        if (along > 1 && along + 2 * across < least) [least, best] = [along + 2 * across, number];
      });
    }
    this.chosen = { router: best };
    this.show();
  }

  /** Add a router in the freest place, joined to the one that is chosen. */
  #add() {
    const from = this.chosen?.router;
    let best = [BOARD.width / 2, BOARD.height / 2];
    let most = -1;
    for (let x = 40; x < BOARD.width; x += 60) {
      for (let y = 40; y < BOARD.height; y += 60) {
        const free = Math.min(120, ...this.wiring.routers.map((router) => Math.hypot(router.x - x, router.y - y)));
        const near = from === undefined ? 0 : Math.hypot(this.wiring.routers[from].x - x, this.wiring.routers[from].y - y);
        if (2 * free - near / 2 > most) [most, best] = [2 * free - near / 2, [x, y]];
      }
    }
    const made = this.wiring.addRouter(...best);
    if (from !== undefined) this.wiring.toggleLink(from, made);
    this.chosen = { router: made };
    this.#change();
  }

  #link() {
    const router = this.chosen?.router;
    if (router === undefined) return;
    if (this.start === null) {
      this.start = router;
      this.show();
      return;
    }
    this.wiring.toggleLink(this.start, router);
    this.start = null;
    this.#change();
  }
}
