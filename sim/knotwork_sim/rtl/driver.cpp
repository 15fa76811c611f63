// Nodes around a Verilated network: sources, sinks and a log of what the nodes saw in each cycle.
// This is `cocotb_test.Testbench` in C++. Sources and sinks decide as `endpoints.drive` does, from
// the same random numbers, and reply as `endpoints.reply_to` does.
//
// Usage: driver JOB LOG... [COVERAGE]. JOB holds a run for each LOG, as `driver.py` writes them; a
// reset of one cycle stands between two runs. A LOG holds the rows below and then what the sources
// saw, as `driver.py` reads them. All are int64 in the machine's byte order. COVERAGE takes
// Verilator's counts if it was built to count. --help in their place shows that the program runs.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

#include "Vtestbench.h"
#include "ports.h"
#include "verilated.h"

namespace {

constexpr int kData = KNOTWORK_DATA_WIDTH, kAddress = KNOTWORK_ADDRESS_WIDTH;
constexpr int kWords = (kData + 63) / 64;  // of a beat's data
[[maybe_unused]] constexpr int kUser = KNOTWORK_USER_WIDTH, kFlags = KNOTWORK_FLAG_WIDTH;
[[maybe_unused]] constexpr int kStatus = KNOTWORK_STATUS_WIDTH;

// In the place of `last`: what a row is if no beat.
constexpr int64_t kRefusal = 2, kStatusChange = 3;

// One run, in the order in which its lists stand in a job.
struct Run {
    int64_t nodes, until, patience, margin, seed, period, due, refusals, reads_status;
    uint64_t bubble, stall;
    Numbers first, address, length, time, user, copies, first_flit, words;
    Numbers entries, entry_time;
    Numbers request_end, flow, service, next_reply, reply_end, asker_first, asker, asker_flow;

    explicit Run(FILE* file) {
        const Numbers head = read(file);
        if (head.size() != 11) fail("the job must be of this version");
        nodes = head[0], until = head[1], patience = head[2], margin = head[3], seed = head[4];
        period = head[5], due = head[6], refusals = head[7], reads_status = head[8];
        bubble = head[9], stall = head[10];
        for (Numbers* list :
             {&first, &address, &length, &time, &user, &copies, &first_flit, &words, &entries,
              &entry_time, &request_end, &flow, &service, &next_reply, &reply_end, &asker_first,
              &asker, &asker_flow})
            *list = read(file);
    }
};

// A network, and the time.
struct Bench {
    VerilatedContext context;
    Vtestbench top{&context};

    void tick() {
        context.timeInc(kHalfCycle);
        top.clk = 1;
        top.eval();
        context.timeInc(kHalfCycle);
        top.clk = 0;
    }

    void reset(int cycles) {
        top.rst = 1;
        for (int cycle = 0; cycle < cycles; ++cycle) {
            top.eval();
            tick();
        }
        top.rst = 0;
    }
};

// All nodes of a network in one run.
class Nodes {
  public:
    Nodes(Bench& bench, Run& run, FILE* log)
        : top_(bench.top), bench_(bench), run_(run), log_(log), nodes_(static_cast<int>(run.nodes)),
          packet_(run.first.begin(), run.first.end() - 1), beat_(nodes_, 0), accepted_(nodes_, 0),
          injected_(run.length.size(), -1), offered_(nodes_, 0), request_(packet_),
          head_(nodes_, -1), tail_(nodes_, -1), ready_(nodes_, -1),
          after_(run.flow.size(), -1), is_reply_(nodes_, -1) {
        if (replies())
            for (int node = 0; node < nodes_; ++node) packet_[node] = first_created(node);
    }

    // Runs until all is delivered and the margin has passed, or nothing moves any more.
    void go() {
        int64_t cycle = 0, moved = 0, end = run_.until;
        while (end < 0 || cycle < end) {
            const int64_t before = beats_ + total_;
            offer(cycle);
            top_.eval();
            bool idle = see(cycle);
            // An idle network is not stuck: the next packet is due later.
            if (beats_ + total_ != before || (cycle - moved >= run_.patience && idle))
                moved = cycle;
            bench_.tick();
            ++cycle;
            const bool done = beats_ >= run_.due && refused_ >= run_.refusals &&
                              entry_ == run_.entries.size();
            if (end < 0 && (done || cycle - moved > run_.patience)) end = cycle + run_.margin;
        }
        write(injected_);
        write(accepted_);
        write({cycle});
    }

