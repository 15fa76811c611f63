// Elements, tables and command lines, made without any library.

const SVG_SPACE = "http://www.w3.org/2000/svg";

/** Element with attributes and children; a function as an attribute listens to that event. */
function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same of an SVG. */
function drawnElement(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG_SPACE, tag), attributes, children);
}

function filled(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const ICONS = {
  play: "M4 2l10 6-10 6z", pause: "M4 2h3v12H4zM10 2h3v12h-3z", on: "M3 2l8 6-8 6zM11 2h2v12h-2z",
  back: "M13 2L5 8l8 6zM3 2h2v12H3z", first: "M14 2L8 8l6 6zM8 2L2 8l6 6zM1 2h1.5v12H1z",
};

/** Button with an icon, which needs no font to have it. */
function iconButton(name, label, action) {
  const button = element("button", { type: "button", click: action });
  setIcon(button, name, label);
  return button;
}

function setIcon(button, name, label) {
  const shape = drawnElement("path", { d: ICONS[name], fill: "currentColor" });
  button.replaceChildren(drawnElement("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
    shape));
  button.setAttribute("aria-label", label);
  button.title = label;
}

/** Command line that gives what stands above it, and a button that copies it. */
function commandLine(command) {
  if (!command) return null;
  const button = element("button", {
    type: "button", class: "copy", "aria-label": `Copy the command: ${command}`,
    click: () => copied(button, command),
  }, "copy");
  return element("p", { class: "command" }, element("code", {}, command), button);
}

/** Copy text, and say so on the button; from a file, browsers may allow the old way only. */
async function copied(button, text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = element("textarea", { class: "unseen" });
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  button.textContent = "copied";
  setTimeout(() => { button.textContent = "copy"; }, 1500);
}

/** Table with its title and command; a reason stands in its place where there is none. */
function tableBlock(content, { heading = "h3" } = {}) {
  const title = element(heading, {}, content.title);
  if (content.reason) return element("div", { class: "block" }, title, reason(content.reason));
  const head = element("tr", {}, content.columns.map((name) => element("th", { scope: "col" }, name)));
  const rows = content.rows.map(([first, ...rest]) => element("tr", {},
    element("th", { scope: "row" }, first), rest.map((cell) => element("td", {}, cell))));
  const table = element("table", {}, element("thead", {}, head), element("tbody", {}, rows));
  const scroller = { class: "wide", tabindex: "0", role: "region", "aria-label": content.title };
  return element("div", { class: "block" }, title, element("div", scroller, table),
    commandLine(content.command));
}

/** Line that says why something is not there. */
function reason(text) {
  return element("p", { class: "reason" }, text);
}

/** Number with few digits: 0.125, 12.3, 1234. */
function short(value) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  return Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3)));
}

/** Bytes that the page holds packed: base64 of what zlib compressed. */
async function unpacked(letters) {
  const bytes = Uint8Array.from(atob(letters), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
