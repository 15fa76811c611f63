// A network's Verilog in a page: instantiates a live module, and gives its functions in JavaScript.
//
//   const network = await KnotworkLive.open(bytes, description);   // Uint8Array of the module
//   const network = await KnotworkLive.unpack(text, description);  // base64 of its deflate
//   network.configure({seed: 1, rate: 0.2, pattern: "uniform", length: 1});
//   network.run(200);
//   network.stats.delivered; network.occupancy[link]; network.deliveries[0].latency;
//
// It needs nothing else and asks no network. In a page it is a plain script, which sets
// `KnotworkLive`; Node requires it. `description` is that of `live_module` in Python.

(function (root) {
  "use strict";

  const RATE_ONE = 65536;
  const RANGE = 4294967296; // of times and seeds: 32 bits

  function bytesOf(base64) {
    const text = atob(base64);
    const bytes = new Uint8Array(text.length);
    for (let place = 0; place < text.length; place++) bytes[place] = text.charCodeAt(place);
    return bytes;
  }

  async function inflated(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  function whole(name, value, least, most) {
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new RangeError(`${name} must be an integer in ${least}..${most}, not ${value}`);
  }

  class Live {
    constructor(instance, description) {
      this.description = description;
      this._exports = instance.exports;
      this.traffic = { seed: 1, rate: 0, pattern: description.patterns[0], length: 1 };
      this.traffic.length = description.lengths[0];
      this.configure({});
      this.reset();
    }

    // Everything as before the first cycle; the traffic of the sources stays as it was set.
    reset() {
      this._exports.reset();
    }

    // Traffic of the sources from the next cycle on; what is not named stays. `rate` is in flits
    // per node and cycle. Throws a RangeError for what the network does not have.
    configure(changes) {
      const { description } = this;
      const wanted = { ...this.traffic, ...changes };
      const pattern = description.patterns.indexOf(wanted.pattern);
      if (pattern < 0) {
        const names = description.patterns.join(", ");
        throw new RangeError(`pattern must be one of ${names}, not ${wanted.pattern}`);
      }
      if (!(wanted.rate >= 0 && wanted.rate <= 1)) {
        throw new RangeError(`rate must be a number in 0..1, not ${wanted.rate}`);
      }
      whole("length", wanted.length, description.lengths[0], description.lengths[1]);
      whole("seed", wanted.seed, 0, RANGE - 1);
      const rate = Math.round(wanted.rate * RATE_ONE);
      this._exports.configure(wanted.seed, rate, pattern, wanted.length);
      this.traffic = wanted;
    }

    // Run so many cycles and tell how many were run: fewer if their deliveries filled the list.
    run(cycles) {
      return this._exports.run(whole("cycles", cycles, 0, RANGE - 1)) >>> 0;
    }

    // Put a packet into a source's queue, to be sent from cycle `time` on, which is now unless it
    // is given. Tells whether there was room, and no later packet of the source before it.
    offer(source, destination, length, time) {
      const { nodes, lengths } = this.description;
      whole("source", source, 0, nodes - 1);
      whole("destination", destination, 0, nodes - 1);
      const flits = whole("length", length ?? lengths[0], lengths[0], lengths[1]);
      const from = whole("time", time ?? this.cycles, 0, RANGE - 1);
      return this._exports.offer(source, destination, flits, from) === 1;
    }

    // Counts since the reset, by name.
    get stats() {
      const words = new DataView(this._exports.memory.buffer, this._exports.stats());
      const counts = {};
      this.description.stats.forEach((name, place) => {
        counts[name] = Number(words.getBigUint64(8 * place, true));
      });
      return counts;
    }

    // Cycles since the reset.
    get cycles() {
      return this.stats.cycles;
    }

    // Flits that crossed each channel in the last run, in the order of `description.links`.
    get occupancy() {
      const { memory, occupancy } = this._exports;
      return new Uint32Array(memory.buffer, occupancy(), this.description.links.length).slice();
    }

    // Packets that arrived in the last run, in order of cycle and node.
    get deliveries() {
      const { memory, deliveries, delivery_count: count } = this._exports;
      const words = new Uint32Array(memory.buffer, deliveries(), 4 * count());
      const found = [];
      for (let place = 0; place < words.length; place += 4) {
        const [source, destination, created, arrived] = words.subarray(place, place + 4);
        found.push({ source, destination, created, arrived, latency: (arrived - created) >>> 0 });
      }
      return found;
    }
  }

  const KnotworkLive = {
    // Network of a module's bytes.
    async open(bytes, description) {
      const { instance } = await WebAssembly.instantiate(bytes, {});
      return new Live(instance, description);
    },

    // Network of a module as base64 of its deflate (zlib), as a page carries it.
    async unpack(base64, description) {
      return KnotworkLive.open(await inflated(bytesOf(base64)), description);
    },
  };

  if (typeof module === "object" && module.exports) module.exports = KnotworkLive;
  else root.KnotworkLive = KnotworkLive;
})(globalThis);
