// The studio: a form, what is known of the network that it names, and what one takes from it.

class Studio {
  constructor(data) {
    this.alert = element("p", { class: "alert", role: "alert", hidden: true });
    this.busy = element("p", { class: "busy", role: "status" });
    this.shown = element("div");
    this.latest = new Latest((request, isLast) => this.#work(request, isLast));
    const changed = calm(() => this.latest.ask(this.asked), 250);
    this.board = new Board(changed);
    this.form = new Form(data, () => {
      this.board.element.hidden = !this.form?.isDrawn;
      changed();
    });
    this.board.element.hidden = !this.form.isDrawn;
    this.sweep = new SweepPanel(data.patterns, () => this.asked).element;
    const files = new DownloadPanel(data.flows, () => this.asked).element;
    this.element = element("main", { class: "studio" },
      element("div", { class: "chooser" }, this.form.element, files),
      element("div", {}, this.board.element, this.alert, this.busy, this.shown, this.sweep));
  }

  /** Network of the form, as a request names it. */
  get asked() {
    return { words: this.form.words, graph: this.form.isDrawn ? this.board.graph : null };
  }

  /** Show facts, and then the whole sheet, unless the form has changed meanwhile. */
  async #work(request, isLast) {
    const isNew = JSON.stringify(request) !== this.request;
    if (!isNew) return;
    this.busy.textContent = "looking at it ...";
    const { answer, refused } = await ask("facts", request);
    if (!isLast()) return;
    this.#refuse(refused ?? null);
    this.busy.textContent = "";
    if (refused) {
      this.request = null;
      return;
    }
    this.request = JSON.stringify(request);
    const note = answer.note ? element("p", { class: "note" }, answer.note) : null;
    const undrawn = answer.undrawn ? element("p", { class: "note" }, answer.undrawn) : null;
    if (!answer.drawn || !this.sheet) {
      this.#show(element("article", { class: "sheet" }, headPart(answer.head), note, undrawn,
        element("div", { class: "tables" }, answer.tables.map((one) => tableBlock(one)))));
    }
    if (!answer.drawn) {
      this.sheet = null;
      return;
    }
    this.busy.textContent = `drawing ${answer.name} ...`;
    this.shown.classList.toggle("stale", Boolean(this.sheet));
    const drawn = await ask("sheet", request);
    if (!isLast()) return;
    this.busy.textContent = "";
    this.#refuse(drawn.refused ?? null);
    if (drawn.refused) return;
    this.sheet?.stop();
    this.sheet = new Sheet(drawn.answer);
    if (note) this.sheet.element.querySelector("header").append(note);
    this.#show(this.sheet.element);
  }

  /** Line that says why the form is refused, as the command line says it. */
  #refuse(line) {
    this.alert.hidden = line === null;
    this.alert.textContent = line === null ? "" : `knotwork: error: ${line}`;
    this.shown.classList.toggle("stale", line !== null);
    this.form.mark(line);
  }

  #show(made) {
    this.shown.classList.remove("stale");
    const place = made.querySelector(".stage");
    if (place) place.after(this.sweep);
    else this.shown.after(this.sweep);
    this.shown.replaceChildren(made);
  }
}

async function startStudio() {
  const top = element("div", { class: "top" }, element("h1", {}, "Knotwork studio"), themeButton());
  const footer = element("footer", {}, element("p", {}, `knotwork ${document.body.dataset.version}, on this machine.`));
  const waiting = element("p", { class: "busy", role: "status" }, "starting ...");
  document.body.append(top, waiting);
  const { answer, refused } = await ask("form", {});
  if (refused) waiting.replaceWith(element("p", { class: "alert", role: "alert" }, refused));
  else waiting.replaceWith(new Studio(answer).element, footer);
}

startStudio();
