// Runs that a mutant must survive, as `runs.py` writes them: int64 in the machine's own order, the
// number of runs, then the columns of each run, each after its length.

#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using Numbers = std::vector<int64_t>;

struct Run {
    int64_t nodes, seed, bubble, stall, period, cycles;
    int64_t beside, upsets;  // whether it runs beside the original, and whether bits flip
    Numbers first;    // each node's first beat, and the end
    Numbers beats;    // time (-1: no wait), data, destination, last, user
    Numbers rows;     // cycle, node, source, last, flags, data; by cycle and node
    Numbers refused;  // cycle, node; by both
    Numbers status;   // cycle, status: its changes
    Numbers entries;  // time (-1: no wait), value of the configuration's beats, and its last bit
};

inline Numbers column(FILE* file) {
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

inline std::vector<Run> load(const char* name) {
    FILE* file = std::fopen(name, "rb");
    if (!file) {
        std::fprintf(stderr, "error: the job must be a file\n");
        std::exit(1);
    }
    std::vector<Run> runs;
    for (int64_t left = column(file)[0]; left > 0; --left) {
        const Numbers head = column(file);
        runs.push_back({head[0], head[1], head[2], head[3], head[4], head[5], head[6], head[7],
                        column(file), column(file), column(file), column(file), column(file),
                        column(file)});
    }
    std::fclose(file);
    return runs;
}
