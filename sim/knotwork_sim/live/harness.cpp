// Nodes around a network's Verilog that CXXRTL has translated: a source and a sink at each, and
// what they saw. `run` drives the ports in every cycle as `rtl/driver.cpp` does without pauses, so
// that both, and the golden model, deliver the same packets in the same cycles.
//
// A source creates packets of its own at random, and takes those that the host offers. What it
// creates depends on seed, node and cycle alone: see `number`. It sends the packet that was created
// first, the host's before its own. All functions that the host calls are in the last part.

#include "design.h"
#include "runtime.h"

namespace {

constexpr uint32_t kPackets = 1 << 16;     // that wait or are in flight, at most
constexpr uint32_t kOwnWaiting = 256;      // of a source's own that wait, at most
constexpr uint32_t kDeliveries = 1 << 16;  // of one run
constexpr uint32_t kNone = ~0u;

struct Packet {
    uint32_t number, created, next;
    uint16_t source, destination, length, taken;
    bool is_used;
};

struct Queue {
    uint32_t first = kNone, last = kNone, count = 0;
};

struct Delivery {
    uint32_t source, destination, created, arrived;
};

// Words of `stats`, in the order of STATS in module.py.
struct Stats {
    uint64_t cycles, created, overflowed, injected, delivered, refused, astray, flits, latency_sum,
        latency_max, waiting, in_flight;
};

Design* design;
Ports ports;
Packet packets[kPackets];
Queue own[kNodes], given[kNodes];
uint32_t sending[kNodes], beat[kNodes];  // packet of each source that is being sent, and its beat
uint32_t last_time[kNodes];              // of the packets that the host has offered
uint32_t first_free, numbered, now;
Stats total;
uint32_t crossed[kLinks ? kLinks : 1];
Delivery delivered[kDeliveries];
uint32_t deliveries_made;

uint32_t the_seed = 1, the_pattern = 0, the_length = 1;
uint64_t threshold = 0;

uint32_t mixed(uint32_t x) {  // finaliser of MurmurHash3
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

// Even number of (seed, node, cycle, purpose); purpose 0 is creation, 1 the destination.
uint32_t number(uint32_t node, uint32_t purpose) {
    return mixed(the_seed ^ mixed(now ^ mixed(2 * node + purpose + 1)));
}

uint32_t make(uint32_t source, uint32_t destination, uint32_t length, uint32_t created,
              Queue& queue) {
    const uint32_t slot = first_free;
    if (slot == kNone) return kNone;
    Packet& packet = packets[slot];
    first_free = packet.next;
    packet = {numbered++, created, kNone, static_cast<uint16_t>(source),
              static_cast<uint16_t>(destination), static_cast<uint16_t>(length), 0, true};
    if (queue.last == kNone) queue.first = slot;
    else packets[queue.last].next = slot;
    queue.last = slot;
    ++queue.count;
    ++total.created;
    ++total.waiting;
    return slot;
}

void discard(uint32_t slot) {
    packets[slot].is_used = false;
    packets[slot].next = first_free;
    first_free = slot;
}

void create(uint32_t node) {
    const uint32_t begin = kFirstChoice[the_pattern * kNodes + node];
    const uint32_t end = kFirstChoice[the_pattern * kNodes + node + 1];
    if (begin == end || number(node, 0) >= threshold) return;
    const uint32_t drawn = number(node, 1);
    uint32_t low = begin, high = end - 1;  // the first choice that reaches as far as `drawn`
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (kChoiceEnd[middle] < drawn) low = middle + 1;
        else high = middle;
    }
    if (own[node].count >= kOwnWaiting ||
        make(node, kChoice[low], the_length, now, own[node]) == kNone)
        ++total.overflowed;
}

// Queue whose first packet a source sends next; none if no packet is due.
Queue* due(uint32_t node) {
    const uint32_t mine = own[node].first, hosts = given[node].first;
    const bool has_hosts = hosts != kNone && packets[hosts].created <= now;
    if (mine == kNone) return has_hosts ? &given[node] : nullptr;
    if (has_hosts && packets[hosts].created <= packets[mine].created) return &given[node];
    return &own[node];
}

void put(uint32_t node) {
    if (sending[node] == kNone) {
        if (Queue* queue = due(node)) {
            const uint32_t slot = sending[node] = queue->first;
            queue->first = packets[slot].next;
            if (queue->first == kNone) queue->last = kNone;
            --queue->count;
        }
    }
    const uint32_t slot = sending[node];
    *ports.s_tvalid[node] = slot != kNone;
    if (slot == kNone) return;
    const Packet& packet = packets[slot];
    *ports.s_tdata[node] = slot | packet.number << 16;
    *ports.s_tdest[node] = kAddress[packet.destination];
    *ports.s_tlast[node] = beat[node] == packet.length - 1u;
}

void take(uint32_t node) {
    if (!*ports.m_tvalid[node]) return;
    ++total.flits;
    const uint32_t word = *ports.m_tdata[node], slot = word & 0xFFFF;
    Packet& packet = packets[slot];
    bool is_right = packet.is_used && (packet.number & 0xFFFF) == word >> 16 &&
                    packet.destination == node && packet.taken < packet.length;
    if (kHasSource && is_right) is_right = *ports.m_tid[node] == kAddress[packet.source];
    if (is_right) is_right = *ports.m_tlast[node] == (packet.taken + 1u == packet.length);
    if (!is_right) {
        ++total.astray;
        return;
    }
    if (++packet.taken < packet.length) return;
    const uint32_t latency = now - packet.created;
    ++total.delivered;
    --total.in_flight;
    total.latency_sum += latency;
    if (latency > total.latency_max) total.latency_max = latency;
    delivered[deliveries_made++] = {packet.source, node, packet.created, now};
    discard(slot);
}

void go_on(uint32_t node) {
    const uint32_t slot = sending[node];
    if (slot == kNone || !*ports.s_tready[node]) return;
    if (beat[node]++ == 0) {
        ++total.injected;
        --total.waiting;
        ++total.in_flight;
    }
    if (beat[node] < packets[slot].length) return;
    beat[node] = 0;
    sending[node] = kNone;
}

void edge() {
    // What reads the registers was settled before; all that the edge moves is registers, so one
    // evaluation is enough, and what follows from them is settled in the next cycle.
    design->p_clk.set<bool>(true);
    design->eval();
    design->commit();
    design->p_clk.set<bool>(false);
}

void cycle() {
    for (uint32_t node = 0; node < kNodes; ++node) {
        if (threshold) create(node);
        put(node);
    }
    design->step();
    for (uint32_t node = 0; node < kNodes; ++node) {
        take(node);
        total.refused += *ports.refused[node];
        go_on(node);
    }
    for (uint32_t link = 0; link < kLinks; ++link) crossed[link] += ports.crosses(link);
    edge();
    ++now;
    ++total.cycles;
}

}  // namespace

