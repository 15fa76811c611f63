// Geometry of a drawing: boxes, and links trimmed to the boxes' rims.

/** Boxes and lines of a drawing in SVG, by their names. */
function shapeOfSvg(svg) {
  const boxes = new Map();
  const lines = new Map();
  const number = (box, name) => Number(box.getAttribute(name));
  for (const group of svg.querySelectorAll("g")) {
    const box = group.querySelector(":scope > rect");
    const names = [group.id, box?.id].filter((name) => /^(router|node)-/.test(name ?? ""));
    const place = box && {
      x: number(box, "x"), y: number(box, "y"), width: number(box, "width"), height: number(box, "height"),
    };
    for (const name of names) boxes.set(name, place);
  }
  for (const path of svg.querySelectorAll("path[id^=link-]")) {
    const colour = path.parentNode.getAttribute("stroke");
    lines.set(path.id, { path: path.getAttribute("d"), colour });
  }
  const { x, y, width, height } = svg.viewBox.baseVal;
  return { boxes, lines, size: [x + width, y + height] };
}

/** The same of the places that stand for a large drawing. */
function shapeOfPlaces(drawing) {
  const boxes = new Map(drawing.boxes.map(([name, x, y, width, height, label]) => (
    [name, { x, y, width, height, label }])));
  const lines = new Map(drawing.lines.map(([name, path, colour, marked]) => (
    [name, { path, colour, marked }])));
  return { boxes, lines, size: drawing.size.slice(2).map(Number) };
}

function isInside(box, [x, y], air = 0) {
  return box !== undefined && x > box.x - air && x < box.x + box.width + air
    && y > box.y - air && y < box.y + box.height + air;
}

const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];

/** Points along a step from box to box, `aside` to the right of its link. */
function pointsOf(shape, step, aside = 0) {
  const line = shape.lines.get(step.id);
  if (!line) return [];
  line.points ??= sampled(line.path);
  const points = step.isForward ? line.points : [...line.points].reverse();
  const [from, to] = [shape.boxes.get(step.from), shape.boxes.get(step.to)];
  const free = points.filter((point) => !isInside(from, point, 1) && !isInside(to, point, 2));
  return aside ? shifted(free, aside) : free;
}

function sampled(path) {
  const drawn = drawnElement("path", { d: path });
  const length = drawn.getTotalLength();
  const count = Math.max(24, Math.min(160, Math.round(length / 6)));
  return Array.from({ length: count + 1 }, (_, number) => {
    const { x, y } = drawn.getPointAtLength((length * number) / count);
    return [x, y];
  });
}

/** Points to the right of a line. */
function shifted(points, aside) {
  return points.map(([x, y], number) => {
    const before = points[Math.max(0, number - 1)];
    const after = points[Math.min(points.length - 1, number + 1)];
    const length = Math.hypot(after[0] - before[0], after[1] - before[1]) || 1;
    const along = [(after[0] - before[0]) / length, (after[1] - before[1]) / length];
    return [x - along[1] * aside, y + along[0] * aside];
  });
}

const polyline = (points) => `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}`;
