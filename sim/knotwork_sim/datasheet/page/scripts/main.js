// The page: a sheet for each network, made when it is first shown.

function comparedPart(compare, networks) {
  if (!compare) return null;
  const curves = networks.filter(({ curve }) => curve).map(({ curve, head }) => (
    { name: head.name, points: curve.points }));
  const names = curves.map(({ name }, number) => [WAY_COLOURS[number % WAY_COLOURS.length], name]);
  const figure = curves.length > 1 ? element("div", { class: "block" }, element("h3", {},
    "Latency under load"), curveFigure(curves), legend(names)) : null;
  return element("section", { class: "compared" }, tableBlock(compare, { heading: "h2" }), figure);
}

function start() {
  const data = JSON.parse(document.getElementById("datasheet").textContent);
  const { networks } = data;
  const places = networks.map(() => element("div"));
  const sheets = networks.map(() => null);
  const show = (number) => {
    sheets.forEach((sheet) => sheet?.stop());
    if (sheets[number]) return;
    sheets[number] = new Sheet(networks[number]);
    places[number].append(sheets[number].element);
  };
  const tabs = tabList("Networks", networks.map(({ head }, number) => (
    { name: head.name, element: places[number] })), show);
  tabs.list.classList.add("networks");
  document.body.append(
    element("div", { class: "top" }, element("h1", {}, networks.length > 1 ? "Datasheets" : "Datasheet"),
      themeButton()),
    element("main", {}, comparedPart(data.compare, networks), networks.length > 1 ? tabs.list : null,
      ...tabs.bodies),
    element("footer", {}, element("p", {}, `Made by knotwork ${data.version}:`), commandLine(data.command)));
  show(0);
}

start();
