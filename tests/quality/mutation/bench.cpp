// Mutants of a network in its Verilated testbench, each run on the same traffic until it differs
// from what the golden model saw. Sources and sinks decide as `endpoints.drive` does.
//
// Usage: bench JOB MUTANT. JOB is int64 in the machine's own order, as `runs.py` writes it: the
// number of runs, then the runs. A line comes out: the mutant's number, the run and clock in which
// it differed and in what, and what an assertion said; run -1 where it did not. The mutant is a
// process of its own, for it may crash.

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
#include "ports.h"
#include "verilated.h"

namespace {

constexpr int kData = KNOTWORK_DATA_WIDTH, kAddress = KNOTWORK_ADDRESS_WIDTH;
constexpr int kUser = KNOTWORK_USER_WIDTH, kFlags = KNOTWORK_FLAG_WIDTH;
constexpr int kConfig = KNOTWORK_CONFIG_WIDTH, kStatus = KNOTWORK_STATUS_WIDTH;

constexpr int kBefore = 50;  // least clocks before the reset after which all is compared
constexpr int kSpread = 200;  // and one fewer than what may be added, by the run's number

using Numbers = std::vector<int64_t>;

struct Run {
    int64_t nodes, seed, bubble, stall, period, clocks;
    Numbers first;    // each node's first beat, and the end
    Numbers beats;    // time (-1: no wait), data, destination, last, user
    Numbers rows;     // clock, node, source, last, flags, data; by clock and node
    Numbers refused;  // clock, node; by both
    Numbers status;   // clock, status: its changes
    Numbers entries;  // time (-1: no wait), value of the configuration's beats
};

struct Verdict {
    int run, clock;
    char what[24];
};

Numbers column(FILE* file) {
    int64_t count = 0;
    bool whole = std::fread(&count, sizeof count, 1, file) == 1;
    Numbers values(whole ? count : 0);
    whole = whole && std::fread(values.data(), sizeof(int64_t), values.size(), file) == values.size();
    if (!whole) {
        std::fprintf(stderr, "error: the job must be whole\n");
        std::exit(1);
    }
    return values;
}

std::vector<Run> load(const char* name) {
    FILE* file = std::fopen(name, "rb");
    if (!file) {
        std::fprintf(stderr, "error: the job must be a file\n");
        std::exit(1);
    }
    std::vector<Run> runs;
    for (int64_t left = column(file)[0]; left > 0; --left) {
        const Numbers head = column(file);
        runs.push_back({head[0], head[1], head[2], head[3], head[4], head[5], column(file), column(file),
                        column(file), column(file), column(file), column(file)});
    }
    std::fclose(file);
    return runs;
}

// One run of a mutant: the clock in which it first differs, or -1; `what` says in what.
class Bench {
  public:
    Bench(const Run& run, int mutant) : run_(run), nodes_(run.nodes), top_{&context_} {
        context_.fatalOnError(false);  // an assertion that fails is an answer
        top_.clk = 0;
        top_.mutant = mutant;
        reset();
        const int64_t before = kBefore + 67 * run.seed % kSpread;
        for (clock_ = 0; clock_ < before; ++clock_) {  // so that the next reset has work to do
            offer();
            top_.eval();
            go_on();
            tick();
        }
        reset();
    }

    int go(const char*& what) {
        for (clock_ = 0; clock_ < run_.clocks; ++clock_) {
            offer();
            top_.eval();
            if ((what = difference())) return static_cast<int>(clock_);
            go_on();
            tick();
            if (context_.gotError()) {
                what = "assertion";
                return static_cast<int>(clock_);
            }
        }
        const bool all = row_ == run_.rows.size() && refusal_ == run_.refused.size() &&
                         change_ == run_.status.size();
        what = all ? nullptr : "missing";
        return all ? -1 : static_cast<int>(clock_);
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
        for (int clock = 0; clock < 2; ++clock) {
            top_.eval();
            tick();
        }
        top_.rst = 0;
    }

    // To the next beat, wherever one is taken.
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
                offered_[node] = next_[node] < run_.first[node + 1] && beat[0] <= clock_ &&
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
        loading_ = 2 * entry_ < run_.entries.size() && entry[0] <= clock_;
        put(top_.config_in, 0, 2 + kConfig, loading_ ? uint64_t(entry[1]) << 1 | 1 : 0);
#endif
    }

    // Whether a source (purpose 1) or a sink (2) pauses, of which `steady` is the probability.
    bool pauses(int node, uint64_t steady, int purpose) const {
        return steady && random(run_.seed, node, clock_, purpose) <
                             share(steady, run_.period, run_.seed, node, clock_, purpose + 2);
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
        if (change_ < run_.status.size() && run_.status[change_] == clock_) {
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
        return place < rows.size() && rows[place] == clock_ && rows[place + 1] == node;
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
    int64_t clock_ = 0;
    Numbers next_;
    std::vector<char> offered_, taking_, held_;
    std::vector<std::vector<int64_t>> kept_;
    std::size_t row_ = 0, refusal_ = 0, change_ = 0, entry_ = 0;
    bool loading_ = false;
};

void judge(const std::vector<Run>& runs, int mutant, Verdict* verdict) {
    for (std::size_t number = 0; number < runs.size(); ++number) {
        verdict->run = static_cast<int>(number);
        const char* what = nullptr;
        const int clock = Bench(runs[number], mutant).go(what);
        if (clock >= 0) {
            verdict->clock = clock;
            std::strncpy(verdict->what, what, sizeof verdict->what - 1);
            return;
        }
    }
    *verdict = {-1, -1, "nothing"};
}

// First line that a mutant's process has printed.
std::string said(int file) {
    std::string text(200, '\0');
    const auto size = pread(file, text.data(), text.size(), 0);
    text.resize(size > 0 ? size : 0);
    return text.substr(0, text.find_first_of("\n["));  // Verilator goes on: [time] %Error
}

}  // namespace

int main(int argc, char** argv) {
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
    std::printf("%d %d %d %s %s\n", mutant, verdict->run, verdict->clock, verdict->what,
                message.c_str());
    return 0;
}
