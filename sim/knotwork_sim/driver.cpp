// Nodes of a network around its Verilated testbench: sources, sinks and a log, a clock at a time.
// It is `bench.Driver` in C++, for long runs without payloads: every beat carries its packet's
// number. Sources and sinks decide as `endpoints.drive` does, from the same random numbers.
//
// Usage: driver JOB LOG. Both are int64 in the machine's own order, as `driver.py` writes and reads.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "Vtestbench.h"
#include "verilated.h"

namespace {

constexpr int kDataWidth = KNOTWORK_DATA_WIDTH;
constexpr int kAddressWidth = KNOTWORK_ADDRESS_WIDTH;

// Bits of a port: Verilator makes it one integer, or an array of words where it is wide.
template <typename Port>
void put(Port& port, int place, int width, uint64_t value) {
    const uint64_t mask = ((1ULL << width) - 1) << place;
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
    return static_cast<uint64_t>(port) >> place & ((1ULL << width) - 1);
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

// Even 64-bit number of (seed, node, clock, purpose): `endpoints._random`.
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

// Probability of a pause in this clock: `endpoints._share`; a period of 0 leaves it as it is.
uint64_t share(uint64_t steady, int64_t period, uint64_t seed, int node, int64_t clock, int purpose) {
    return period ? random(seed, node, clock / period, purpose) : steady;
}

std::vector<int64_t> read(FILE* file, std::size_t count) {
    std::vector<int64_t> values(count);
    if (std::fread(values.data(), sizeof(int64_t), count, file) != count) {
        std::fprintf(stderr, "error: the job must be whole\n");
        std::exit(1);
    }
    return values;
}

}  // namespace

int main(int argc, char** argv) {
    FILE* job = argc == 3 ? std::fopen(argv[1], "rb") : nullptr;
    FILE* log = job ? std::fopen(argv[2], "wb") : nullptr;
    if (!log) {
        std::fprintf(stderr, "error: the words must be JOB LOG, two files\n");
        return 1;
    }
    const auto head = read(job, 7);
    const int nodes = static_cast<int>(head[0]);
    const int64_t packets = head[1], clocks = head[2];
    const int64_t period = head[4];
    const uint64_t seed = head[3], bubble = head[5], stall = head[6];
    const auto first = read(job, nodes + 1);
    const auto address = read(job, packets), length = read(job, packets), time = read(job, packets);

    VerilatedContext context;
    Vtestbench top{&context};
    top.clk = 0;
    top.rst = 1;
    for (int edge = 0; edge < 4; ++edge) {
        top.eval();
        top.clk = !top.clk;
    }
    top.rst = 0;

    std::vector<int64_t> packet(first.begin(), first.end() - 1), beat(nodes, 0);
    std::vector<char> offered(nodes, 0), taking(nodes, 0);
    for (int64_t clock = 0; clock < clocks; ++clock) {
        for (int node = 0; node < nodes; ++node) {
            const int64_t number = packet[node];
            if (!offered[node]) {
                const bool waits =
                    number < first[node + 1] && (beat[node] > 0 || time[number] <= clock);
                const uint64_t least = share(bubble, period, seed, node, clock, 3);
                offered[node] = waits && (!bubble || random(seed, node, clock, 1) >= least);
                if (offered[node]) {
                    put(top.s_tdata, node * kDataWidth, kDataWidth, number);
                    put(top.s_tdest, node * kAddressWidth, kAddressWidth, address[number]);
                    put(top.s_tlast, node, 1, beat[node] == length[number] - 1);
                }
                put(top.flags_in, nodes + node, 1, offered[node]);
            }
            const uint64_t least = share(stall, period, seed, node, clock, 4);
            taking[node] = !stall || random(seed, node, clock, 2) >= least;
            put(top.flags_in, node, 1, taking[node]);
        }
        top.eval();
        for (int node = 0; node < nodes; ++node) {
            if (taking[node] && get(top.flags_out, node, 1)) {
                const int64_t row[] = {
                    static_cast<int64_t>(get(top.m_tdata, node * kDataWidth, kDataWidth)), clock,
                    static_cast<int64_t>(get(top.m_tlast, node, 1)), node};
                std::fwrite(row, sizeof row, 1, log);
            }
            if (offered[node] && get(top.flags_out, nodes + node, 1)) {
                offered[node] = 0;
                if (++beat[node] == length[packet[node]]) {
                    beat[node] = 0;
                    ++packet[node];
                }
            }
        }
        top.clk = 1;
        top.eval();
        top.clk = 0;
    }
    top.final();
    std::fclose(job);
    return std::fclose(log) == 0 ? 0 : 1;
}
