// The form: a network, its routing and router, and the keys that these have.

class Form {
  /** `changed()` is called whenever something else is chosen. */
  constructor(data, changed) {
    Object.assign(this, { data, changed, kept: {} });
    this.network = this.#select("network", "network", data.networks, () => this.#chooseNetwork());
    this.summary = element("p", { class: "rule note" });
    this.routing = this.#select("routing", "routing", [], () => this.#chooseRouting());
    this.router = this.#select("router", "router", [], () => this.#chooseRouter());
    this.routingSummary = element("p", { class: "rule note" });
    this.required = element("div", { class: "chosen-keys" });
    this.others = element("div", { class: "chosen-keys" });
    this.further = element("input", { type: "text", id: "further", placeholder: "node.width=64", input: changed,
      autocomplete: "off", spellcheck: "false", "aria-describedby": "further-rule" });
    const further = element("div", { class: "field broad" }, element("label", { for: "further" }, "further words"),
      this.further, element("span", { class: "rule", id: "further-rule" },
        "as on a command line: keys of nodes, buses and an address map"));
    this.element = element("form", { class: "card", submit: (event) => event.preventDefault() },
      element("h2", {}, "Network"), this.network.field, this.summary, this.required,
      this.routing.field, this.routingSummary, this.router.field,
      element("details", {}, element("summary", {}, "More keys"), this.others, further));
    this.network.select.value = "hypercube";
    this.#chooseNetwork();
  }

  #select(name, label, entries, chosen) {
    const select = element("select", { id: `choose-${name}`, input: chosen },
      entries.map((entry) => element("option", { value: entry.name }, entry.name)));
    return { select, field: element("div", { class: `field ${name}` },
      element("label", { for: `choose-${name}` }, label), select) };
  }

  get chosen() { return this.data.networks.find(({ name }) => name === this.network.select.value); }

  get isDrawn() { return this.chosen.drawn; }

  get #routing() {
    return this.chosen.routings.find(({ name }) => name === this.routing.select.value);
  }

  #chooseNetwork() {
    const { summary, routings, start } = this.chosen;
    this.kept = { ...start };
    this.summary.textContent = `${summary}.`;
    this.routing.select.replaceChildren(...routings.map(({ name }) => element("option", { value: name }, name)));
    this.#chooseRouting();
  }

  #chooseRouting() {
    const routers = Object.keys(this.#routing.keys);
    this.routingSummary.textContent = `${this.#routing.summary}.`;
    this.router.select.replaceChildren(...routers.map((name) => element("option", { value: name }, name)));
    this.router.field.hidden = routers.length < 2;
    this.#chooseRouter();
  }

  /** Make the fields of the keys; what was written stays where the key is still there. */
  #chooseRouter() {
    for (const field of this.fields ?? []) {
      if (field.network === this.chosen.name) this.kept[field.key] = field.value;
    }
    this.fields = this.#routing.keys[this.router.select.value].map((place) => {
      const declared = this.data.keys[place];
      const field = new KeyField(declared, this.kept[declared.key], this.changed);
      field.network = this.chosen.name;
      return field;
    });
    const isFirst = ({ declared }) => declared.required || declared.key === "data_width"
      || declared.key in this.chosen.start;
    this.required.replaceChildren(...this.fields.filter(isFirst).map((field) => field.element));
    this.others.replaceChildren(...this.fields.filter((field) => !isFirst(field)).map((field) => field.element));
    this.changed();
  }

  /** Words of a command line. */
  get words() {
    const [routing, router] = [this.routing.select, this.router.select];
    return [this.chosen.name, ...this.fields.flatMap((field) => field.words),
      ...(routing.selectedIndex > 0 ? [`routing=${routing.value}`] : []),
      ...(router.selectedIndex > 0 ? [`router=${router.value}`] : []), ...wordsOf(this.further.value)];
  }

  /** Mark the fields that a line refuses; none for null. */
  mark(line) {
    for (const field of this.fields) field.mark(line);
  }
}