  private:
    bool replies() const { return !run_.flow.empty(); }

    // Whether a source (purpose 1) or a sink (2) pauses.
    bool pauses(int node, int64_t cycle, uint64_t steady, int purpose) const {
        return steady && random(run_.seed, node, cycle, purpose) <
                             share(steady, run_.period, run_.seed, node, cycle, purpose + 2);
    }

    void offer(int64_t cycle) {
        for (int node = 0; node < nodes_; ++node) {
            const int64_t number = packet_[node];
            const bool waits = !offered_[node] && number < run_.first[node + 1] &&
                               (beat_[node] > 0 || run_.time[number] <= cycle);
            if (waits && !pauses(node, cycle, run_.bubble, 1)) {
                offered_[node] = 1;
                const int64_t beat = beat_[node];
                for (int word = 0; word < kWords; ++word)
                    put(top_.s_tdata, node * kData + 64 * word, std::min(64, kData - 64 * word),
                        run_.words[(run_.first_flit[number] + beat) * kWords + word]);
                // Destination and user are read on the first beat only.
                const uint64_t turned = beat ? ~0ULL : 0;
                put(top_.s_tdest, node * kAddress, kAddress,
                    (run_.address[number] ^ turned) & ones(kAddress));
#if KNOTWORK_USER_WIDTH
                put(top_.s_tuser, node * kUser, kUser, (run_.user[number] ^ turned) & ones(kUser));
#endif
                put(top_.s_tlast, node, 1, beat == run_.length[number] - 1);
            }
            put(top_.flags_in, nodes_ + node, 1, offered_[node]);
            put(top_.flags_in, node, 1, !pauses(node, cycle, run_.stall, 2));
        }
#if KNOTWORK_CONFIG_WIDTH
        loading_ = entry_ < run_.entries.size() && run_.entry_time[entry_] <= cycle;
        put(top_.config_in, 0, std::min(64, KNOTWORK_CONFIG_WIDTH),
            loading_ ? run_.entries[entry_] : 0);
#endif
    }

    // Notes what the nodes saw, and goes on to the next beats; whether nothing is under way.
    bool see(int64_t cycle) {
        bool idle = true;
        for (int node = 0; node < nodes_; ++node) {
            if (get(top_.flags_in, node, 1) && get(top_.flags_out, node, 1)) take(node, cycle);
            if (get(top_.flags_out, 2 * nodes_ + node, 1)) {
                ++refused_;
                note(cycle, node, 0, kRefusal, 0);
            }
            if (offered_[node] && get(top_.flags_out, nodes_ + node, 1)) accept(node, cycle);
            idle = idle && !offered_[node];
        }
#if KNOTWORK_CONFIG_WIDTH
        if (loading_ && get(top_.config_out, 0, 1)) ++entry_;
        if (run_.reads_status) {
            const int64_t status = get(top_.config_out, 1, std::min(64, kStatus));
            if (cycle == 0 || status != status_) note(cycle, 0, status, kStatusChange, 0);
            status_ = status;
        }
#endif
        return idle && entered_ == beats_;
    }

    void take(int node, int64_t cycle) {
        int64_t source = 0, flags = 0, words[kWords];
#if KNOTWORK_HAS_SOURCE
        source = get(top_.m_tid, node * kAddress, kAddress);
#endif
#if KNOTWORK_FLAG_WIDTH
        flags = get(top_.m_tuser, node * kFlags, kFlags);
#endif
        for (int word = 0; word < kWords; ++word)
            words[word] =
                get(top_.m_tdata, node * kData + 64 * word, std::min(64, kData - 64 * word));
        const int64_t last = get(top_.m_tlast, node, 1);
        note(cycle, node, source, last, flags, words);
        ++beats_;
        if (!replies()) return;
        if (is_reply_[node] < 0) is_reply_[node] = words[0] & 1;
        if (!last) return;
        const bool owes = !is_reply_[node];
        is_reply_[node] = -1;
        if (owes) reply(node, source, cycle);
    }

