// The archive of a network's files.

class DownloadPanel {
  /** `asked()` gives the network of the form, as a request names it. */
  constructor(flows, asked) {
    this.asked = asked;
    this.testbench = element("input", { type: "checkbox", checked: true });
    this.flows = flows.map((name) => [name, element("input", { type: "checkbox" })]);
    this.button = element("button", { type: "submit", class: "primary" }, "Download");
    this.says = element("p", { class: "busy", role: "status" });
    this.element = element("form", { class: "card", submit: (event) => this.#load(event) },
      element("h2", {}, "Files"),
      element("p", { class: "hint" }, "Verilog, manifest.json, a FuseSoC core, and lint waivers for Verilator."),
      element("label", {}, this.testbench, " a cocotb testbench"),
      element("details", {}, element("summary", {}, "For other tools"), element("div", { class: "flows" },
        this.flows.map(([name, input]) => element("label", {}, input, ` ${name}`)))),
      this.button, this.says);
  }

  async #load(event) {
    event.preventDefault();
    const flows = this.flows.filter(([, input]) => input.checked).map(([name]) => name);
    this.button.disabled = true;
    this.#say("writing Verilog ...");
    const { answer, refused } = await ask("files", { ...this.asked(), flows, testbench: this.testbench.checked });
    this.button.disabled = false;
    if (refused) {
      this.#say(`knotwork: error: ${refused}`, "alert");
      return;
    }
    const bytes = Uint8Array.from(atob(answer.archive), (letter) => letter.charCodeAt(0));
    const address = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
    element("a", { href: address, download: answer.name }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10_000);
    this.#say(`${answer.name}: ${answer.files.join(", ")}`);
  }

  #say(text, kind = "busy") {
    this.says.className = kind;
    this.says.textContent = text;
  }
}
