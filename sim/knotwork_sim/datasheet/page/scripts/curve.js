// Latency over load, drawn as a plain SVG.

const PLOT = { width: 560, height: 320, left: 56, right: 16, top: 16, bottom: 46 };

/** Figure of the curves of one network or several: `[{name, points}]`. */
function curveFigure(curves) {
  const met = curves.flatMap(({ points }) => points.filter(([, , latency]) => latency !== null));
  if (!met.length) return reason("No load of the sweep was below saturation.");
  const most = Math.max(...met.map(([, , latency]) => latency)) * 1.08;
  const last = Math.max(...curves.flatMap(({ points }) => points.map(([offered]) => offered)));
  const across = (load) => PLOT.left + (load / last) * (PLOT.width - PLOT.left - PLOT.right);
  const up = (latency) => PLOT.height - PLOT.bottom
    - (latency / most) * (PLOT.height - PLOT.top - PLOT.bottom);
  const svg = drawnElement("svg", { class: "plot", viewBox: `0 0 ${PLOT.width} ${PLOT.height}`, role: "img",
    "aria-label": "Mean latency in cycles over offered load in flits per node per cycle" });
  for (const tick of ticks(last)) {
    svg.append(drawnElement("line", { class: "grid", x1: across(tick), x2: across(tick), y1: PLOT.top,
      y2: PLOT.height - PLOT.bottom }),
    drawnElement("text", { x: across(tick), y: PLOT.height - PLOT.bottom + 17, "text-anchor": "middle" },
      short(tick)));
  }
  for (const tick of ticks(most)) {
    svg.append(drawnElement("line", { class: "grid", x1: PLOT.left, x2: PLOT.width - PLOT.right,
      y1: up(tick), y2: up(tick) }),
    drawnElement("text", { x: PLOT.left - 7, y: up(tick) + 4, "text-anchor": "end" }, short(tick)));
  }
  svg.append(drawnElement("text", { x: (PLOT.left + PLOT.width) / 2, y: PLOT.height - 8,
    "text-anchor": "middle" }, "offered load, flits per node per cycle"),
  drawnElement("text", { x: 14, y: PLOT.height / 2, "text-anchor": "middle",
    transform: `rotate(-90 14 ${PLOT.height / 2})` }, "mean latency, cycles"));
  curves.forEach(({ points }, number) => {
    const colour = WAY_COLOURS[number % WAY_COLOURS.length];
    const known = points.filter(([, , latency]) => latency !== null);
    const line = polyline(known.map(([offered, , latency]) => [across(offered), up(latency)]));
    svg.append(drawnElement("path", { class: "curve", d: line, stroke: colour }));
    for (const [offered, accepted, latency] of known) {
      svg.append(drawnElement("circle", { cx: across(offered), cy: up(latency), r: 3.5, fill: colour },
        drawnElement("title", {}, `offered ${short(offered)}, accepted ${short(accepted)}, latency `
          + `${short(latency)}`)));
    }
  });
  return svg;
}

/** Round numbers from 0 to a highest value. */
function ticks(most) {
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  return Array.from({ length: Math.floor(most / step) + 1 }, (_, number) => number * step);
}

function curvePart(data) {
  const rows = data.points.map(([offered, accepted, latency, saturated]) => [
    short(offered), short(accepted), short(latency), saturated ? "yes" : "no"]);
  return element("section", {}, element("h2", {}, "Latency under load"),
    element("div", { class: "block" }, curveFigure([{ points: data.points }])),
    tableBlock({ title: "Uniform traffic on the golden model", command: data.command, rows,
      columns: ["offered", "accepted", "mean latency", "saturated"] }));
}