#define KNOTWORK_EXPORT(name) extern "C" __attribute__((export_name(#name)))

// Everything as it is before the first cycle, but for what `configure` has set.
KNOTWORK_EXPORT(reset) void reset() {
    if (design) design->reset();
    else design = new Design;
    ports.connect(*design);
    for (uint32_t slot = 0; slot < kPackets; ++slot) packets[slot] = {};
    for (uint32_t slot = 0; slot < kPackets; ++slot)
        packets[slot].next = slot + 1 < kPackets ? slot + 1 : kNone;
    first_free = numbered = now = deliveries_made = 0;
    total = {};
    for (auto& count : crossed) count = 0;
    for (uint32_t node = 0; node < kNodes; ++node) {
        own[node] = given[node] = {};
        sending[node] = kNone;
        beat[node] = last_time[node] = 0;
        *ports.s_tvalid[node] = 0;
        *ports.m_tready[node] = 1;
    }
    design->p_rst.set<bool>(true);
    design->p_clk.set<bool>(false);
    for (int turn = 0; turn < 2; ++turn) {
        design->step();
        edge();
    }
    design->p_rst.set<bool>(false);
}

// Traffic of the sources from the next cycle on: `rate` flits per node and cycle in 1/65536.
// Answers 0, and changes nothing, for what the network does not have.
KNOTWORK_EXPORT(configure) int configure(uint32_t seed, uint32_t rate, uint32_t pattern,
                                         uint32_t length) {
    if (rate > 65536 || pattern >= kPatterns || length < kShortest || length > kLongest) return 0;
    the_seed = seed;
    the_pattern = pattern;
    the_length = length;
    threshold = (static_cast<uint64_t>(rate) << 16) / length;
    return 1;
}

// Put a packet of the host's own into its source's queue, to be sent from cycle `time` on.
// Answers 0, and does nothing, if nodes or length are none of the network's, if `time` is before
// that of the source's packet before, or if no more packets can wait.
KNOTWORK_EXPORT(offer) int offer(uint32_t source, uint32_t destination, uint32_t length,
                                 uint32_t time) {
    if (source >= kNodes || destination >= kNodes || length < kShortest || length > kLongest ||
        time < last_time[source] || make(source, destination, length, time, given[source]) == kNone)
        return 0;
    last_time[source] = time;
    return 1;
}

// Run so many cycles; stops before the list of deliveries could overflow. Answers how many it ran.
KNOTWORK_EXPORT(run) uint32_t run(uint32_t cycles) {
    deliveries_made = 0;
    for (auto& count : crossed) count = 0;
    uint32_t done = 0;
    for (; done < cycles && deliveries_made + kNodes <= kDeliveries; ++done) cycle();
    return done;
}

// Where the statistics stand, 64 bits each, since the reset.
KNOTWORK_EXPORT(stats) const Stats* stats() { return &total; }

// Where the flits stand that crossed each channel in the last run, 32 bits each.
KNOTWORK_EXPORT(occupancy) const uint32_t* occupancy() { return crossed; }

// Where the deliveries of the last run stand, four words of 32 bits each, and how many.
KNOTWORK_EXPORT(deliveries) const Delivery* deliveries() { return delivered; }
KNOTWORK_EXPORT(delivery_count) uint32_t delivery_count() { return deliveries_made; }