    // Queues the reply to a request from this address.
    void reply(int node, int64_t source, int64_t cycle) {
        const auto begin = run_.asker.begin() + run_.asker_first[node];
        const auto end = run_.asker.begin() + run_.asker_first[node + 1];
        const auto found = std::lower_bound(begin, end, source);
        if (found == end || *found != source) return;
        const int64_t flow = run_.asker_flow[found - run_.asker.begin()];
        if (run_.next_reply[flow] == run_.reply_end[flow]) return;
        const int64_t number = run_.next_reply[flow]++;
        ready_[node] = std::max(cycle + 1 + run_.service[number], ready_[node] + 1);
        run_.time[number] = ready_[node];
        (head_[node] < 0 ? head_[node] : after_[tail_[node]]) = number;
        tail_[node] = number;
        if (!offered_[node] && beat_[node] == 0) packet_[node] = first_created(node);
    }

    // What a source sends next, of its next request and its first reply.
    int64_t first_created(int node) const {
        const int64_t request = request_[node], first = head_[node], end = run_.request_end[node];
        if (first < 0) return request < end ? request : run_.first[node + 1];
        return request >= end || run_.time[first] <= run_.time[request] ? first : request;
    }

    // The network has taken the beat that a source offers.
    void accept(int node, int64_t cycle) {
        const int64_t number = packet_[node];
        offered_[node] = 0;
        ++accepted_[node];
        ++total_;
        if (beat_[node] == 0) injected_[number] = cycle;
        const bool ends = ++beat_[node] == run_.length[number];
        // Copies of a multicast or broadcast are due when all of it has entered.
        if (run_.copies[number] < 0) ++entered_;
        if (!ends) return;
        if (run_.copies[number] > 0) entered_ += run_.copies[number];
        beat_[node] = 0;
        if (!replies()) {
            ++packet_[node];
            return;
        }
        if (number < run_.request_end[node])
            ++request_[node];
        else
            head_[node] = after_[number];
        packet_[node] = first_created(node);
    }

    void note(int64_t cycle, int64_t node, int64_t source, int64_t last, int64_t flags,
              const int64_t* words = nullptr) {
        int64_t row[5 + kWords] = {cycle, node, source, last, flags};
        if (words) std::copy(words, words + kWords, row + 5);
        std::fwrite(row, sizeof row, 1, log_);
    }

    void write(const Numbers& values) {
        std::fwrite(values.data(), sizeof(int64_t), values.size(), log_);
    }

    Vtestbench& top_;
    Bench& bench_;
    Run& run_;
    FILE* log_;
    const int nodes_;
    Numbers packet_, beat_, accepted_, injected_;  // what each source sends next, ...
    std::vector<char> offered_;
    // Replies: as `endpoints.Queues`.
    Numbers request_, head_, tail_, ready_, after_, is_reply_;
    int64_t beats_ = 0, refused_ = 0, total_ = 0;
    int64_t entered_ = 0;  // beats that nodes must receive, of what was accepted
    std::size_t entry_ = 0;
    [[maybe_unused]] bool loading_ = false;
    [[maybe_unused]] int64_t status_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && !std::strcmp(argv[1], "--help")) {
        std::printf("usage: driver JOB LOG... [COVERAGE]\n");
        return 0;
    }
    FILE* job = argc >= 3 ? std::fopen(argv[1], "rb") : nullptr;
    if (!job) fail("the arguments must be JOB LOG..., files");
    const int64_t runs = read(job).size();
    if (argc < 2 + runs) fail("there must be a LOG for each run");
    Bench bench;
    bench.top.clk = 0;
    bench.reset(2);
    for (int64_t number = 0; number < runs; ++number) {
        if (number) bench.reset(1);
        Run run(job);
        FILE* log = std::fopen(argv[2 + number], "wb");
        if (!log) fail("the log must be writable");
        Nodes(bench, run, log).go();
        if (std::fclose(log)) fail("the log must be writable");
    }
    bench.top.final();
#if VM_COVERAGE
    if (argc == 3 + runs) bench.context.coveragep()->write(argv[2 + runs]);
#endif
    std::fclose(job);
    return 0;
}
