// What C++ programs around a network share: fields of wide ports, the endpoints' random numbers,
// and the lists of a job.

#ifndef KNOTWORK_PORTS_H
#define KNOTWORK_PORTS_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "verilated.h"

namespace {

constexpr int64_t kHalfCycle = 5000;  // in Verilator's unit of time, as cocotb's clock

using Numbers = std::vector<int64_t>;

[[noreturn]] inline void fail(const char* reason) {
    std::fprintf(stderr, "error: %s\n", reason);
    std::exit(1);
}

// The next list of a job: its length, and its numbers.
inline Numbers read(FILE* file) {
    int64_t count = 0;
    bool complete = std::fread(&count, sizeof count, 1, file) == 1;
    Numbers values(complete ? count : 0);
    complete = complete && std::fread(values.data(), sizeof(int64_t), count, file) == values.size();
    if (!complete) fail("the job must be complete");
    return values;
}

// Number with so many ones as its lowest bits.
constexpr uint64_t ones(int width) { return width < 64 ? (1ULL << width) - 1 : ~0ULL; }

// Bits of a port, which Verilator makes one integer or, if it is wide, an array of words.
template <typename Port>
void put(Port& port, int place, int width, uint64_t value) {
    const uint64_t mask = ones(width) << place;
    port = static_cast<Port>((static_cast<uint64_t>(port) & ~mask) | ((value << place) & mask));
}

template <std::size_t Words>
void put(VlWide<Words>& port, int place, int width, uint64_t value) {
    for (int done = 0; done < width;) {
        const int bit = (place + done) % 32;
        const int part = width - done < 32 - bit ? width - done : 32 - bit;
        const uint32_t mask = static_cast<uint32_t>(((1ULL << part) - 1) << bit);
        uint32_t& word = port[(place + done) / 32];
        word = (word & ~mask) | (static_cast<uint32_t>(value >> done << bit) & mask);
        done += part;
    }
}

template <typename Port>
uint64_t get(const Port& port, int place, int width) {
    return static_cast<uint64_t>(port) >> place & ones(width);
}

template <std::size_t Words>
uint64_t get(const VlWide<Words>& port, int place, int width) {
    uint64_t value = 0;
    for (int done = 0; done < width;) {
        const int bit = (place + done) % 32;
        const int part = width - done < 32 - bit ? width - done : 32 - bit;
        const uint64_t bits = port[(place + done) / 32] >> bit & ((1ULL << part) - 1);
        value |= bits << done;
        done += part;
    }
    return value;
}

// Even 64-bit number of (seed, node, clock, purpose): `endpoints.random_bits`.
uint64_t random(uint64_t seed, uint64_t node, uint64_t clock, uint64_t purpose) {
    uint64_t x = seed * 0x9E3779B97F4A7C15ULL + clock * 0xD1B54A32D192ED03ULL;
    x ^= node * 0x8CB92BA72F3D8DD7ULL + purpose;
    for (int turn = 0; turn < 2; ++turn) {
        x ^= x >> 30;
        x *= 0xBF58476D1CE4E5B9ULL;
        x ^= x >> 27;
        x *= 0x94D049BB133111EBULL;
        x ^= x >> 31;
    }
    return x;
}

// Probability of a pause in this cycle: `endpoints._share`; with a period of 0 it never changes.
uint64_t share(uint64_t steady, uint64_t period, uint64_t seed, uint64_t node, uint64_t clock,
               uint64_t purpose) {
    return period ? random(seed, node, clock / period, purpose) : steady;
}

}  // namespace

#endif
