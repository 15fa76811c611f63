// Ways of packets from any node to any other, as Python computed them.

class Routes {
  static async of(data, graph) {
    const routes = new Routes();
    routes.graph = graph;
    if (data.kind === "paths") {
      routes.follow = pathReader(await unpacked(data.paths), graph.nodes.length);
      return routes;
    }
    const words = await unpacked(data.states);
    routes.follow = tableWalker(graph, data.classes, {
      cells: await unpacked(data.cells),
      states: new Uint32Array(words.buffer, 0, words.length / 4),
      symbols: await unpacked(data.symbols),
      lanes: data.lanes ? await unpacked(data.lanes) : null,
    });
    return routes;
  }

  /** Hops of a packet: router, output port and virtual channel; the last one is the ejection. */
  hops(source, destination) {
    const found = this.follow(source, destination);
    let router = found.first ?? this.graph.places[source];
    return found.outputs.map(([port, channel]) => {
      const hop = { router, port, channel };
      router = this.graph.channel(router, port)?.far ?? router;
      return hop;
    });
  }
}

/** What reads the path of a pair from the paths of all. */
function pathReader(bytes, nodes) {
  const starts = new Uint32Array(nodes * nodes);
  for (let pair = 0, at = 0; pair < starts.length; pair += 1) {
    starts[pair] = at;
    at += 1 + 2 * bytes[at];
  }
  return (source, destination) => {
    const at = starts[source * nodes + destination];
    const outputs = Array.from({ length: bytes[at] },
      (_, hop) => [bytes[at + 1 + 2 * hop], bytes[at + 2 + 2 * hop]]);
    return { outputs };
  };
}

/** What follows a table: the usual output of a router to a destination, or that of the state. */
function tableWalker(graph, classes, { cells, states, symbols, lanes }) {
  const nodes = graph.nodes.length;
  const ports = graph.ports.length;
  const symbolOf = (router, port, vcClass, destination) => {
    const state = ((router * ports + port) * classes + vcClass) * nodes + destination;
    let low = 0;
    for (let high = states.length; low < high;) {
      const middle = (low + high) >> 1;
      if (states[middle] < state) low = middle + 1;
      else high = middle;
    }
    return states[low] === state ? symbols[low] : cells[router * nodes + destination];
  };
  return (source, destination) => {
    const base = lanes ? lanes[source * nodes + destination] * classes : 0;
    const outputs = [];
    let [router, port, vcClass] = [graph.places[source], graph.starts[source], 0];
    while (outputs.length < 4096) {
      const symbol = symbolOf(router, port, vcClass, destination);
      const output = Math.floor(symbol / classes);
      vcClass = symbol % classes;
      if (output < graph.local) {
        outputs.push([output, 0]);
        break;
      }
      outputs.push([output, base + vcClass]);
      const channel = graph.channel(router, output);
      [router, port] = [channel.far, channel.farPort];
    }
    return { outputs };
  };
}
