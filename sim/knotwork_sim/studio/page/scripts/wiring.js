// A graph of one's own: routers at places, how many nodes each has, and links.

class Wiring {
  constructor() {
    this.routers = [];
    this.links = [];
    const around = [[180, 90], [380, 90], [380, 250], [180, 250]];
    for (const [x, y] of around) this.addRouter(x, y);
    for (const ends of [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2]]) this.toggleLink(...ends);
  }

  addRouter(x, y) {
    this.routers.push({ x, y, nodes: 1 });
    return this.routers.length - 1;
  }

  /** Take a router and its links away; those behind it move up. */
  removeRouter(number) {
    this.routers.splice(number, 1);
    const moved = (end) => end - (end > number ? 1 : 0);
    this.links = this.links.filter((ends) => !ends.includes(number)).map((ends) => ends.map(moved));
  }

  linkBetween(first, second) {
    return this.links.findIndex((ends) => ends.includes(first) && ends.includes(second));
  }

  /** Join two routers, or part them where they are joined. */
  toggleLink(first, second) {
    const place = this.linkBetween(first, second);
    if (first === second) return;
    if (place >= 0) this.links.splice(place, 1);
    else this.links.push([first, second]);
  }

  /** Graph in node-link form, as `graph file=drawn.json` reads it. */
  get graph() {
    return {
      directed: false,
      nodes: this.routers.map(({ nodes }, number) => ({ id: String(number), ...(nodes === 1 ? {} : { nodes }) })),
      links: this.links.map(([source, target]) => ({ source: String(source), target: String(target) })),
    };
  }

  /** Links as lines of two routers. */
  get text() { return this.links.map((ends) => ends.join(" ")).join("\n"); }

  /** Read such lines; a line that says why not where one is of another form. */
  read(text) {
    const links = [];
    for (const [place, line] of text.split("\n").entries()) {
      const words = wordsOf(line.split("#")[0]);
      if (!words.length) continue;
      const ends = words.map(Number);
      if (words.length !== 2 || !words.every((word) => /^[0-9]{1,3}$/.test(word)) || ends[0] === ends[1]) {
        return `line ${place + 1}: must be two routers, as in 0 1, not '${line.trim().slice(0, 40)}'`;
      }
      if (links.some((link) => link.includes(ends[0]) && link.includes(ends[1]))) {
        return `line ${place + 1}: two routers must be joined once, not ${ends.join(" and ")} twice`;
      }
      links.push(ends);
    }
    const count = Math.max(0, ...links.flat().map((end) => end + 1));
    const angle = (number) => (2 * Math.PI * number) / Math.max(count, 1);
    for (let number = this.routers.length; number < count; number += 1) {
      this.addRouter(280 + 220 * Math.sin(angle(number)), 170 - 140 * Math.cos(angle(number)));
    }
    this.routers.length = count;
    this.links = links;
    return null;
  }
}
