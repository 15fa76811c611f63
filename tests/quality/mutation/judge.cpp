// Runs a mutant of a network, in its Verilated testbench, until it differs from the golden model.
// Sources and sinks decide as `endpoints.drive` does.
//
// Usage: judge JOB MUTANT. The program prints a line: the mutant's number, the run and the cycle
// in which it differed, how, and the message of a failed assertion. The run is -1 if the mutant
// did not differ. The mutant runs in a child process, since it may crash.
//
// In some runs bits flip, a bus reads a monitor, or tables are loaded: there the mutant must show
// what the original shows.

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "Vtestbench.h"
#include "job.h"
#include "ports.h"
#include "verilated.h"
#include "verilated_syms.h"

namespace {

constexpr int kData = KNOTWORK_DATA_WIDTH, kAddress = KNOTWORK_ADDRESS_WIDTH;
constexpr int kUser = KNOTWORK_USER_WIDTH, kFlags = KNOTWORK_FLAG_WIDTH;
constexpr int kConfig = KNOTWORK_CONFIG_WIDTH, kStatus = KNOTWORK_STATUS_WIDTH;
constexpr int kMonitor = KNOTWORK_MONITOR_WIDTH, kUpsets = KNOTWORK_UPSET_LINKS;
constexpr int kFlit = KNOTWORK_FLIT_WIDTH;

// Cycles between two flips of a bit, and flips on links of 10.
constexpr int kEvery = 2, kOnLinks = 2;

// Cycles before the reset after which the comparison begins: 50 to 249, by the run's seed.
constexpr int kBefore = 50, kSpread = 200;

struct Verdict {
    int run, cycle;
    char what[24];
};

// One run of a mutant.
class Simulation {
  public:
    Simulation(const Run& run, int mutant) : run_(run), nodes_(run.nodes), top_{&context_} {
        context_.fatalOnError(false);  // a failed assertion is a verdict, not an error
        top_.clk = 0;
        top_.mutant = mutant;
        reset();
        const int64_t before = kBefore + 67 * run.seed % kSpread;
        for (cycle_ = 0; cycle_ < before; ++cycle_) {  // gives the next reset something to do
            offer();
            top_.eval();
            go_on();
            tick();
        }
        reset();
    }

    // A model that is taken down is of its own context, not of the one built last.
    ~Simulation() { Verilated::threadContextp(&context_); }

    // Cycle in which it first differs from the original, or -1.
    int go_beside(Simulation& original, const char*& what) {
        context_.assertOn(false);  // what an upset breaks is no invariant
        original.context_.assertOn(false);
        for (cycle_ = 0; cycle_ < run_.cycles; ++cycle_) {
            original.cycle_ = cycle_;
            for (Simulation* one : {this, &original}) {
                if (run_.upsets) one->upset();
                one->offer();
                one->top_.eval();
            }
            if (shown() != original.shown()) {
                what = "original";
                return static_cast<int>(cycle_);
            }
            for (Simulation* one : {this, &original}) {
                one->go_on();
                one->tick();
            }
        }
        return -1;
    }

    // Cycle in which the mutant first differs, or -1; `what` says how.
    int go(const char*& what) {
        for (cycle_ = 0; cycle_ < run_.cycles; ++cycle_) {
            offer();
            top_.eval();
            if ((what = difference())) return static_cast<int>(cycle_);
            go_on();
            tick();
            if (context_.gotError()) {
                what = "assertion";
                return static_cast<int>(cycle_);
            }
        }
        const bool all = row_ == run_.rows.size() && refusal_ == run_.refused.size() &&
                         change_ == run_.status.size();
        what = all ? nullptr : "missing";
        return all ? -1 : static_cast<int>(cycle_);
    }

  private:
    void tick() {
        top_.clk = 1;
        top_.eval();
        top_.clk = 0;
    }

    void reset() {
        next_.assign(run_.first.begin(), run_.first.end() - 1);
        offered_.assign(nodes_, 0);
        taking_.assign(nodes_, 0);
        held_.assign(nodes_, 0);
        entry_ = 0;
        for (int node = 0; node < 2 * nodes_; ++node) put(top_.flags_in, node, 1, 0);
#if KNOTWORK_CONFIG_WIDTH
        put(top_.config_in, 0, 1, 0);
#endif
        top_.rst = 1;
        for (int cycle = 0; cycle < 2; ++cycle) {
            top_.eval();
            tick();
        }
        top_.rst = 0;
    }

