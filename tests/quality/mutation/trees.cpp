// Runs a mutant of a tree of collectives through the cycles of its golden model, until it differs.
//
// Usage: trees JOB MUTANT. The last line that the program prints has the run and the cycle in which
// the mutant differed, and the bit of the outputs that did; -1 -1 -1 if it did not, and a bit of -1
// if an assertion failed, whose message stands above.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "Vtestbench.h"
#include "ports.h"
#include "verilated.h"

namespace {

constexpr int kWord = 64;
constexpr int kIn = KNOTWORK_INPUTS, kOut = KNOTWORK_OUTPUTS;
constexpr int kInWords = (kIn + kWord - 1) / kWord, kOutWords = (kOut + kWord - 1) / kWord;

std::vector<uint64_t> load(const char* name) {
    FILE* file = std::fopen(name, "rb");
    if (!file) {
        std::fprintf(stderr, "error: the job must be a file\n");
        std::exit(1);
    }
    std::vector<uint64_t> words;
    for (uint64_t word; std::fread(&word, sizeof word, 1, file) == 1;) words.push_back(word);
    std::fclose(file);
    return words;
}

// Bits of the words of a vector that are there.
int width_of(int bits, int word) {
    return bits - word * kWord < kWord ? bits - word * kWord : kWord;
}

// Bit of the outputs that is not as expected, or -1.
int differing(const Vtestbench& top, const uint64_t* expected, const uint64_t* counts) {
    for (int word = 0; word < kOutWords; ++word) {
        const uint64_t shown = get(top.out, word * kWord, width_of(kOut, word));
        const uint64_t differs = (shown ^ expected[word]) & counts[word];
        if (differs) return word * kWord + __builtin_ctzll(differs);
    }
    return -1;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "error: the words must be JOB MUTANT\n");
        return 1;
    }
    const std::vector<uint64_t> job = load(argv[1]);
    const uint64_t runs = job[0];
    const uint64_t* next = job.data() + 1;
    for (uint64_t run = 0; run < runs; ++run) {
        VerilatedContext context;
        context.fatalOnError(false);  // a failed assertion is a verdict, not an error
        Vtestbench top{&context};
        top.clk = 0;
        top.mutant = std::atoi(argv[2]);
        const uint64_t cycles = *next++;
        for (uint64_t cycle = 0; cycle < cycles; ++cycle) {
            top.rst = *next++;
            for (int word = 0; word < kInWords; ++word) {
                put(top.in_, word * kWord, width_of(kIn, word), *next++);
            }
            top.eval();
            const int bit = differing(top, next, next + kOutWords);
            next += 2 * kOutWords;
            top.clk = 1;
            top.eval();
            top.clk = 0;
            if (bit >= 0 || context.gotError()) {
                std::printf("%d %d %d\n", static_cast<int>(run), static_cast<int>(cycle), bit);
                return 0;
            }
        }
    }
    std::printf("-1 -1 -1\n");
    return 0;
}
