// Nodes around a Verilated network: sources, sinks and a log of what the nodes saw in each cycle.
// This is `cocotb_test.Testbench` in C++, for long runs. Every beat carries its packet's number and
// below it the low bits of the beat's own number, as many as the job says; the whole is multiplied
// so that all bits change. The beats of a multicast's chain carry their addresses instead.
// Sources and sinks decide as `endpoints.drive` does, from the same random numbers.
//
// Usage: driver JOB LOG [COVERAGE]. JOB and LOG hold int64 in the machine's byte order, as
// `driver.py` writes and reads them; COVERAGE takes Verilator's counts if it was built to count.
// --help in their place shows that the program runs.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "Vtestbench.h"
#include "ports.h"
#include "verilated.h"

namespace {

constexpr int kDataWidth = KNOTWORK_DATA_WIDTH;
constexpr int kAddressWidth = KNOTWORK_ADDRESS_WIDTH;
[[maybe_unused]] constexpr int kUserWidth = KNOTWORK_USER_WIDTH;

constexpr uint32_t kScramble = KNOTWORK_SCRAMBLE;  // odd: undone by its inverse
constexpr int64_t kRefused = 2;  // in the place of `last`: the network refused a packet

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
    if (argc == 2 && !std::strcmp(argv[1], "--help")) {
        std::printf("usage: driver JOB LOG [COVERAGE]\n");
        return 0;
    }
    FILE* job = argc >= 3 ? std::fopen(argv[1], "rb") : nullptr;
    FILE* log = job ? std::fopen(argv[2], "wb") : nullptr;
    if (!log) {
        std::fprintf(stderr, "error: the arguments must be JOB LOG, two files\n");
        return 1;
    }
    const auto head = read(job, 10);
    const int nodes = static_cast<int>(head[0]);
    const int64_t packets = head[1], clocks = head[2], period = head[4];
    const uint64_t seed = head[3], bubble = head[5], stall = head[6];
    const int beat_bits = static_cast<int>(head[7]);
    const auto first = read(job, nodes + 1);
    const auto address = read(job, packets), length = read(job, packets), time = read(job, packets);
    const auto user = read(job, packets), chain_end = read(job, packets);
    const auto chain = read(job, head[8]), table = read(job, head[9]);

    // Beats of a multicast's chain are addresses; `chain_end` counts those up to each packet's last.
    const auto payload = [&](int64_t number, int64_t beat) -> uint64_t {
        const int64_t begin = number ? chain_end[number - 1] : 0;
        if (begin + beat < chain_end[number]) return chain[begin + beat];
        const uint64_t value = number << beat_bits | (beat & ((1LL << beat_bits) - 1));
        return static_cast<uint32_t>(value * kScramble);
    };

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
    std::vector<int64_t> accepted(nodes, 0);
    std::vector<char> offered(nodes, 0), taking(nodes, 0);
    std::size_t entry = 0;  // of the jump table
    for (int64_t clock = 0; clock < clocks; ++clock) {
        for (int node = 0; node < nodes; ++node) {
            const int64_t number = packet[node];
            if (!offered[node]) {
                const bool waits =
                    number < first[node + 1] && (beat[node] > 0 || time[number] <= clock);
                const uint64_t least = share(bubble, period, seed, node, clock, 3);
                offered[node] = waits && (!bubble || random(seed, node, clock, 1) >= least);
                if (offered[node]) {
                    // Destination and user are read on the first beat only.
                    const uint64_t turned = beat[node] ? ~0ULL : 0;
                    put(top.s_tdata, node * kDataWidth, kDataWidth, payload(number, beat[node]));
                    put(top.s_tdest, node * kAddressWidth, kAddressWidth,
                        (address[number] ^ turned) & ((1ULL << kAddressWidth) - 1));
#if KNOTWORK_USER_WIDTH
                    put(top.s_tuser, node * kUserWidth, kUserWidth,
                        (user[number] ^ turned) & ((1ULL << kUserWidth) - 1));
#endif
                    put(top.s_tlast, node, 1, beat[node] == length[number] - 1);
                }
                put(top.flags_in, nodes + node, 1, offered[node]);
            }
            const uint64_t least = share(stall, period, seed, node, clock, 4);
            taking[node] = !stall || random(seed, node, clock, 2) >= least;
            put(top.flags_in, node, 1, taking[node]);
        }
#if KNOTWORK_HAS_CONFIG
        top.config_in = entry < table.size() ? table[entry] : 0;
#endif
        top.eval();
        for (int node = 0; node < nodes; ++node) {
            if (taking[node] && get(top.flags_out, node, 1)) {
                int64_t source = 0;
#if KNOTWORK_HAS_SOURCE
                source = get(top.m_tid, node * kAddressWidth, kAddressWidth);
#endif
                const int64_t row[] = {
                    static_cast<int64_t>(get(top.m_tdata, node * kDataWidth, kDataWidth)), clock,
                    static_cast<int64_t>(get(top.m_tlast, node, 1)), node, source};
                std::fwrite(row, sizeof row, 1, log);
            }
            if (get(top.flags_out, 2 * nodes + node, 1)) {
                const int64_t row[] = {0, clock, kRefused, node, 0};
                std::fwrite(row, sizeof row, 1, log);
            }
            if (offered[node] && get(top.flags_out, nodes + node, 1)) {
                offered[node] = 0;
                ++accepted[node];
                if (++beat[node] == length[packet[node]]) {
                    beat[node] = 0;
                    ++packet[node];
                }
            }
        }
#if KNOTWORK_HAS_CONFIG
        if (entry < table.size() && top.config_out & 1) ++entry;
#endif
        top.clk = 1;
        top.eval();
        top.clk = 0;
    }
    top.final();
    std::fwrite(accepted.data(), sizeof(int64_t), nodes, log);
#if VM_COVERAGE
    if (argc == 4) context.coveragep()->write(argv[3]);
#endif
    std::fclose(job);
    return std::fclose(log) == 0 ? 0 : 1;
}
