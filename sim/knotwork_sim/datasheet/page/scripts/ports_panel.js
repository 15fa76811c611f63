// The Verilog's ports, and an instance that a design may take.

/** Verilog that declares a wire for each port and places the network. */
function instanceOf({ top, shared, node, groups }, nodes) {
  const ports = [...shared];
  const of = (index, named) => named.map(([name, ...rest]) => [name.replace("<i>", index), ...rest]);
  for (let index = 0; index < nodes; index += 1) ports.push(...of(index, node));
  for (const group of groups) {
    for (const index of group.members) ports.push(...of(index, group.ports));
  }
  const range = (bits) => (bits > 1 ? `[${bits - 1}:0] ` : "");
  const wires = ports.map(([name, , bits]) => `wire ${range(bits)}${name};`);
  const pins = ports.map(([name]) => `    .${name}(${name})`);
  return [...wires, "", `${top} network (`, pins.join(",\n"), ");", ""].join("\n");
}

function portsPart(data, nodes) {
  const rows = [...data.shared, ...data.node, ...data.groups.flatMap((group) => group.ports)]
    .map(([name, way, bits]) => [name, way, String(bits)]);
  const area = element("textarea", { readonly: true, rows: 14, spellcheck: "false",
    "aria-label": "instance in Verilog" });
  const text = instanceOf(data, nodes);
  area.value = text;
  const button = element("button", { type: "button", class: "copy", click: () => copied(button, text) },
    "copy");
  return element("section", { class: "ports" }, element("h2", {}, "Ports and instance"),
    tableBlock({ title: `Ports of ${data.top}`, command: data.command, rows,
      columns: ["port (<i>: each node)", "way", "bits"] }),
    element("div", { class: "block" }, element("h3", {}, "Instance"), area,
      element("p", { class: "command" }, element("span", {}, `${nodes} nodes, `
        + `${text.split("\n").length} lines of Verilog`), button)));
}