    // Goes on to the next beat wherever the network took one.
    void go_on() {
        for (int node = 0; node < nodes_; ++node) {
            if (offered_[node] && get(top_.flags_out, nodes_ + node, 1)) {
                offered_[node] = 0;
                ++next_[node];
            }
        }
#if KNOTWORK_CONFIG_WIDTH
        if (loading_ && get(top_.config_out, 0, 1)) ++entry_;
#endif
    }

    void offer() {
        for (int node = 0; node < nodes_; ++node) {
            const int64_t* beat = run_.beats.data() + 5 * next_[node];
            if (!offered_[node]) {
                offered_[node] = next_[node] < run_.first[node + 1] && beat[0] <= cycle_ &&
                                 !pauses(node, run_.bubble, 1);
                if (offered_[node]) {
                    put(top_.s_tdata, node * kData, kData, beat[1]);
                    put(top_.s_tdest, node * kAddress, kAddress, beat[2]);
                    put(top_.s_tlast, node, 1, beat[3]);
#if KNOTWORK_USER_WIDTH
                    put(top_.s_tuser, node * kUser, kUser, beat[4]);
#endif
                }
                put(top_.flags_in, nodes_ + node, 1, offered_[node]);
            }
            taking_[node] = !pauses(node, run_.stall, 2);
            put(top_.flags_in, node, 1, taking_[node]);
        }
#if KNOTWORK_CONFIG_WIDTH
        const int64_t* entry = run_.entries.data() + 2 * entry_;
        loading_ = 2 * entry_ < run_.entries.size() && entry[0] <= cycle_;
        put(top_.config_in, 0, 2 + kConfig, loading_ ? uint64_t(entry[1]) << 1 | 1 : 0);
#endif
    }

    // Whether a source (purpose 1) or a sink (2) pauses; `steady` is the mean probability.
    bool pauses(int node, uint64_t steady, int purpose) const {
        return steady && random(run_.seed, node, cycle_, purpose) <
                             share(steady, run_.period, run_.seed, node, cycle_, purpose + 2);
    }

    // All that can be seen of it in this cycle.
    std::vector<uint64_t> shown() {
        std::vector<uint64_t> found;
        for (int flag = 0; flag < 3 * nodes_; ++flag) found.push_back(get(top_.flags_out, flag, 1));
        for (int node = 0; node < nodes_; ++node) {
            if (!get(top_.flags_out, node, 1)) continue;
            for (const int64_t field : beat(node)) found.push_back(static_cast<uint64_t>(field));
        }
#if KNOTWORK_CONFIG_WIDTH
        found.push_back(get(top_.config_out, 0, 1 + kStatus));
#endif
#if KNOTWORK_MONITOR_WIDTH
        found.push_back(get(top_.monitor_out, 0, kMonitor));
#endif
        return found;
    }

    // Now and then flips a bit on a link, or of a word that is stored.
    void upset() {
#if KNOTWORK_UPSET_LINKS
        top_.upset_link = 0;
        if (cycle_ % kEvery) return;
        const auto drawn = [&](int purpose, uint64_t count) {
            return (random(run_.seed, 0, cycle_, purpose) >> 8) % count;
        };
        if (drawn(9, 10) < kOnLinks) {
            top_.upset_link = 1 + drawn(10, kUpsets);
            top_.upset_bit = drawn(11, kFlit);
            return;
        }
        if (stores_.empty()) find_stores();
        const VerilatedVar* store = stores_[drawn(10, stores_.size())];
        const uint64_t word = store->udims() ? drawn(11, store->elements(1)) : 0;
        const uint64_t bit = drawn(12, store->entBits());
        static_cast<uint8_t*>(store->datap())[word * store->entSize() + bit / 8] ^= 1 << bit % 8;
#endif
    }

    // Public variables below the network are the words of routers that an upset can flip.
    void find_stores() {
        for (const auto& [name, scope] : *context_.scopeNameMap()) {
            if (!std::strstr(name, ".network.") || !scope->varsp()) continue;
            for (const auto& [_, variable] : *scope->varsp()) stores_.push_back(&variable);
        }
        if (!stores_.empty()) return;
        std::fprintf(stderr, "error: there must be stores\n");
        std::abort();
    }

