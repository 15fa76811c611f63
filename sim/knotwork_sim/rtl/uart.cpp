// Runs a chip until it has written a line of text on its serial port.
//
// usage: uart CLOCKS_PER_BIT CYCLES
//
// On standard output: the cycles that passed, and the line.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "Vtestbench.h"
#include "verilated.h"

int main(int argc, char** argv) {
    if (argc == 2 && !std::strcmp(argv[1], "--help")) {
        std::printf("usage: uart CLOCKS_PER_BIT CYCLES\n");
        return 0;
    }
    const int64_t bit = argc == 3 ? std::atoll(argv[1]) : 0;
    const int64_t cycles = argc == 3 ? std::atoll(argv[2]) : 0;
    if (bit < 2 || cycles < 1) {
        std::fprintf(stderr, "error: the arguments must be CLOCKS_PER_BIT CYCLES, two numbers\n");
        return 1;
    }
    VerilatedContext context;
    Vtestbench top{&context};
    top.rx = 1;  // idle
    std::string line;
    int place = 0;  // of a byte's ten bits; the start bit is the first
    int64_t sample = 0;
    unsigned byte = 0;
    for (int64_t cycle = 0; cycle < cycles; ++cycle) {
        top.clk = 0;
        top.eval();
        top.clk = 1;
        top.eval();
        if (place == 0) {
            if (!top.tx) {
                place = 1;
                byte = 0;
                sample = cycle + bit + bit / 2;
            }
        } else if (cycle == sample) {
            sample += bit;
            if (place < 9) {
                byte |= static_cast<unsigned>(top.tx) << (place - 1);
                ++place;
                continue;
            }
            place = 0;
            if (!top.tx) {
                std::fprintf(stderr, "error: a stop bit must be high, in cycle %lld\n",
                             static_cast<long long>(cycle));
                return 1;
            }
            if (byte == '\n') {
                std::printf("%lld %s\n", static_cast<long long>(cycle), line.c_str());
                return 0;
            }
            if (byte != '\r') line += static_cast<char>(byte);
        }
    }
    std::fprintf(stderr, "error: a line must end within %lld cycles\n",
                 static_cast<long long>(cycles));
    return 1;
}
