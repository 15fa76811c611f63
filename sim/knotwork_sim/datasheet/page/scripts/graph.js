// The network's graph: where channels lead, and which element of the drawing is a channel's link.

class Graph {
  constructor(data) {
    Object.assign(this, data);
    this.channels = new Map();
    for (const [router, port, far, farPort] of data.links) {
      const isFirst = data.oneWay || router < far || (router === far && port < farPort);
      const id = isFirst ? `link-${router}-${port}` : `link-${far}-${farPort}`;
      this.channels.set(`${router}:${port}`, { id, far, farPort, isForward: isFirst });
    }
    this.ejections = new Map();
    this.entries = data.nodes.map(() => []);
    for (const [router, port, node] of data.attached) {
      this.ejections.set(`${router}:${port}`, node);
      this.entries[node].push([router, port]);
    }
  }

  /** Nodes and routers are drawn apart. */
  get isApart() { return this.attached.length > 0; }

  /** Channel that leaves a router by a port; undefined for a node's. */
  channel(router, port) { return this.channels.get(`${router}:${port}`); }

  /** Name of the box that stands for a node. */
  nodeBox(node) { return this.isApart ? `node-${node}` : `router-${this.places[node]}`; }

  /** Link between two boxes, in the direction of a packet that leaves a router by a port. */
  step(router, port) {
    const channel = this.channel(router, port);
    if (channel) {
      return { id: channel.id, isForward: channel.isForward, from: `router-${router}`,
        to: `router-${channel.far}`, key: `${router}:${port}` };
    }
    const node = this.ejections.get(`${router}:${port}`);
    if (node === undefined) return null;
    return { id: `link-${router}-${port}`, isForward: true, from: `router-${router}`,
      to: `node-${node}`, key: `${router}:${port}` };
  }

  /** Link by which a node's packet enters a router; null where both are one box. */
  entry(node, router) {
    const at = this.entries[node].find(([first]) => first === router);
    if (!at) return null;
    return { id: `link-${at[0]}-${at[1]}`, isForward: false, from: `node-${node}`,
      to: `router-${at[0]}`, key: `in:${at[0]}:${at[1]}` };
  }

  /** Node that a word names, an index or @label; -1 for none. */
  node(word) {
    const text = word.trim();
    if (text.startsWith("@")) return this.nodes.indexOf(text.slice(1));
    if (/^[0-9]+$/.test(text) && Number(text) < this.nodes.length) return Number(text);
    return this.nodes.indexOf(text);
  }
}
