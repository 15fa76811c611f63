// Members' ports around Verilated trees of collectives, and a log of what they do in each cycle.
// This is `collectives.ports.run_model` with the Verilog in the place of the golden model: ports
// pause as there, from the same random numbers.
//
// Usage: collectives JOB LOG. JOB holds lists as `collectives/verilog.py` writes them; a LOG holds
// rows of cycle, port, what, taken, the bits of a header or of marks, and the words of data; and at
// its end the cycles of the run. All are int64 in the machine's byte order.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "Vtestbench.h"
#include "ports.h"
#include "verilated.h"

namespace {

constexpr int kData = KNOTWORK_DATA_WIDTH, kRoot = KNOTWORK_ROOT_WIDTH;
constexpr int kSent = KNOTWORK_SENT_USER_WIDTH, kUser = KNOTWORK_USER_WIDTH;
constexpr int kMarks = KNOTWORK_MARKS_WIDTH;
constexpr int kWords = (kData + 63) / 64;  // of a beat's data
constexpr int64_t kTaken = 0, kAnswer = 1, kMark = 2;  // what a row says
void run(FILE* job, FILE* log) {
    const Numbers head = read(job);
    if (head.size() != 8) fail("the job must be of this version");
    const uint64_t bubble = head[0], stall = head[1], period = head[2], seed = head[3];
    int64_t due = head[4], to_send = head[5];
    const int64_t margin = head[6], patience = head[7];
    const Numbers first = read(job), last = read(job), root = read(job), user = read(job);
    const Numbers words = read(job);
    const int ports = static_cast<int>(first.size()) - 1;
    Numbers place(first.begin(), first.end() - 1), marks(ports, 0);
    std::vector<char> offered(ports, 0);

    VerilatedContext context;
    Vtestbench top{&context};
    const auto tick = [&] {
        context.timeInc(kHalfCycle);
        top.clk = 1;
        top.eval();
        context.timeInc(kHalfCycle);
        top.clk = 0;
    };
    const auto pauses = [&](uint64_t steady, int port, int64_t cycle, int purpose) {
        return steady && random(seed, port, cycle, purpose) <
                             share(steady, period, seed, port, cycle, purpose + 2);
    };
    int64_t cycle = 0;
    const auto note = [&](int port, int64_t what, int64_t taken, int64_t bits,
                          const int64_t* data = nullptr) {
        int64_t row[5 + kWords] = {cycle, port, what, taken, bits};
        if (data) std::copy(data, data + kWords, row + 5);
        std::fwrite(row, sizeof row, 1, log);
    };

    top.clk = 0;
    top.rst = 1;
    for (int before = 0; before < 2; ++before) {
        top.eval();
        tick();
    }
    top.rst = 0;
    int64_t moved = 0, end = -1;
    while (end < 0 || cycle < end) {
        for (int port = 0; port < ports; ++port) {
            const int64_t beat = place[port];
            if (!offered[port] && beat < first[port + 1] && !pauses(bubble, port, cycle, 1)) {
                offered[port] = 1;
                for (int word = 0; word < kWords; ++word)
                    put(top.s_tdata, port * kData + 64 * word, std::min(64, kData - 64 * word),
                        words[beat * kWords + word]);
                put(top.s_tlast, port, 1, last[beat]);
                put(top.s_tdest, port * kRoot, kRoot, root[beat]);
                put(top.s_tuser, port * kSent, kSent, user[beat]);
            }
            put(top.s_tvalid, port, 1, offered[port]);
            put(top.m_tready, port, 1, !pauses(stall, port, cycle, 2));
        }
        top.eval();
        for (int port = 0; port < ports; ++port) {
            if (offered[port] && get(top.s_tready, port, 1)) {
                note(port, kTaken, 0, 0);
                offered[port] = 0;
                ++place[port];
                --to_send;
                moved = cycle;
            }
            if (get(top.m_tvalid, port, 1)) {
                const int64_t taken = get(top.m_tready, port, 1);
                int64_t data[kWords];
                for (int word = 0; word < kWords; ++word)
                    data[word] = get(top.m_tdata, port * kData + 64 * word,
                                     std::min(64, kData - 64 * word));
                const int64_t bits = (get(top.m_tuser, port * kUser, kUser) << kRoot |
                                      get(top.m_tid, port * kRoot, kRoot))
                                         << 1 |
                                     get(top.m_tlast, port, 1);
                note(port, kAnswer, taken, bits, data);
                if (taken) {
                    --due;
                    moved = cycle;
                }
            }
            const int64_t mark = get(top.marks, port * kMarks, kMarks);
            if (mark != marks[port]) note(port, kMark, 0, mark);
            marks[port] = mark;
        }
        tick();
        ++cycle;
        if (end < 0 && ((due <= 0 && to_send <= 0) || cycle - moved > patience))
            end = cycle + margin;
    }
    std::fwrite(&cycle, sizeof cycle, 1, log);
    top.final();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && !std::strcmp(argv[1], "--help")) {
        std::printf("usage: collectives JOB LOG\n");
        return 0;
    }
    FILE* job = argc == 3 ? std::fopen(argv[1], "rb") : nullptr;
    FILE* log = job ? std::fopen(argv[2], "wb") : nullptr;
    if (!log) fail("the arguments must be JOB LOG, files");
    run(job, log);
    if (std::fclose(log)) fail("the log must be writable");
    std::fclose(job);
    return 0;
}