    const char* difference() {
        const char* found = nullptr;
        for (int node = 0; node < nodes_; ++node) {
            const bool valid = get(top_.flags_out, node, 1);
            const std::vector<int64_t> seen = valid ? beat(node) : std::vector<int64_t>{};
            if (held_[node] && seen != kept(node)) return "unstable";
            held_[node] = valid && !taking_[node];
            if (held_[node]) keep(node, seen);
            if ((found = arrival(node, valid && taking_[node], seen))) return found;
            const bool refused = get(top_.flags_out, 2 * nodes_ + node, 1);
            if (refused != is_next(run_.refused, refusal_, node)) return "refusal";
            if (refused) refusal_ += 2;
        }
#if KNOTWORK_CONFIG_WIDTH
        const int64_t status = get(top_.config_out, 1, kStatus);
        if (change_ < run_.status.size() && run_.status[change_] == cycle_) {
            if (status != run_.status[change_ + 1]) return "status";
            change_ += 2;
        } else if (change_ == 0 || status != run_.status[change_ - 1]) {
            return "status";
        }
#endif
        return nullptr;
    }

    const char* arrival(int node, bool taken, const std::vector<int64_t>& seen) {
        if (taken != is_next(run_.rows, row_, node)) return taken ? "early" : "late";
        if (!taken) return nullptr;
        const int64_t* expected = &run_.rows[row_ + 2];
        row_ += 6;
        return std::memcmp(expected, seen.data(), 4 * sizeof(int64_t)) ? "contents" : nullptr;
    }

    bool is_next(const Numbers& rows, std::size_t place, int node) const {
        return place < rows.size() && rows[place] == cycle_ && rows[place + 1] == node;
    }

    // Source, last, flags, data.
    std::vector<int64_t> beat(int node) {
        int64_t source = 0, flags = 0;
#if KNOTWORK_SOURCE
        source = get(top_.m_tid, node * kAddress, kAddress);
#endif
#if KNOTWORK_FLAG_WIDTH
        flags = get(top_.m_tuser, node * kFlags, kFlags);
#endif
        const int64_t last = get(top_.m_tlast, node, 1);
        return {source, last, flags, static_cast<int64_t>(get(top_.m_tdata, node * kData, kData))};
    }

    const std::vector<int64_t>& kept(int node) { return kept_[node]; }

    void keep(int node, const std::vector<int64_t>& seen) {
        kept_.resize(nodes_);
        kept_[node] = seen;
    }

    const Run& run_;
    const int nodes_;
    VerilatedContext context_;
    Vtestbench top_;
    int64_t cycle_ = 0;
    Numbers next_;
    std::vector<char> offered_, taking_, held_;
    std::vector<std::vector<int64_t>> kept_;
    std::size_t row_ = 0, refusal_ = 0, change_ = 0, entry_ = 0;
    bool loading_ = false;
    std::vector<const VerilatedVar*> stores_;
};

void judge(const std::vector<Run>& runs, int mutant, Verdict* verdict) {
    for (std::size_t number = 0; number < runs.size(); ++number) {
        verdict->run = static_cast<int>(number);
        const char* what = nullptr;
        Simulation faulty(runs[number], mutant);
        int cycle;
        if (runs[number].beside) {
            Simulation original(runs[number], 0);
            cycle = faulty.go_beside(original, what);
        } else {
            cycle = faulty.go(what);
        }
        if (cycle >= 0) {
            verdict->cycle = cycle;
            std::strncpy(verdict->what, what, sizeof verdict->what - 1);
            return;
        }
    }
    *verdict = {-1, -1, "nothing"};
}

// First line that a mutant's process printed.
std::string said(int file) {
    std::string text(200, '\0');
    const auto size = pread(file, text.data(), text.size(), 0);
    text.resize(size > 0 ? size : 0);
    return text.substr(0, text.find('\n'));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc == 2 && !std::strcmp(argv[1], "--help")) {
        std::printf("usage: judge JOB MUTANT\n");
        return 0;
    }
    if (argc != 3) {
        std::fprintf(stderr, "error: the words must be JOB MUTANT\n");
        return 1;
    }
    const std::vector<Run> runs = load(argv[1]);
    const int mutant = std::atoi(argv[2]);
    void* shared = mmap(nullptr, sizeof(Verdict), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto* verdict = static_cast<Verdict*>(shared);
    *verdict = {0, 0, "crash"};
    const int output = memfd_create("output", 0);
    const pid_t child = fork();
    if (child == 0) {
        dup2(output, STDOUT_FILENO);
        judge(runs, mutant, verdict);
        std::fflush(nullptr);
        _exit(0);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) < 0) return 1;
    if (!WIFEXITED(status) || WEXITSTATUS(status)) std::strcpy(verdict->what, "crash");
    const std::string message = std::strcmp(verdict->what, "assertion") ? "" : said(output);
    std::printf("%d %d %d %s %s\n", mutant, verdict->run, verdict->cycle, verdict->what,
                message.c_str());
    return 0;
}
